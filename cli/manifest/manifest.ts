import { z } from "zod";
import { findConflicts } from "./conflicts.ts";
import { RESERVED_VARIABLES } from "./reserved_variables.ts";
import { describeProblems, record } from "./schema.ts";
import { OWN_PATHS } from "./own_paths.ts";

/** An application: its functions, and what triggers them. The local platform and the deployment read the same file. */
export interface Manifest {
  /** The name of the application; prefixes the names of everything that is deployed. */
  readonly name: string;
  /** The stage of the HTTP gateway, the first element of every URL's path. */
  readonly stage: string;
  /** The functions, by name. */
  readonly functions: Readonly<Record<string, FunctionManifest>>;
}

/** One function of an application. */
export interface FunctionManifest {
  /** The module that exports the handler, relative to the manifest. */
  readonly module: string;
  /** The name of the export that is the handler. */
  readonly handler: string;
  /** What the function is for, in up to 256 characters. */
  readonly description: string;
  /** The memory allotted, in MiB: 128 to 10,240. */
  readonly memory: number;
  /** The time an invocation may take, in seconds: 1 to 900. */
  readonly timeout: number;
  /** Further environment variables, of up to 4096 bytes; none of those that Lambda reserves, such as `AWS_REGION`. */
  readonly environment: Readonly<Record<string, string>>;
  /** What the function may do beyond reading its own files, its environment and `/tmp`, and writing to `/tmp`. */
  readonly permissions: {
    /** The hosts it may connect to, such as `api.example.com:443`; `["*"]` for any. */
    readonly net: readonly string[];
  };
  /** What invokes the function. */
  readonly triggers: {
    /** Routes of the HTTP gateway. */
    readonly routes?: readonly RouteTrigger[] | undefined;
    /** A schedule, such as `rate(5 minutes)`. */
    readonly schedule?: string | undefined;
    /** The objects of a bucket. */
    readonly bucket?: BucketTrigger | undefined;
    /** The messages of a topic. */
    readonly topic?: TopicTrigger | undefined;
  };
}

/** A route of the HTTP gateway. */
export interface RouteTrigger {
  /** The method, or `ANY`. */
  readonly method: string;
  /** The path below the stage, such as `/okay` or `/okay/{proxy+}`. In one place all routes have the same variable. */
  readonly path: string;
}

/** A bucket whose notifications invoke a function. */
export interface BucketTrigger {
  /** The name of the bucket within the application. */
  readonly name: string;
  /** The types of events, such as `s3:ObjectCreated:*`; none that another function has of the same bucket. */
  readonly events: readonly string[];
}

/** A topic whose messages invoke a function. */
export interface TopicTrigger {
  /** The name of the topic within the application. */
  readonly name: string;
}

const METHODS = ["ANY", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"] as const;
const NAME = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, {
  error: "must be a lower-case letter, then up to 39 lower-case letters, digits or hyphens",
});

const MEMORY = { error: "must be a whole number from 128 to 10240" };
const TIMEOUT = { error: "must be a whole number from 1 to 900" };

/** The types of events that a bucket has of objects that come and go. */
const EVENTS = [
  "s3:ObjectCreated:*",
  "s3:ObjectCreated:Put",
  "s3:ObjectCreated:Post",
  "s3:ObjectCreated:Copy",
  "s3:ObjectCreated:CompleteMultipartUpload",
  "s3:ObjectRemoved:*",
  "s3:ObjectRemoved:Delete",
  "s3:ObjectRemoved:DeleteMarkerCreated",
] as const;

/** The most that names and values of environment variables may have, in bytes. */
const MAX_ENVIRONMENT = 4096;

