import { isIPv6 } from "node:net";
import { z } from "zod";
import {
  fillPlaceholders,
  hasKnownPlaceholders,
  PLACEHOLDERS,
  placeholdersIn,
  variablesOf,
} from "./variables.ts";
import { object } from "./problems.ts";
import { NAME, TRIGGERS, whole } from "./trigger_schemas.ts";

/**
 * The environment variables that Lambda sets, and refuses in a function's configuration. Those that start with `_` are not
 * among them: no function can have such a variable.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
const RESERVED_VARIABLES: ReadonlySet<string> = new Set([
  "AWS_ACCESS_KEY",
  "AWS_ACCESS_KEY_ID",
  "AWS_DEFAULT_REGION",
  "AWS_EXECUTION_ENV",
  "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
  "AWS_LAMBDA_FUNCTION_NAME",
  "AWS_LAMBDA_FUNCTION_VERSION",
  "AWS_LAMBDA_INITIALIZATION_TYPE",
  "AWS_LAMBDA_LOG_GROUP_NAME",
  "AWS_LAMBDA_LOG_STREAM_NAME",
  "AWS_LAMBDA_MAX_CONCURRENCY",
  "AWS_LAMBDA_METADATA_API",
  "AWS_LAMBDA_METADATA_TOKEN",
  "AWS_LAMBDA_RUNTIME_API",
  "AWS_REGION",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "LAMBDA_RUNTIME_DIR",
  "LAMBDA_TASK_ROOT",
]);

/** The most bytes of the names and values of environment variables. */
const MAX_ENVIRONMENT = 4096;

const WRONG_PLACEHOLDER = { error: `must have no placeholders except ${PLACEHOLDERS}` };

/** The schema of a text with placeholders. */
const TEXT = z.string().refine(hasKnownPlaceholders, WRONG_PLACEHOLDER);

const HOST_PATTERN =
  /^(?:(?:\*\.)?[\w-]+(?:\.[\w-]+)*|\[(?<address>[^\]%]*)\])(?::(?<port>\d{1,5}))?$/;

const HOST = z.string().refine(
  (host) => host === "*" || isHost(fillPlaceholders(host, () => "x")),
  { error: "must be a host such as api.example.com:443, or *" },
);

const ENVIRONMENT = z.record(
  z.string().regex(/^[A-Za-z]\w+$/, {
    error: "must be the name of an environment variable, such as TABLE_NAME",
  })
    .refine((name) => !RESERVED_VARIABLES.has(name), {
      error: "must be another variable: Lambda reserves it",
    }),
  TEXT,
).refine((environment) => byteLength(environment) <= MAX_ENVIRONMENT, {
  error: `must have at most ${MAX_ENVIRONMENT} bytes, names and values together`,
});

const ACTION = z.string().regex(/^(\*|[a-z0-9-]+:[\w*?]+)$/i, {
  error: "must be an action such as dynamodb:GetItem",
});

/** IAM's own variables, such as `${aws:username}`, are not placeholders. */
const RESOURCE = z.string().refine(
  (text) => hasKnownPlaceholders(text.replaceAll(/\$\{(\w+:[^}]*|[*?$])\}/g, "")),
  WRONG_PLACEHOLDER,
).refine((text) => text === "*" || text.startsWith("arn:") || text.startsWith("${infra."), {
  error: "must be an ARN such as arn:aws:s3:::name, or *",
});

const STATEMENT = object({
  Sid: z.string().regex(/^[A-Za-z0-9]+$/, { error: "must be letters and digits" }).optional()
    .meta({ description: "An identifier of the statement" }),
  Effect: z.enum(["Allow", "Deny"]).meta({
    description: "Whether the statement allows or denies the actions",
  }),
  Action: oneOrMore(ACTION).meta({ description: "The actions, such as dynamodb:GetItem" }),
  Resource: oneOrMore(RESOURCE).meta({
    description: `The ARNs of the resources, or *. They may contain ${PLACEHOLDERS}`,
  }),
  Condition: z.record(z.string(), z.json()).optional().meta({
    description: "The conditions under which the statement applies, as IAM takes them",
  }),
});

