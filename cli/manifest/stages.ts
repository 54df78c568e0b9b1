import { nameOf, type Problem } from "./checker.ts";
import { hintOf } from "./nearest.ts";
import { resourceNames } from "./references.ts";
import type { Manifest } from "./types.ts";
import { KINDS, placeholdersIn } from "./variables.ts";
import { isObject } from "../rules/json_object.ts";

type Json = Readonly<Record<string, unknown>>;

/** A manifest that matches the JSON Schema, before the overrides of its stages are merged. */
export interface PlainManifest extends Json {
  readonly name: string;
  readonly stage: string;
  readonly state?: string;
  readonly stages?: Readonly<Record<string, Json>>;
}

/** The maps whose names a stage takes from the manifest. */
const MAPS = ["functions", "queues", "buckets", "tables"] as const;

/**
 * Merges the overrides of each further stage into the manifest.
 *
 * @param refuse Throws an error for problems.
 * @throws {TypeError} If a stage overrides something that does not exist.
 */
export function stagesOf(
  { stages = {}, ...base }: PlainManifest,
  refuse: (problems: readonly Problem[]) => void,
): [stage: string, merged: Json][] {
  refuse(
    Object.entries(stages)
      .flatMap(([stage, overrides]) => [...unknownNames(stage, base, overrides)]),
  );
  return Object.entries(stages)
    .map(([stage, overrides]) => [stage, { ...merge(base, overrides) as Json, stage }]);
}

function* unknownNames(stage: string, base: Json, overrides: Json): Generator<Problem> {
  for (const map of MAPS) {
    const known = Object.keys(base[map] ?? {});
    for (const name of Object.keys(overrides[map] ?? {}).filter((name) => !known.includes(name))) {
      const hint = hintOf(name, known, "add it there first");
      const path = ["stages", stage, map, name];
      yield { path, text: `${nameOf(path)} must be one of the "${map}" of the manifest: ${hint}` };
    }
  }
}

/**
 * Merges a patch into a value.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7396#section-2
 */
function merge(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return structuredClone(patch);
  const merged = isObject(value) ? structuredClone(value) as Record<string, unknown> : {};
  for (const [key, child] of Object.entries(patch)) {
    if (child === null) delete merged[key];
    else merged[key] = merge(merged[key], child);
  }
  return merged;
}

/** Gives a further stage its own names and state. */
export function nameStage({ name, state }: PlainManifest, manifest: Manifest): Manifest {
  const isShared = state !== undefined && manifest.state === state;
  return {
    ...manifest,
    name: `${name}-${manifest.stage}`,
    furtherStage: manifest.stage,
    ...(isShared && { state: `${state}@${manifest.stage}` }),
  };
}

/**
 * Finds stages that would share a name, a domain or a state in the account.
 *
 * @param manifests The manifests of all stages, the default stage first.
 */
export function clashesOf(manifests: readonly Manifest[]): Problem[] {
  const problems: Problem[] = [];
  for (const [index, { stage, settings, state }] of manifests.entries()) {
    const others = manifests.slice(0, index);
    const has = (test: (other: Manifest) => boolean) => others.find(test)?.stage;
    const report = (keys: readonly string[], text: string) => {
      const path = ["stages", stage, ...keys];
      problems.push({ path, text: `${nameOf(path)} ${text}` });
    };
    const sameStage = has((other) => other.stage === stage);
    if (sameStage !== undefined) report([], 'must have another name than "stage"');
    const domain = settings.domain?.name;
    // An output of infra may differ between stages.
    const sameDomain = has((other) =>
      domain !== undefined && placeholdersIn(domain).length === 0 &&
      other.settings.domain?.name === domain
    );
    if (sameDomain !== undefined) {
      const text = `must be another domain than "${domain}", which "${sameDomain}" has`;
      report(["settings", "domain", "name"], text);
    }
    const sameState = has((other) => state !== undefined && other.state === state);
    if (sameState !== undefined) {
      report(["state"], `must be another place than "${state}", which "${sameState}" has`);
    }
    if (index === 0) continue;
    // The stage "prod" has the function "shop-prod-orders", and so would "prod-orders" of the default stage. If its function
    // "prod" listened to the table "orders", the dead-letter queue would have the name of one of the stage.
    for (const name of namesIn(manifests[0]!)) {
      if (name !== stage && !name.startsWith(`${stage}-`)) continue;
      const text =
        `The name "${name}" must not be "${stage}" or begin with "${stage}-", because "${stage}" is a stage`;
      problems.push({ path: ["stages", stage], text });
    }
  }
  return problems;
}

/** The names of functions and resources in a manifest. */
function namesIn(manifest: Manifest): Set<string> {
  const resources = KINDS.flatMap((kind) => resourceNames(manifest, kind));
  return new Set([...Object.keys(manifest.functions), ...resources]);
}

/** Throws an error that names all problems. */
export function refuse(problems: readonly string[], action: string): void {
  if (problems.length === 0) return;
  const list = problems.length === 1 ? ` ${problems[0]}` : `\n  ${problems.join("\n  ")}`;
  throw new TypeError(`${action}:${list}`);
}
