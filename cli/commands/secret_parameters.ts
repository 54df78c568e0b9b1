import { paginateDescribeParameters, SSMClient } from "@aws-sdk/client-ssm";
import { readManifest } from "../manifest/manifest.ts";
import { secretPath, secretsIn } from "../manifest/variables.ts";
import schema from "../manifest/schema.json" with { type: "json" };
import { UsageError } from "../manifest/nearest.ts";
import { callAws } from "./aws.ts";

/** Reads the manifest of a stage, and makes the client for the secrets of the stage. */
export async function open(manifestPath: string, stage: string | undefined) {
  const manifest = await readManifest(manifestPath, stage);
  const client = new SSMClient(manifest.region === undefined ? {} : { region: manifest.region });
  return {
    client,
    /** The path of the parameters. */
    folder: secretPath(manifest),
    /** The secrets that functions have, by name, each with its functions. */
    secrets: secretsIn(manifest),
    region: () => client.config.region(),
  };
}

/** Checks the name of a secret as the manifest does. */
export function checkName(name: string): void {
  const { pattern, patternErrorMessage, not, errorMessage } = schema.definitions.variable;
  const problem = !new RegExp(pattern).test(name)
    ? patternErrorMessage
    : not.enum.includes(name)
    ? errorMessage
    : undefined;
  if (problem !== undefined) throw new UsageError(`Invalid secret "${name}": it ${problem}`);
}

/** Lists the secrets that have a value, with the time of their last change. No value is read. */
export async function list(
  client: SSMClient,
  folder: string,
  abortSignal: AbortSignal,
): Promise<ReadonlyMap<string, Date | undefined>> {
  const ParameterFilters = [{ Key: "Path", Option: "OneLevel", Values: [folder] }];
  const pages = await callAws(
    `Cannot list the secrets in ${folder}`,
    () =>
      Array.fromAsync(
        paginateDescribeParameters({ client }, { ParameterFilters }, { abortSignal }),
      ),
  );
  return new Map(
    pages.flatMap(({ Parameters = [] }) => Parameters)
      .map(({ Name, LastModifiedDate }) => [Name!.slice(folder.length + 1), LastModifiedDate]),
  );
}
