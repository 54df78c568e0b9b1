/**
 * The manifest of an application: the file `app.json`, which the local platform, the bundler and the deployment read.
 *
 * @module
 */
import { makeChecker, nameOf } from "./checker.ts";
import { findConflicts } from "./conflicts.ts";
import { FORMATS } from "./formats.ts";
import { hintOf } from "./nearest.ts";
import schema from "./schema.json" with { type: "json" };
import { nameStage, type PlainManifest, refuse, refuseClashes, stagesOf } from "./stages.ts";
import type { Manifest, ScheduleTrigger } from "./types.ts";
import { UsageError } from "./usage_error.ts";

export type * from "./types.ts";

const checkSchema = makeChecker(schema, FORMATS);

/**
 * Checks a manifest with all its stages, and fills in the defaults.
 *
 * @param text The text of the manifest: JSON, with or without a byte order mark.
 * @param source The name of the manifest in error messages, such as its path.
 * @param stage The stage; by default the stage that the manifest names.
 * @returns The manifest of the stage.
 * @throws {SyntaxError} If the text is not JSON.
 * @throws {TypeError} If the manifest or one of its stages is invalid; the message names every wrong key.
 * @throws {Error} If the stage does not exist.
 */
export function parseManifest(text: string, source: string, stage?: string): Manifest {
  let json: unknown;
  try {
    // RFC 8259, section 8.1: a byte order mark may be ignored.
    json = JSON.parse(text.replace(/^\uFEFF/, ""), refusePrototype);
  } catch (error) {
    throw new SyntaxError(`Cannot read the manifest "${source}": ${(error as Error).message}`);
  }
  const action = `Cannot use the manifest "${source}"`;
  const repeated = [...repeatedKeys(text)]
    .map((path) => `${nameOf(path)} occurs twice: rename or remove one`);
  const plain = structuredClone(json) as PlainManifest;
  const manifests = [check(json, action, repeated)];
  for (const [name, merged] of stagesOf(plain, action)) {
    manifests.push(nameStage(plain, check(merged, `${action} for the stage "${name}"`)));
  }
  refuseClashes(manifests, action);
  const found = manifests.find((manifest) => manifest.stage === (stage ?? plain.stage));
  if (found !== undefined) return found;
  const names = manifests.map((manifest) => manifest.stage);
  const hint = hintOf(stage!, names, `expected one of ${names.join(", ")}, or add it to "stages"`);
  throw new UsageError(`${action}: it has no stage "${stage}": ${hint}`);
}

/** Checks the manifest of one stage, and fills in the defaults. */
function check(json: unknown, action: string, known: readonly string[] = []): Manifest {
  const problems = [...known, ...checkSchema(json)];
  if (problems.length === 0) {
    expandSchedules(json as Manifest);
    for (const { path, message } of findConflicts(json as Manifest)) {
      problems.push(`${nameOf(path)} ${message}`);
    }
  }
  refuse(problems, action);
  const { stages: _, ...manifest } = json as Manifest & { stages: unknown };
  return manifest;
}

/** Finds the keys that occur twice in an object of valid JSON. `JSON.parse()` drops the first value. */
function* repeatedKeys(text: string): Generator<readonly (string | number)[]> {
  const open: { at: string | number; readonly keys: Set<string> }[] = [];
  let before = "";
  for (const [token] of text.matchAll(/"(?:[^"\\]+|\\.)*"|[{}[\],:]/g)) {
    const owner = open.at(-1)!;
    if (token === "{" || token === "[") open.push({ at: 0, keys: new Set() });
    else if (token === "}" || token === "]") open.pop();
    else if (token === "," && typeof owner.at === "number") owner.at++;
    else if (token === ":") {
      const key: string = owner.at = JSON.parse(before);
      if (owner.keys.has(key)) yield open.map(({ at }) => at);
      owner.keys.add(key);
    }
    before = token;
  }
}

/** Replaces each schedule that is only an expression by an object. */
function expandSchedules({ functions }: Manifest): void {
  for (const { triggers } of Object.values(functions)) {
    const schedules = triggers.schedules as (string | ScheduleTrigger)[];
    for (const [index, schedule] of schedules.entries()) {
      if (typeof schedule !== "string") continue;
      schedules[index] = { expression: schedule, timezone: "UTC" };
    }
  }
}

/** A key `__proto__` would change the object instead of its properties. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === "__proto__") throw new SyntaxError('The key "__proto__" is not allowed');
  return value;
}

/**
 * Reads and checks the file of a manifest.
 *
 * @param path The path of the manifest.
 * @param stage The stage; by default the stage that the manifest names.
 * @returns The manifest of the stage.
 * @throws {Error} If the file cannot be read, or the manifest is invalid; the message names the file.
 */
export async function readManifest(path: string, stage?: string): Promise<Manifest> {
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
  return parseManifest(text, path, stage);
}
