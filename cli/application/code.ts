import {
  fillPlaceholders,
  KINDS,
  secretsOf,
  variableOf,
  variablesOf,
} from "../manifest/variables.ts";
import type { FunctionManifest, Manifest, Uses } from "../manifest/types.ts";
import type { Application, FunctionCode } from "./types.ts";

/** Resolves what the bundler and the hosts of functions need of a function. */
export function codeOf(manifest: Manifest, key: string): FunctionCode {
  const settings = manifest.functions[key]!;
  const { module, handler, environment, permissions, packages, statements, uses } = settings;
  return {
    module,
    export: handler,
    packages,
    environment,
    net: permissions.net.map((host) =>
      fillPlaceholders(host, (name) => `\${${name === "region" ? "AWS_REGION" : name}}`)
    ),
    hosts: hostsOf(settings),
    variables: variablesOf(uses),
    secrets: secretsOf(manifest, settings),
    statements,
  };
}

/** The first part of the hosts of the AWS services behind `uses`. The bootstrap replaces `${NAME}` by the environment variable. */
const HOSTS: Readonly<Record<keyof Uses, (variable: string) => readonly string[]>> = {
  buckets: (variable) => [`\${${variable}}.s3`, "s3"],
  topics: () => ["sns"],
  queues: () => ["sqs"],
  tables: () => ["dynamodb", "*.ddb"], // the second is the endpoint of an account, which the AWS SDKs prefer
};

/** The first part of the hosts of each service of the local platform. If a statement allows an action, a function needs no other permission there. */
const LOCAL_SERVICES: Readonly<Record<string, readonly string[]>> = {
  s3: ["s3", "*.s3"],
  sns: ["sns"],
  sqs: ["sqs"],
  events: ["events"],
  lambda: ["lambda"],
  dynamodb: ["dynamodb", "*.ddb"],
};

function hostsOf({ uses, statements, secrets }: FunctionManifest): string[] {
  const used = KINDS.flatMap((kind) =>
    Object.keys(uses[kind]).flatMap((name) => HOSTS[kind](variableOf(kind, name)))
  );
  const allowed = statements.filter(({ Effect }) => Effect === "Allow")
    .flatMap(({ Action = "*" }) => Action).map((action) => action.split(":")[0]!.toLowerCase());
  const kept = secrets.length === 0 ? [] : ["ssm"];
  const stated = Object.entries(LOCAL_SERVICES)
    .filter(([service]) => allowed.includes(service) || allowed.includes("*"))
    .flatMap(([, names]) => names);
  return Array.from(
    new Set([...used, ...kept, ...stated]),
    (name) => `${name}.\${AWS_REGION}.amazonaws.com:443`,
  );
}

/**
 * Finds the variables of resources that the code of a function names, and that nothing sets.
 *
 * @returns A warning for each.
 */
export function missingUses(application: Application, owner: string, bundled: string): string[] {
  const { environment, code } = application.functions[owner]!;
  const set = new Set([
    ...Object.keys(environment),
    ...Object.keys(code.secrets),
    ...code.variables,
  ]);
  const found = new Set(bundled.match(/\b(?:BUCKET|TOPIC|QUEUE|TABLE)_[A-Z0-9_]+/g));
  return KINDS.flatMap((kind) =>
    Object.keys(application[kind]).map((name) => [name, variableOf(kind, name)] as const)
      .filter(([, variable]) => found.has(variable) && !set.has(variable))
      .map(([name, variable]) =>
        `${variable} is undefined: add "${name}" to "uses.${kind}" of "${owner}"`
      )
  );
}
