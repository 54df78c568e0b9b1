import { refuseManifest } from "../manifest/manifest_text.ts";
import { compareVersions, oldestProvider } from "../manifest/provider.ts";
import type { Manifest, Runtime } from "../manifest/types.ts";
import lock5 from "./terraform.lock.hcl" with { type: "text" };
import lock6 from "./terraform6.lock.hcl" with { type: "text" };
import type { Deployed } from "./state.ts";

/**
 * The versions of Terraform's provider for AWS whose published checksums the tool has, the oldest first, with these checksums.
 * `testdata/provider_arguments.json` has what the last one knows.
 */
export const PUBLISHED: Readonly<Record<string, string>> = { "5.100.0": lock5, "6.25.0": lock6 };

/** The runtime that no version of {@linkcode PUBLISHED} knows. */
const UNKNOWN: Runtime = "nodejs26.x";

/**
 * Returns the version that a manifest names, or the oldest version with published checksums that the application can use.
 *
 * @throws {TypeError} If a function has a runtime that none of these versions knows. The message names the key.
 */
export function providerFor(manifest: Manifest): string {
  if (manifest.provider !== undefined) return manifest.provider;
  const problems = Object.entries(manifest.functions)
    .filter(([, { runtime }]) => runtime === UNKNOWN)
    .map(([name]) => ({
      path: ["functions", name, "runtime"],
      text:
        `"functions.${name}.runtime" is ${UNKNOWN}, which needs a newer version of Terraform's provider than those whose ` +
        'checksums the tool has: name one that knows this runtime in "provider", such as "6.73.0"',
    }));
  refuseManifest(manifest, problems);
  const { version } = oldestProvider(manifest);
  return Object.keys(PUBLISHED).find((known) => compareVersions(known, version) >= 0)!;
}

/**
 * Returns the version that opens a state: never an older one than the version that has written it, because that one cannot read
 * what a newer version wrote.
 *
 * @param wanted The version that the application can use.
 * @throws {Error} If the manifest names an older version.
 */
export function providerOfState(manifest: Manifest, wanted: string, deployed: Deployed): string {
  const written = writtenBy(deployed);
  if (compareVersions(written, wanted) <= 0) return wanted;
  if (manifest.provider === undefined) return written;
  throw new Error(
    `Cannot use version ${wanted} of Terraform's provider: version ${written} has written the state of "${manifest.name}", ` +
      `and an older one cannot read it; set "provider" to "${written}" or a newer version`,
  );
}

/**
 * Returns the version that has written a state. If the state does not say it, a version with published checksums has: since
 * version 6 each resource of a region names the region, and every application has the log group of its name.
 *
 * @see https://registry.terraform.io/providers/hashicorp/aws/6.25.0/docs/guides/enhanced-region-support
 */
function writtenBy({ provider, resources }: Deployed): string {
  if (provider !== undefined) return provider;
  const [last, newer] = Object.keys(PUBLISHED) as [string, string];
  const isNewer = resources.some(({ type, attributes }) =>
    type === "aws_cloudwatch_log_group" && typeof attributes.region === "string"
  );
  return isNewer ? newer : last;
}
