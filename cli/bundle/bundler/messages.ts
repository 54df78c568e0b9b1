import type { ArchiveFile } from "../../archives/archive.ts";
import type { Platform } from "../packages/platforms.ts";
import type {
  ExternalPackages,
  MissingAddon,
  ModuleBundle,
  Style,
  Target,
} from "../packages/types.ts";

/** Modules to bundle. */
export interface BundleRequest {
  /** The paths or URLs of the modules. */
  readonly entries: readonly string[];
  readonly style: Style;
  /** Those of the modules for which nothing that the process has found still counts. */
  readonly anew?: readonly string[] | undefined;
}

/** What became of a module: a bundle or a problem. */
export type BundleResult =
  | { readonly bundle: ModuleBundle }
  | { readonly problem: string };

/** Packages to copy. */
export interface CopyRequest {
  readonly externals: ExternalPackages;
  readonly platform: Platform;
  readonly target: Target;
  /** The stamp of the copy that the caller has. */
  readonly stamp?: string | undefined;
}

/** The files of packages that are copied. */
export interface CopiedPackages {
  /** Identifies the files without their contents. */
  readonly stamp: string;
  /** The files as they are in the zip, below `node_modules`. */
  readonly files: readonly ArchiveFile[];
  /** Sentences about packages that are left out. */
  readonly warnings: readonly string[];
}

/** What became of a copy: its files, only its stamp if the caller has them, or a problem. */
export interface CopyResult extends Partial<CopiedPackages> {
  readonly problem?: string;
  /** The problem is that packages have no add-on for the system. */
  readonly missing?: readonly MissingAddon[];
}

/** What the process of the bundler is asked. */
export type Question = { readonly bundle: BundleRequest } | { readonly copy: CopyRequest };

/** What the process answers: a result for each module, or of a copy. */
export interface Answer {
  readonly results?: readonly BundleResult[];
  readonly copied?: CopyResult;
}

/** A question or an answer, and the number of the question. */
export type Message<T> = T & { readonly id: number };

/** The least length of a text that is not written as JSON, in letters. */
const LONG = 1_000;

/** The names that stand for a text or bytes beside the JSON, with its number. No message has such a name. */
const TEXT = "\0text";
const BYTES = "\0bytes";

/**
 * Writes a message as JSON. Bytes and long texts follow it, because JSON would make them slow. Before all are the number of these
 * parts, and their lengths.
 */
export function encodeMessage(message: Message<Question | Answer>): Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const json = JSON.stringify(message, (_, value) => {
    if (value instanceof Uint8Array) {
      return { [BYTES]: parts.push(value as Uint8Array<ArrayBuffer>) };
    }
    const isLong = typeof value === "string" && value.length >= LONG;
    return isLong ? { [TEXT]: parts.push(encoder.encode(value)) } : value;
  });
  const all = [encoder.encode(json), ...parts];
  const head = new Uint32Array([all.length, ...all.map(({ length }) => length)]);
  return [new Uint8Array(head.buffer), ...all];
}

/** Reads messages to the end of a stream, which may be in the middle of one. */
export async function* readMessages<T extends Question | Answer>(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Message<T>> {
  const reader = stream.getReader({ mode: "byob" });
  const read = async (length: number) => {
    if (length === 0) return new Uint8Array();
    const { value } = await reader.read(new Uint8Array(length), { min: length });
    if (value?.length !== length) throw new EndOfStream();
    return value;
  };
  const readNumbers = async (count: number) => new Uint32Array((await read(4 * count)).buffer);
  try {
    for (;;) {
      const [count] = await readNumbers(1);
      const parts: Uint8Array[] = [];
      for (const length of await readNumbers(count!)) parts.push(await read(length));
      const [json, ...others] = parts;
      yield JSON.parse(new TextDecoder().decode(json), (_, value) => {
        const { [TEXT]: text, [BYTES]: bytes } = value ?? {};
        if (text !== undefined) return new TextDecoder().decode(others[text - 1]);
        return bytes === undefined ? value : others[bytes - 1];
      });
    }
  } catch (error) {
    if (!(error instanceof EndOfStream)) throw error;
  }
}

class EndOfStream extends Error {}
