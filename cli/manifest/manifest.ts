/**
 * The manifest of an application: the file `app.json`, which the local platform, the bundler and the deployment read.
 *
 * @module
 */
import schema from "./schema.json" with { type: "json" };
import { isIPv6 } from "node:net";
import { scheduleProblem } from "../rules/schedule.ts";
import { Checker, type Format, nameOf } from "./checker.ts";
import { findConflicts } from "./conflicts.ts";
import { keepOrigin, ManifestText } from "./manifest_text.ts";
import { hintOf, UsageError } from "./nearest.ts";
import { clashesOf, nameStage, type PlainManifest, stagesOf } from "./stages.ts";
import type { Manifest, Runtime, ScheduleTrigger } from "./types.ts";
import { fillPlaceholders, isGeneral, isOpen, PLACEHOLDERS, placeholdersIn } from "./variables.ts";

export type * from "./types.ts";

/** The formats that the JSON Schema of the manifest names, because no pattern describes them. */
const FORMATS: Readonly<Record<string, Format>> = {
  host: (text) =>
    text === "*" || isHost(fillPlaceholders(text, () => "x"))
      ? undefined
      : "must be a host such as api.example.com:443, or *",
  pattern: (text) => isPattern(text) ? undefined : "must be a regular expression",
  placeholders: placeholderProblem,
  schedule: scheduleProblem,
  "time-zone": (text) => isTimeZone(text) ? undefined : "must be a time zone such as Europe/Paris",
};

const checker = new Checker(schema, FORMATS);

/**
 * Checks a manifest with all its stages, and fills in the defaults.
 *
 * @param text The text of the manifest: JSON, with or without a byte order mark.
 * @param source The name of the manifest in error messages, such as its path.
 * @param stage The stage; by default the stage that the manifest names.
 * @returns The manifest of the stage.
 * @throws {SyntaxError} If the text is not JSON.
 * @throws {TypeError} If the manifest or one of its stages is invalid; the message names every wrong key and its line.
 * @throws {Error} If the stage does not exist.
 */
export function parseManifest(text: string, source: string, stage?: string): Manifest {
  const read = new ManifestText(text, source);
  const plain = structuredClone(read.json) as PlainManifest;
  const manifests = [check(read.json, read)];
  for (const [name, merged] of stagesOf(plain, (problems) => read.refuse(problems))) {
    manifests.push(nameStage(plain, check(merged, read, name)));
  }
  read.refuse(clashesOf(manifests));
  const found = manifests.find((manifest) => manifest.stage === (stage ?? plain.stage));
  if (found !== undefined) return found;
  const names = manifests.map((manifest) => manifest.stage);
  const hint = hintOf(stage!, names, `expected one of ${names.join(", ")}, or add it to "stages"`);
  throw new UsageError(`${read.action}: it has no stage "${stage}": ${hint}`);
}

/**
 * Checks the manifest of one stage, and fills in the defaults.
 *
 * @param stage The stage, if it is another one than the manifest's.
 */
function check(json: unknown, text: ManifestText, stage?: string): Manifest {
  const repeated = stage === undefined ? text.repetitions : [];
  // Without this check, an error of the defaults would be an error of each function.
  text.refuse([...repeated, ...checker.problemsOf(json)], stage);
  const filled = withDefaults(json as Unfilled) as Manifest & { stages: unknown };
  checker.fillIn(filled);
  const { stages: _, ...manifest } = filled;
  expandSchedules(manifest);
  nameRuntimes(manifest);
  const conflicts = [...findConflicts(manifest)];
  text.refuse(
    conflicts.map(({ path, message }) => ({ path, text: `${nameOf(path)} ${message}` })),
    stage,
  );
  keepOrigin(manifest, text, stage);
  return manifest;
}

type Settings = { readonly environment?: object };

/** A valid manifest before its defaults are filled in. */
interface Unfilled {
  readonly defaults?: Settings;
  readonly functions: Readonly<Record<string, Settings>>;
}

/** Gives each function the keys of `defaults` that it does not have. */
function withDefaults({ defaults = {}, ...manifest }: Unfilled): unknown {
  const functions = Object.entries(manifest.functions).map(([name, own]) => {
    const environment = { ...defaults.environment, ...own.environment };
    return [name, { ...structuredClone(defaults), ...own, environment }];
  });
  return { ...manifest, functions: Object.fromEntries(functions) };
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

/** Gives each function that names no runtime the one of the manifest. */
function nameRuntimes({ functions, runtime }: Manifest): void {
  for (const settings of Object.values<{ runtime?: Runtime }>(functions)) {
    settings.runtime ??= runtime;
  }
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

function placeholderProblem(text: string): string | undefined {
  return !isOpen(text) && placeholdersIn(text).every(isGeneral)
    ? undefined
    : `must have no placeholders except ${PLACEHOLDERS}`;
}

const HOST_PATTERN =
  /^(?:(?:\*\.)?[\w-]+(?:\.[\w-]+)*|\[(?<address>[^\]%]*)\])(?::(?<port>\d{1,5}))?$/;

/** Tells whether Deno accepts a text such as `api.example.com:443` or `[::1]:80` in `--allow-net`. */
function isHost(text: string): boolean {
  const { groups } = HOST_PATTERN.exec(text) ?? {};
  if (groups === undefined) return false;
  const { address, port = "1" } = groups;
  return (address === undefined || isIPv6(address)) && Number(port) >= 1 && Number(port) <= 65_535;
}

function isPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}
