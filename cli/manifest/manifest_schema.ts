import { z } from "zod";
import { findConflicts } from "./conflicts.ts";
import { FUNCTION } from "./function_schema.ts";
import { object } from "./problems.ts";
import { NAME, whole } from "./trigger_schemas.ts";
import type { Manifest } from "./types.ts";

/** The first elements of paths that are the local platform's own: no stage can have such a name. */
export const OWN_PATHS: readonly string[] = [
  "2015-03-31",
  "2021-11-15",
  "assets",
  "buckets",
  "events",
  "favicon.ico",
  "log",
  "queues",
  "schedules",
  "topics",
];

const QUEUE = object({
  fifo: z.boolean().default(false)
    .meta({ description: "Whether the queue is a FIFO queue, which keeps the order of messages" }),
  retries: whole(0, 999).default(3).meta({
    description:
      "How often a failed message is delivered again before it goes to the dead-letter queue",
  }),
  visibility: whole(0, 43_200).default(30).meta({
    description:
      "The time that a delivered message is invisible to other receivers, in seconds; at least the timeout of the function that reads the queue",
  }),
});

/** The schema of a manifest. */
export const MANIFEST: z.ZodType<Manifest> = object({
  $schema: z.string().optional().meta({ description: "The URL of this JSON Schema, for editors" }),
  name: NAME.meta({
    description:
      "The name of the application. The names of everything in the account begin with it",
  }),
  stage: z.string().regex(/^\w{1,128}$/, { error: "must be 1 to 128 letters, digits or _" })
    .refine((stage) => !OWN_PATHS.includes(stage), {
      error: `must not be a path of the local platform: ${OWN_PATHS.join(", ")}`,
    }).meta({ description: "The stage of the HTTP gateway: the first element of every path" }),
  region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, {
    error: "must be an AWS Region such as eu-west-1",
  }).optional().meta({
    description:
      "The AWS Region to deploy to; by default the region of AWS_REGION or of your profile",
  }),
  architecture: z.enum(["x86_64", "arm64"]).default("x86_64")
    .meta({ description: "The processor of the functions; arm64 costs less" }),
  tracing: z.boolean().default(false)
    .meta({ description: "Whether AWS X-Ray traces requests and invocations" }),
  state: z.string().regex(/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\/\S+$/, {
    error: "must be an S3 URL such as s3://bucket/key",
  }).optional().meta({
    description:
      "The place of the deployment's state in a bucket that exists; by default .mate/deploy/ beside the manifest",
  }),
  functions: z.record(
    NAME.refine((name) => !/^layer-(arm64|x86_64)$/.test(name), {
      error: "must be another name: the layer's zip has this name",
    }),
    FUNCTION,
  ).refine((functions) => Object.keys(functions).length > 0, {
    error: "must have at least one function",
  }).meta({ description: "The functions by name, at least one" }),
  queues: z.record(NAME, QUEUE).default({}).meta({
    description: "The Amazon SQS queues by name. Each gets a dead-letter queue",
  }),
}).superRefine((manifest, context) => {
  for (const { path, message } of findConflicts(manifest)) {
    context.addIssue({ code: "custom", path: [...path], message });
  }
});
