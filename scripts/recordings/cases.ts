/**
 * The recordings of the real services: JSON files in `testdata/recordings`. The README beside them
 * describes the format.
 *
 * @module
 */
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The part of a manifest that a case needs. */
export interface Application {
  readonly stage?: string;
  /** `does` says what a function does with its event, as the module in `application.ts` reads it. */
  readonly functions: Readonly<Record<string, { readonly does: unknown }>>;
  readonly queues?: Readonly<Record<string, unknown>>;
}

interface Attributes {
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** The resources of a case without an application, by the names of their variables. */
export interface Setup {
  readonly buckets?: readonly string[];
  readonly queues?: Readonly<
    Record<string, Attributes & { readonly name?: string; readonly fifo?: boolean }>
  >;
  readonly topics?: Readonly<Record<string, Attributes & { readonly fifo?: boolean }>>;
  readonly subscriptions?: readonly (Attributes & {
    readonly topic: string;
    readonly queue: string;
  })[];
}

export interface HttpRequest {
  readonly to: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One step of a case: the member that names it, and what the service answered. */
export interface Step {
  readonly call?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The members of the answer that later steps use, by the names of their variables. */
  readonly save?: Readonly<Record<string, string>>;
  readonly http?: HttpRequest;
  readonly wait?: number;
  readonly fire?: string;
  readonly delivered?: string;
  readonly deadLetters?: string;
  readonly queueEmpty?: string;
  readonly requestIds?: string;
  /** The longest time in which the events arrive, in seconds. */
  readonly within?: number;
  readonly expected?: unknown;
}

/** One recorded case. */
export interface Case {
  readonly id: string;
  readonly service: string;
  /** Why the platform does not promise this. */
  readonly notClaimed?: string;
  readonly pattern?: unknown;
  readonly event?: unknown;
  readonly policy?: unknown;
  readonly scope?: "MessageAttributes" | "MessageBody";
  readonly publish?: Readonly<Record<string, unknown>>;
  readonly expression?: string;
  readonly setup?: Setup;
  readonly application?: Application;
  readonly steps?: readonly Step[];
  readonly expected?: {
    readonly matches?: boolean;
    readonly refused?: boolean;
    readonly accepted?: boolean;
    readonly delivered?: boolean;
  };
}

const RECORDINGS = fileURLToPath(new URL("../../testdata/recordings", import.meta.url));

/** Reads the cases of all JSON files in the folder `MATE_RECORDINGS`, or in that of the repository. */
export function readCases(): readonly Case[] {
  const folder = Deno.env.get("MATE_RECORDINGS") ?? RECORDINGS;
  const names = globSync("*.json", { cwd: folder }).sort();
  if (names.length === 0) throw new Error(`Cannot find recordings in ${folder}`);
  const files = names.map((name) => JSON.parse(Deno.readTextFileSync(`${folder}/${name}`)));
  return files.flatMap(({ service, cases }) =>
    cases.map((one: object): Case => ({ ...one, service } as Case))
  );
}
