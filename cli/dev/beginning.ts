import { dirname, resolve } from "node:path";
import { mapValues } from "../application/resources.ts";
import { Bundles } from "../bundle/modules/bundles.ts";
import { Log } from "../lambda/log.ts";
import { Kept } from "../programs/kept.ts";
import { type LocalApplication, readLocally } from "./resolve_locally.ts";

/** What {@linkcode begin} needs. */
export interface BeginningOptions {
  readonly manifestPath: string;
  /** The stage; by default the stage that the manifest names. */
  readonly stage?: string | undefined;
  /** Ends the bundling early. */
  readonly signal: AbortSignal;
}

/** An application whose first bundle is being made. Its disposal ends the bundling at once. */
export interface Beginning extends AsyncDisposable {
  /** The time before the application was read, in milliseconds since 1970. */
  readonly since: number;
  readonly local: LocalApplication;
  /** Reads the application again. */
  readonly read: () => Promise<LocalApplication>;
  readonly bundles: Bundles;
  readonly log: Log;
}

/**
 * Reads an application and begins to bundle the function of its first route. The bundler is another process, so that it starts
 * while this one loads the other modules of the tool.
 *
 * @throws {Error} If the manifest or the value of a secret is invalid.
 */
export async function begin(
  { manifestPath, stage, signal }: BeginningOptions,
): Promise<Beginning> {
  const since = Date.now();
  // A test on Node.js gives its secrets by this variable, because the platform runs in another process.
  const secrets = JSON.parse(Deno.env.get("MATE_SECRETS") ?? "{}");
  const read = () => readLocally(manifestPath, { stage, secrets });
  const local = await read();
  const log = new Log();
  const warn = (text: string) => log.note(text);
  const folder = dirname(resolve(manifestPath));
  const end = new AbortController();
  const either = AbortSignal.any([signal, end.signal]);
  const bundles = new Bundles({ folder, kept: new Kept(warn), signal: either, warn });
  const { functions, first } = local;
  const wanted = mapValues(functions, ({ module, runtime, packages }) => ({
    path: resolve(folder, module),
    target: runtime,
    packages,
  }));
  await bundles.begin(Object.values(wanted), first === undefined ? undefined : wanted[first]);
  return {
    since,
    local,
    read,
    bundles,
    log,
    async [Symbol.asyncDispose]() {
      end.abort();
      await bundles[Symbol.asyncDispose]();
    },
  };
}
