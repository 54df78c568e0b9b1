/**
 * The manifest of an application: the file `app.json`, which the local platform, the bundler and the deployment read.
 *
 * @module
 */
import { z } from "zod";
import { MANIFEST } from "./manifest_schema.ts";
import { describe, wordIssue } from "./problems.ts";
import type { Manifest } from "./types.ts";

export type * from "./types.ts";

/**
 * Checks a manifest, and fills in the defaults.
 *
 * @param text The text of the manifest: JSON, with or without a byte order mark.
 * @param source The name of the manifest in error messages, such as its path.
 * @returns The manifest.
 * @throws {SyntaxError} If the text is not JSON.
 * @throws {TypeError} If the manifest is invalid; the message names every wrong key.
 */
export function parseManifest(text: string, source: string): Manifest {
  let json: unknown;
  try {
    // RFC 8259, section 8.1: a byte order mark may be ignored.
    json = JSON.parse(text.replace(/^\uFEFF/, ""), refusePrototype);
  } catch (error) {
    throw new SyntaxError(`Cannot read the manifest "${source}": ${(error as Error).message}`);
  }
  const result = MANIFEST.safeParse(json, { error: wordIssue });
  if (result.success) return result.data;
  throw new TypeError(`Cannot use the manifest "${source}": ${describe(result.error, "manifest")}`);
}

/** Zod drops the key `__proto__` silently. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === "__proto__") throw new SyntaxError('The key "__proto__" is not allowed');
  return value;
}

/**
 * Reads and checks the file of a manifest.
 *
 * @param path The path of the manifest.
 * @returns The manifest.
 * @throws {Error} If the file cannot be read, or the manifest is invalid; the message names the file.
 */
export async function readManifest(path: string): Promise<Manifest> {
  let text;
  try {
    text = await Deno.readTextFile(path);
  } catch (cause) {
    const problem = cause instanceof Deno.errors.NotFound
      ? 'the file does not exist: run "mate new FOLDER", or name another file'
      : cause instanceof Deno.errors.IsADirectory
      ? `it is a folder; name the file, such as "${path.replace(/\/$/, "")}/app.json"`
      : (cause as Error).message;
    throw new Error(`Cannot read the manifest "${path}": ${problem}`, { cause });
  }
  return parseManifest(text, path);
}

/**
 * Makes the JSON Schema of manifests, for editors.
 *
 * @returns The JSON Schema (draft 7, which every editor knows).
 */
export function manifestSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(MANIFEST, { io: "input", target: "draft-7" });
}
