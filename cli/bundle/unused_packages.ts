import type { Application } from "../application/types.ts";
import { hintOf } from "../manifest/nearest.ts";
import type { ModuleBundle } from "./packages/types.ts";

/**
 * Finds the names in `packages` of the manifest that no function imports. `defaults` may name a package that some functions do
 * not need, so all functions with the name have to be known.
 *
 * @param bundles The bundles by the names of their functions.
 * @returns The problems by the names of the functions.
 */
export function unusedPackages(
  { functions }: Application,
  bundles: ReadonlyMap<string, ModuleBundle>,
): Map<string, string> {
  const problems = new Map<string, string>();
  const names = new Set([...bundles.values()].flatMap(({ unused }) => unused?.names ?? []));
  for (const { name, isInstalled } of names) {
    const owners = Object.keys(functions)
      .filter((owner) => functions[owner]!.code.packages.includes(name));
    const unused = owners.map((owner) => bundles.get(owner)?.unused);
    if (!unused.every((one) => one?.names.some((other) => other.name === name))) continue;
    const others = [...new Set(unused.flatMap((one) => one!.others))];
    const fault = isInstalled ? "no module of the function imports" : "is not installed";
    const hint = hintOf(name, others, "remove it");
    owners.forEach((owner) =>
      problems.set(owner, `"packages" names "${name}", which ${fault}: ${hint}`)
    );
  }
  return problems;
}
