import type { FunctionManifest, Manifest, Uses } from "../manifest/types.ts";
import { fillPlaceholders, variableOf } from "../manifest/variables.ts";

/** The hosts of the AWS services behind `uses`. The bootstrap replaces `${NAME}` by the environment variable. */
const HOSTS: Readonly<Record<keyof Uses, (variable: string) => readonly string[]>> = {
  buckets: (variable) => [
    `\${${variable}}.s3.\${AWS_REGION}.amazonaws.com:443`,
    "s3.${AWS_REGION}.amazonaws.com:443",
  ],
  topics: () => ["sns.${AWS_REGION}.amazonaws.com:443"],
  queues: () => ["sqs.${AWS_REGION}.amazonaws.com:443"],
  tables: () => [
    "dynamodb.${AWS_REGION}.amazonaws.com:443",
    "*.ddb.${AWS_REGION}.amazonaws.com:443", // the endpoint of an account, which the AWS SDKs prefer
  ],
};

/** Makes `mate/net`: one line with the hosts of `permissions`. `${NAME}` stands for an environment variable. */
export function permittedHosts({ permissions: { net } }: FunctionManifest): string {
  const hosts = net.map((host) =>
    fillPlaceholders(host, (name) => `\${${name === "region" ? "AWS_REGION" : name}}`)
  );
  return `${hosts.includes("*") ? "*" : hosts.join(",")}\n`;
}

/** Fills in the variables of each function in its hosts. On this machine, only the function itself sees its variables. */
export function fillHosts(manifest: Manifest): Manifest {
  const functions = Object.entries(manifest.functions).map(([name, settings]) => {
    const { environment, permissions } = settings;
    const net = permissions.net.map((host) =>
      fillPlaceholders(host, (variable) => environment[variable] ?? `\${${variable}}`)
    );
    return [name, { ...settings, permissions: { net } }];
  });
  return { ...manifest, functions: Object.fromEntries(functions) };
}

/** The first part of the hosts of each service of the local platform. If a statement allows an action, a function needs no other permission there. */
const LOCAL_SERVICES: Readonly<Record<string, readonly string[]>> = {
  s3: ["s3", "*.s3"],
  sns: ["sns"],
  sqs: ["sqs"],
  events: ["events"],
  lambda: ["lambda"],
  dynamodb: ["dynamodb", "*.ddb"],
};

/** Makes `mate/uses`: one line with the hosts of the resources in `uses`, of the secrets, and of the services that `statements` allow. */
export function usedHosts({ uses, statements, secrets }: FunctionManifest): string {
  const used = (["buckets", "topics", "queues", "tables"] as const).flatMap((kind) =>
    Object.keys(uses[kind]).flatMap((name) => HOSTS[kind](variableOf(kind, name)))
  );
  const allowed = statements.filter(({ Effect }) => Effect === "Allow")
    .flatMap(({ Action = "*" }) => Action).map((action) => action.split(":")[0]!.toLowerCase());
  const kept = secrets.length === 0 ? [] : ["ssm.${AWS_REGION}.amazonaws.com:443"];
  const stated = Object.entries(LOCAL_SERVICES)
    .filter(([service]) => allowed.includes(service) || allowed.includes("*"))
    .flatMap(([, names]) => names)
    .map((name) => `${name}.\${AWS_REGION}.amazonaws.com:443`);
  return `${[...new Set([...used, ...kept, ...stated])].join(",")}\n`;
}
