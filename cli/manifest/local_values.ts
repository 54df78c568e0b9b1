import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { type Manifest, readManifest } from "./manifest.ts";

/** The file beside the manifest with values for this machine alone. */
export const VALUES_FILE = ".env";

/**
 * Reads the manifest of a stage for this machine. The file `.env` beside it replaces values of the `environment` of the functions.
 * Other variables in the file have no effect.
 *
 * @throws {Error} If a file cannot be read, or the manifest is invalid; the message names the file.
 */
export async function readLocalManifest(path: string, stage?: string): Promise<Manifest> {
  const manifest = await readManifest(path, stage);
  const values = await readValues(join(dirname(path), VALUES_FILE));
  const functions = Object.entries(manifest.functions).map(([name, settings]) => {
    const environment = Object.entries(settings.environment)
      .map(([variable, value]) => [variable, values[variable] ?? value]);
    return [name, { ...settings, environment: Object.fromEntries(environment) }];
  });
  return { ...manifest, functions: Object.fromEntries(functions) };
}

async function readValues(path: string): Promise<NodeJS.Dict<string>> {
  try {
    const text = await Deno.readTextFile(path);
    return parseEnv(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    // Some tools of Python make a folder of this name.
    const { NotFound, IsADirectory } = Deno.errors;
    if (error instanceof NotFound || error instanceof IsADirectory) return parseEnv("");
    throw new Error(`Cannot read "${path}": ${(error as Error).message}`, { cause: error });
  }
}
