import type { Manifest, Runtime } from "./types.ts";

/** The first version of Terraform's provider for AWS in which the tool finds everything but newer runtimes. */
const OLDEST = "5.100.0";

/**
 * The first version that knows a newer runtime; `undefined` if the tool knows none.
 *
 * @see https://github.com/hashicorp/terraform-provider-aws/issues/44986
 */
const NEWER: Readonly<Partial<Record<Runtime, string>>> = { "nodejs24.x": "6.19.0" };

/** Returns the oldest version of Terraform's provider that an application can use, and the reason. */
export function oldestProvider({ functions }: Manifest): { version: string; reason: string } {
  let oldest = { version: OLDEST, reason: "the oldest version that the tool can use" };
  for (const [name, { runtime }] of Object.entries(functions)) {
    const version = NEWER[runtime];
    if (version === undefined || compareVersions(version, oldest.version) <= 0) continue;
    oldest = { version, reason: `the first version with ${runtime}, the runtime of "${name}"` };
  }
  return oldest;
}

/** Compares two versions such as `6.25.0`, as a function of `sort()` does. */
export function compareVersions(one: string, other: string): number {
  const parts = other.split(".").map(Number);
  return one.split(".").map((part, index) => Number(part) - parts[index]!)
    .find((difference) => difference !== 0) ?? 0;
}

/** Returns the path of the lock file of a manifest, which is beside it. */
export function lockFileOf(manifestPath: string): string {
  return `${manifestPath.replace(/\.json$/, "")}.lock.hcl`;
}