const USES = object({
  buckets: z.record(NAME, z.enum(["read", "write", "read-write"])).default({})
    .meta({
      description:
        "The buckets by name, and what the function does with each. BUCKET_NAME is the name of the bucket in the account",
    }),
  topics: z.record(NAME, z.enum(["publish"])).default({})
    .meta({ description: "The topics by name. TOPIC_NAME is the ARN of the topic" }),
  queues: z.record(NAME, z.enum(["send"])).default({}).meta({
    description: "The queues by name. QUEUE_NAME is the URL of the queue",
  }),
});

/** The schema of a function. */
export const FUNCTION = object({
  module: z.string().min(1, { error: "must not be empty" })
    .meta({ description: "The module that exports the handler, relative to the manifest" }),
  handler: z.string().regex(/^[A-Za-z_$][\w$]*$/, { error: "must be the name of an export" })
    .default("handler").meta({ description: "The name of the export that is the handler" }),
  description: z.string().max(256, { error: "must have at most 256 characters" }).default("")
    .meta({ description: "The purpose of the function, as the AWS console shows it" }),
  memory: whole(128, 10_240).default(128).meta({
    description: "The memory in MiB. The share of a processor grows with it",
  }),
  timeout: whole(1, 900).default(3)
    .meta({ description: "The longest time of an invocation in seconds" }),
  reservedConcurrency: whole(0, 1000).optional().meta({
    description:
      "The number of invocations at a time that are reserved for the function and that limit it",
  }),
  environment: ENVIRONMENT.default({})
    .meta({ description: `The environment variables. Their values may contain ${PLACEHOLDERS}` }),
  permissions: object({
    net: z.array(HOST).default([])
      .meta({
        description:
          "The hosts that the function may connect to, such as api.example.com:443; * for all. ${region} and ${NAME} of a variable of the function stand for their values. The hosts of the resources in uses are permitted already",
      }),
  }).default({ net: [] }).meta({
    description: "The permissions of Deno, besides those for the function's own files and /tmp",
  }),
  triggers: TRIGGERS.prefault({}),
  uses: USES.prefault({}).meta({
    description:
      "The resources that the function works with. Each entry grants the IAM permission and the network, and sets an environment variable",
  }),
  statements: z.array(STATEMENT).default([])
    .meta({ description: "Further statements of the IAM policy of the function's role" }),
}).superRefine(({ environment, permissions, uses }, context) => {
  for (const [index, host] of permissions.net.entries()) {
    const names = ["region", ...Object.keys(environment)];
    if (placeholdersIn(host).every((name) => names.includes(name))) continue;
    const message = "must have no placeholders except ${region} and the function's own variables";
    context.addIssue({ code: "custom", path: ["permissions", "net", index], message });
  }
  for (const name of variablesOf(uses)) {
    if (!Object.hasOwn(environment, name)) continue;
    const message = 'must be another variable: "uses" sets it';
    context.addIssue({ code: "custom", path: ["environment", name], message });
  }
});

function oneOrMore<T extends z.ZodString>(
  schema: T,
): z.ZodUnion<readonly [T, z.ZodArray<T>]> {
  return z.union([schema, z.array(schema).min(1, { error: "must not be empty" })], {
    error: "must be a string or an array of strings",
  });
}

function byteLength(environment: Readonly<Record<string, string>>): number {
  return new TextEncoder().encode(Object.entries(environment).flat().join("")).length;
}

/**
 * Tells whether Deno accepts a text as a host in `--allow-net`.
 *
 * @param text The text, such as `api.example.com:443`, `*.example.com` or `[::1]:80`. A port is 1 to 65,535.
 */
function isHost(text: string): boolean {
  const { groups } = HOST_PATTERN.exec(text) ?? {};
  if (groups === undefined) return false;
  const { address, port = "1" } = groups;
  return (address === undefined || isIPv6(address)) && Number(port) >= 1 && Number(port) <= 65_535;
}
