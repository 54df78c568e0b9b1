import type { FunctionManifest, Uses } from "../manifest/manifest.ts";
import { fillPlaceholders } from "../manifest/placeholders.ts";
import { variableOf } from "../manifest/use_variables.ts";

/** The hosts of the AWS services behind `uses`. The bootstrap replaces `${NAME}` by the environment variable. */
const HOSTS: Readonly<Record<keyof Uses, (variable: string) => readonly string[]>> = {
  buckets: (variable) => [
    `\${${variable}}.s3.\${AWS_REGION}.amazonaws.com:443`,
    "s3.${AWS_REGION}.amazonaws.com:443",
  ],
  topics: () => ["sns.${AWS_REGION}.amazonaws.com:443"],
  queues: () => ["sqs.${AWS_REGION}.amazonaws.com:443"],
};

/**
 * Lists the hosts that a function may connect to because of its `permissions`.
 *
 * @param manifest The settings of the function.
 * @returns The content of `mate/net`: one line, with `${NAME}` for an environment variable.
 */
export function permittedHosts({ permissions: { net } }: FunctionManifest): string {
  const hosts = net.map((host) =>
    fillPlaceholders(host, (name) => `\${${name === "region" ? "AWS_REGION" : name}}`)
  );
  return `${hosts.includes("*") ? "*" : hosts.join(",")}\n`;
}

/**
 * Lists the hosts that a function may connect to because of the resources that it uses.
 *
 * @param manifest The settings of the function.
 * @returns The content of `mate/uses`: one line, with `${NAME}` for an environment variable.
 */
export function usedHosts({ uses }: FunctionManifest): string {
  const hosts = (["buckets", "topics", "queues"] as const).flatMap((kind) =>
    Object.keys(uses[kind]).flatMap((name) => HOSTS[kind](variableOf(kind, name)))
  );
  return `${[...new Set(hosts)].join(",")}\n`;
}
