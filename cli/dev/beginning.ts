import { basename, dirname, join, resolve } from "node:path";
import { mapValues } from "../application/resources.ts";
import { Bundles } from "../bundle/modules/bundles.ts";
import { Log } from "../lambda/log.ts";
import { VALUES_FILE } from "../manifest/local_values.ts";
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
  /** What {@linkcode readSettings} gave before the application was read. */
  readonly settings: string;
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
  const settings = await readSettings(manifestPath);
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
    settings,
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

/** The absolute paths of the manifest and of `.env`, which is beside it. */
export function settingsFiles(manifestPath: string): readonly string[] {
  const folder = resolve(dirname(manifestPath));
  return [basename(manifestPath), VALUES_FILE].map((file) => join(folder, file));
}

/** Reads the texts and the times of the manifest and of `.env`. Any change of one of them makes another result. */
export async function readSettings(manifestPath: string): Promise<string> {
  const states = settingsFiles(manifestPath).map(async (file) => {
    try {
      // The time alone would not tell two writes within one tick of the clock of the file system apart.
      return [await Deno.readTextFile(file), (await Deno.stat(file)).mtime];
    } catch {
      return []; // Whoever reads the application tells why.
    }
  });
  return JSON.stringify(await Promise.all(states));
}
