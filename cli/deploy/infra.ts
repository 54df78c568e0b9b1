import { nameOf } from "../manifest/checker.ts";
import { refuseManifest } from "../manifest/manifest_text.ts";
import { hintOf } from "../manifest/nearest.ts";
import type { Manifest } from "../manifest/types.ts";
import { placeholdersIn } from "../manifest/variables.ts";

/** The Terraform files of the user: the names of their variables and outputs. */
export interface Infra {
  readonly variables: ReadonlySet<string>;
  readonly outputs: ReadonlySet<string>;
}

/** Reads the names of variables and outputs in the files of a folder; `undefined` if the folder does not exist. */
export async function readInfra(folder: string): Promise<Infra | undefined> {
  const names = { variable: new Set<string>(), output: new Set<string>() };
  try {
    for await (const { name } of Deno.readDir(folder)) {
      if (!/\.tf(\.json)?$/.test(name)) continue;
      const text = await Deno.readTextFile(`${folder}/${name}`);
      if (name.endsWith(".json")) {
        const { variable = {}, output = {} } = JSON.parse(text);
        for (const key of Object.keys(variable)) names.variable.add(key);
        for (const key of Object.keys(output)) names.output.add(key);
        continue;
      }
      for (const [, kind, key] of text.matchAll(/^\s*(variable|output)\s+"?([\w-]+)"?\s*\{/gm)) {
        names[kind as keyof typeof names].add(key!);
      }
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new Error(`Cannot read the folder "${folder}": ${(error as Error).message}`, {
      cause: error,
    });
  }
  return { variables: names.variable, outputs: names.output };
}

/**
 * Checks that each `${infra.NAME}` of a manifest is an output.
 *
 * @throws {TypeError} If an output does not exist. The message names each key and its line.
 */
export function checkOutputs(manifest: Manifest, infra: Infra | undefined): void {
  const outputs = [...infra?.outputs ?? []];
  const problems = [...textsIn(manifest)].flatMap(({ text, path }) =>
    placeholdersIn(text).flatMap((placeholder) => {
      const [, name] = /^infra\.(.+)/.exec(placeholder) ?? [];
      if (name === undefined || outputs.includes(name)) return [];
      const hint = infra === undefined
        ? "the folder infra does not exist beside the manifest"
        : hintOf(name, outputs, `add the block output "${name}" to a file of the folder infra`);
      return [{ path, text: `${nameOf(path)} needs the output "${name}" of infra: ${hint}` }];
    })
  );
  refuseManifest(manifest, problems);
}

/** The texts of a manifest in which placeholders have a meaning, with the keys that lead to them. */
function* textsIn({ functions, settings }: Manifest) {
  for (const [name, { environment, statements, triggers }] of Object.entries(functions)) {
    yield* leavesOf(environment, ["functions", name, "environment"]);
    yield* leavesOf(statements, ["functions", name, "statements"]);
    yield* leavesOf(triggers.events, ["functions", name, "triggers", "events"]);
  }
  yield* leavesOf(settings, ["settings"]);
}

function* leavesOf(
  value: unknown,
  path: readonly string[],
): Generator<{ readonly text: string; readonly path: readonly string[] }> {
  if (typeof value === "string") yield { text: value, path };
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) yield* leavesOf(child, [...path, key]);
}
