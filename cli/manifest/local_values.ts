import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { type Manifest, readManifest } from "./manifest.ts";
import { hintOf } from "./nearest.ts";
import { fillAll, placeholdersIn, secretProblem, secretsIn } from "./variables.ts";

/** The file beside the manifest with values for this machine alone. */
export const VALUES_FILE = ".env";

/**
 * Reads the manifest of a stage for this machine. The file `.env` beside it replaces values of the `environment` of the functions.
 * If a variable is an output of `infra`, its value also counts for the buses, the event patterns and the statements. There, an
 * output without a value is its own name. Other variables in the file have no effect.
 *
 * @throws {Error} If a file cannot be read, or the manifest is invalid; the message names the file.
 */
export async function readLocalManifest(path: string, stage?: string): Promise<Manifest> {
  const manifest = await readManifest(path, stage);
  const values = await readValues(join(dirname(path), VALUES_FILE));
  const outputs = outputsOf(manifest, values);
  const valueOf = (name: string) =>
    name.startsWith("infra.") ? outputs[name] ?? name.slice("infra.".length) : `\${${name}}`;
  const functions = Object.entries(manifest.functions).map(([name, settings]) => {
    const environment = Object.entries(settings.environment)
      .map(([variable, value]) => [variable, values[variable] ?? value]);
    return [name, {
      ...settings,
      environment: Object.fromEntries(environment),
      statements: fillAll(settings.statements, valueOf),
      triggers: { ...settings.triggers, events: fillAll(settings.triggers.events, valueOf) },
    }];
  });
  return { ...manifest, functions: Object.fromEntries(functions) };
}

/** The outputs of `infra` that `.env` has a value for, because a variable is nothing but the output. */
function outputsOf({ functions }: Manifest, values: NodeJS.Dict<string>): NodeJS.Dict<string> {
  const variables = Object.values(functions).flatMap(({ environment }) =>
    Object.entries(environment)
  );
  return Object.fromEntries(variables.flatMap(([variable, text]) => {
    const [placeholder] = placeholdersIn(text);
    const value = values[variable];
    return value !== undefined && text === `\${${placeholder}}` ? [[placeholder, value]] : [];
  }));
}

/** The values of secrets by name. */
export type SecretValues = Readonly<Record<string, string>>;

/**
 * Reads the values of the secrets of an application on this machine. In CI, where the variable `CI` is set, they also come from
 * the environment. Elsewhere they do not, because a manifest must not choose which variables of a developer a function sees.
 *
 * @param folder The folder of the file `.env`.
 * @param given The values that count before others.
 * @returns The values, and a line for each secret without a value.
 * @throws {Error} If a value cannot be that of a secret, or if no function has a secret of `given`. The message quotes no value.
 */
export async function readLocalSecrets(
  manifest: Manifest,
  folder: string,
  given: SecretValues = {},
): Promise<{ readonly values: SecretValues; readonly missing: readonly string[] }> {
  const secrets = secretsIn(manifest);
  const unknown = Object.keys(given).find((name) => !secrets.has(name));
  if (unknown !== undefined) {
    const hint = hintOf(unknown, [...secrets.keys()], 'no function has it in "secrets"');
    throw new TypeError(`Cannot use the secret "${unknown}": ${hint}`);
  }
  if (secrets.size === 0) return { values: {}, missing: [] };
  const file = join(folder, VALUES_FILE);
  const sources = [
    ["", given],
    ...isCi() ? [["the environment", Deno.env.toObject()] as const] : [],
    [`"${file}"`, await readValues(file)],
  ] as const;
  const values: Record<string, string> = {};
  const missing: string[] = [];
  for (const [name, owners] of secrets) {
    const [source, all] = sources.find(([, all]) => Object.hasOwn(all, name) && all[name]) ?? [];
    const value = all?.[name];
    if (value === undefined) {
      const list = owners.map((owner) => `"${owner}"`).join(", ");
      missing.push(
        `The secret ${name} of ${list} has no value on this machine, so the variable is absent: add it to the file ${VALUES_FILE}`,
      );
      continue;
    }
    const problem = secretProblem(value);
    const from = source ? ` of ${source}` : "";
    if (problem) throw new Error(`Cannot use the secret "${name}"${from}: ${problem}`);
    values[name] = value;
  }
  return { values, missing };
}

/**
 * Reads the keys of a developer for AWS in the file `.env`; `undefined` if it has none.
 *
 * @param folder The folder of the file.
 * @throws {Error} If the file has only one of the two keys.
 */
export async function readLocalKeys(folder: string) {
  const file = join(folder, VALUES_FILE);
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
    AWS_REGION: region,
  } = await readValues(file);
  if (accessKeyId && secretAccessKey) {
    return { accessKeyId, secretAccessKey, region, ...sessionToken && { sessionToken } };
  }
  if (!accessKeyId && !secretAccessKey) return undefined;
  const missing = accessKeyId ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID";
  throw new Error(`Cannot use the keys for AWS in "${file}": ${missing} is missing`);
}

/** The emulators of a developer for services that the platform does not emulate: their URLs by the identifiers in their variables. */
export type Emulators = ReadonlyMap<string, URL>;

/**
 * Reads the emulators of a developer in the file `.env`: the variables that begin with `AWS_ENDPOINT_URL_`. An identifier has no
 * underscores here, because the SDKs put them where the names of the services have spaces. A variable in the `environment` of a
 * function is left to the function.
 *
 * @param folder The folder of the file.
 * @throws {Error} If an emulator is not on this machine.
 */
export async function readEmulators(
  folder: string,
  functions: Manifest["functions"],
): Promise<Emulators> {
  const file = join(folder, VALUES_FILE);
  const found = Object.entries(await readValues(file)).flatMap(([name, value = ""]) => {
    const [, id] = /^AWS_ENDPOINT_URL_(\w+)$/.exec(name) ?? [];
    const isOwn = Object.values(functions).some(({ environment }) =>
      Object.hasOwn(environment, name)
    );
    return id === undefined || value === "" || isOwn ? [] : [{ name, id, value }];
  });
  return new Map(found.map(({ name, id, value }) => {
    if (
      !/^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\/?$/.test(value) || !URL.canParse(value)
    ) {
      throw new Error(
        `Cannot use ${name} of "${file}": an emulator is on this machine, such as "http://127.0.0.1:5000"`,
      );
    }
    return [withoutUnderscores(id), new URL(value)];
  }));
}

/** Writes an identifier of a service as {@linkcode readEmulators} does. */
export function withoutUnderscores(id: string): string {
  return id.replaceAll("_", "");
}

/** Whether this is a machine of continuous integration. All of them set the variable. */
function isCi(): boolean {
  return !["", "0", "false"].includes(Deno.env.get("CI") ?? "");
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
