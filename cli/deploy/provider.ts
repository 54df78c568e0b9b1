import type { Application } from "../application/types.ts";
import type { Resource } from "./summary.ts";

/** The major versions of Terraform's provider for AWS that the tool uses. */
export type Provider = 5 | 6;

/**
 * What Terraform may choose. The tool has the published checksums of one version of each, so that every machine can read the
 * state. `testdata/provider_arguments.json` has what this version knows.
 */
export const CONSTRAINTS: Readonly<Record<Provider, string>> = { 5: "~> 5.100", 6: "6.25.0" };

/** Returns the version that the runtimes of an application need: the last version 5 knows no runtime after Node.js 22. */
export function providerFor({ functions }: Application): Provider {
  return Object.values(functions).some(({ runtime }) => runtime === "nodejs24.x") ? 6 : 5;
}

/**
 * Returns the version that has written a state, because an older one cannot read it. Since version 6 each resource of a region
 * names the region, and every application has the log group of its name.
 *
 * @see https://registry.terraform.io/providers/hashicorp/aws/6.25.0/docs/guides/enhanced-region-support
 */
export function providerOfState(resources: readonly Resource[]): Provider {
  const isNewer = ({ type, attributes }: Resource) =>
    type === "aws_cloudwatch_log_group" && typeof attributes.region === "string";
  return resources.some(isNewer) ? 6 : 5;
}