const FUNCTION = z.strictObject({
  module: z.string().min(1, { error: "must not be empty" }),
  handler: z.string().regex(/^[A-Za-z_$][\w$]*$/, { error: "must be the name of an export" })
    .default("handler"),
  description: z.string().max(256, { error: "must have at most 256 characters" }).default(""),
  memory: z.int(MEMORY).min(128, MEMORY).max(10_240, MEMORY).default(128),
  timeout: z.int(TIMEOUT).min(1, TIMEOUT).max(900, TIMEOUT).default(3),
  environment: record(
    z.string().regex(/^[A-Za-z]\w+$/, { error: "must be the name of an environment variable" })
      .refine((name) => !RESERVED_VARIABLES.has(name), {
        error: "must be another variable: Lambda reserves it",
      }),
    z.string(),
  ).refine((environment) => byteLength(environment) <= MAX_ENVIRONMENT, {
    error: `must have at most ${MAX_ENVIRONMENT} bytes, names and values together`,
  }).default({}),
  permissions: z.strictObject({
    net: z.array(z.string().min(1, { error: "must not be empty" })).default([]),
  })
    .default({ net: [] }),
  triggers: z.strictObject({
    routes: z.array(z.strictObject({
      method: z.enum(METHODS),
      path: z.string().regex(/^(?=\/)(\/([\w.:-]+|\{\w+\}))*(\/\{\w+\+\})?$|^\/$/, {
        error: "must be a path such as /okay, /items/{id} or /okay/{proxy+}",
      }),
    })).optional(),
    schedule: z.string().regex(
      /^rate\((1 (minute|hour|day)|([2-9]|[1-9]\d+) (minutes|hours|days))\)$/,
      {
        error: "must be a rate such as rate(5 minutes)",
      },
    ).optional(),
    bucket: z.strictObject({
      name: NAME,
      events: z.array(
        z.enum(EVENTS, { error: `must be one of ${EVENTS.join(", ")}` }),
      ).min(1, { error: "must hold at least one type of event" }),
    }).optional(),
    topic: z.strictObject({ name: NAME }).optional(),
  }).default({}),
});

const MANIFEST: z.ZodType<Manifest> = z.strictObject({
  $schema: z.string().optional(),
  name: NAME,
  stage: z.string().regex(/^\w{1,128}$/, { error: "must be 1 to 128 letters, digits or _" })
    .refine((stage) => !OWN_PATHS.includes(stage), {
      error: `must be none of the local platform's own paths: ${OWN_PATHS.join(", ")}`,
    }),
  functions: record(NAME, FUNCTION).refine((functions) => Object.keys(functions).length > 0, {
    error: "must hold at least one function",
  }).superRefine((functions, context) => {
    for (const { path, message } of findConflicts(functions)) {
      context.addIssue({ code: "custom", path: [...path], message });
    }
  }),
});

/**
 * Checks a manifest, and fills in what it leaves out: `handler` (`handler`), `description` (empty), `memory` (128),
 * `timeout` (3), `environment`, `permissions` and `triggers` (none).
 *
 * @param text The text of the manifest: JSON, with or without a byte order mark.
 * @param source How error messages name the manifest, such as its path.
 * @returns The manifest.
 * @throws {SyntaxError} If the text is not JSON.
 * @throws {TypeError} If the JSON is no manifest; the message names every key that is wrong.
 */
export function parseManifest(text: string, source: string): Manifest {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, "")); // RFC 8259, section 8.1: a byte order mark may be ignored
  } catch (error) {
    throw new SyntaxError(`Cannot read the manifest "${source}": ${(error as Error).message}`);
  }
  const result = MANIFEST.safeParse(json);
  if (result.success) return result.data;
  const problems = describeProblems(result.error, "a manifest");
  throw new TypeError(`Cannot use the manifest "${source}": ${problems}`);
}

/**
 * Reads the file of a manifest, and checks it.
 *
 * @param path The path of the manifest.
 * @returns The manifest.
 * @throws {Error} If the file cannot be read, or is not a manifest; the message names the file.
 */
export async function readManifest(path: string): Promise<Manifest> {
  let text;
  try {
    text = await Deno.readTextFile(path);
  } catch (cause) {
    const problem = cause instanceof Deno.errors.NotFound
      ? "there is no such file"
      : (cause as Error).message;
    throw new Error(`Cannot read the manifest "${path}": ${problem}`, { cause });
  }
  return parseManifest(text, path);
}

function byteLength(environment: Readonly<Record<string, string>>): number {
  return new TextEncoder().encode(Object.entries(environment).flat().join("")).length;
}
