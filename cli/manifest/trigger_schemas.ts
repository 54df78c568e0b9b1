import { z } from "zod";
import { object } from "./problems.ts";
import { isCron, isRate } from "./schedule_expression.ts";

/** The schema of the name of an application, a function, a bucket, a topic or a queue. */
export const NAME: z.ZodString = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, {
  error: "must be a lower-case letter, then up to 39 lower-case letters, digits or hyphens",
});

/** Makes the schema of a whole number. */
export function whole(min: number, max: number): z.ZodInt {
  const error = `must be a whole number from ${min} to ${max}`;
  const ofInput = ({ input }: { input?: unknown }) => input === undefined ? undefined : error;
  return z.int({ error: ofInput }).min(min, { error }).max(max, { error });
}

const METHODS = ["ANY", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"] as const;

/** The types of events of objects that are created and removed. */
const BUCKET_EVENTS = [
  "s3:ObjectCreated:*",
  "s3:ObjectCreated:Put",
  "s3:ObjectCreated:Post",
  "s3:ObjectCreated:Copy",
  "s3:ObjectCreated:CompleteMultipartUpload",
  "s3:ObjectRemoved:*",
  "s3:ObjectRemoved:Delete",
  "s3:ObjectRemoved:DeleteMarkerCreated",
] as const;

const ROUTE = object({
  method: z.enum(METHODS).meta({ description: "The method of the request; ANY for all" }),
  path: z.string().regex(/^(?=\/)(\/([\w.:-]+|\{\w+\}))*(\/\{\w+\+\})?$|^\/$/, {
    error: "must be a path such as /okay, /items/{id} or /okay/{proxy+}",
  }).refine((path) => !path.includes("/:"), {
    error: ({ input }) =>
      `must have parameters in braces: write ${String(input).replaceAll(/:(\w+)/g, "{$1}")}`,
  }).meta({ description: "The path below the stage, such as /items/{id} or /files/{proxy+}" }),
  authorizer: NAME.optional().meta({
    description: "The function that decides whether a request is allowed (a REQUEST authorizer)",
  }),
  stream: z.boolean().default(false).meta({
    description: "Whether the response is streamed; the handler needs stream: true as well",
  }),
});

const CORS = object({
  origins: z.array(
    z.string().regex(/^(\*|https?:\/\/[^/\s]+)$/, {
      error: "must be an origin such as https://shop.example, or *",
    }),
  ).min(1, { error: "must have at least one origin" }).meta({
    description: "The origins of those pages; * for all",
  }),
  methods: z.array(z.enum(["*", "DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"]))
    .default(["*"]).meta({ description: "The methods that those pages may use; * for all" }),
  headers: z.array(z.string()).default([]).meta({
    description: "The request headers that those pages may send; * for all",
  }),
  exposeHeaders: z.array(z.string()).default([]).meta({
    description: "The response headers that those pages may read",
  }),
  credentials: z.boolean().default(false).meta({
    description: "Whether those pages may send cookies",
  }),
  maxAge: whole(0, 86_400).default(0).meta({
    description: "The time that browsers keep the answer of a preflight request, in seconds",
  }),
}).refine(({ credentials, origins }) => !credentials || !origins.includes("*"), {
  error: "must name the origins if credentials is true: browsers refuse *",
  path: ["origins"],
});

const URL_TRIGGER = object({
  auth: z.enum(["none", "iam"]).default("iam").meta({
    description: "Who may call the URL: everyone (none), or signed requests only (iam)",
  }),
  stream: z.boolean().default(false).meta({
    description: "Whether responses are streamed; the handler needs stream: true as well",
  }),
  cors: CORS.optional().meta({ description: "The pages of other origins that may call the URL" }),
});

const EXPRESSION = z.string().refine((text) => isRate(text) || isCron(text), {
  error: ({ input }) => wordExpression(String(input)),
});

/** Says what is wrong with an expression of a schedule. */
function wordExpression(text: string): string {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(text) ?? [];
  if (count === "1") return `must have the singular after 1: write rate(1 ${unit})`;
  if (count !== undefined && count !== "0") {
    return `must have the plural after ${count}: write rate(${count} ${unit}s)`;
  }
  if (/^cron\(\S+( \S+){4}\)$/.test(text)) {
    return "must have six fields, the year included, such as cron(0 3 * * ? *), and one of the two days must be ?";
  }
  return "must be a rate such as rate(5 minutes), or a cron such as cron(0 3 * * ? *)";
}

const SCHEDULE_OBJECT = object({
  expression: EXPRESSION.meta({
    description: "When the function is invoked: rate(5 minutes) or cron(0 3 * * ? *)",
  }),
  timezone: z.string().refine(isTimeZone, { error: "must be a time zone such as Europe/Paris" })
    .default("UTC").meta({
      description: "The time zone of a cron expression, such as Europe/Paris",
    }),
  input: z.json().optional().meta({
    description: "The event that the function gets; by default the event of EventBridge",
  }),
});

/** A schedule is its expression alone, or an object. */
const SCHEDULE = z.union([EXPRESSION, SCHEDULE_OBJECT], {
  error: "must be an expression such as rate(5 minutes), or an object",
}).transform((value) => typeof value === "string" ? { expression: value, timezone: "UTC" } : value);

/** The operators of event patterns and filter policies. */
const OPERATORS = [
  "anything-but",
  "cidr",
  "equals-ignore-case",
  "exists",
  "numeric",
  "prefix",
  "suffix",
  "wildcard",
];

/** The schema of an event pattern or a filter policy: arrays of values at the ends of objects. */
const PATTERN = z.record(z.string(), z.json()).superRefine((pattern, context) => {
  for (const { path, message } of wrongParts(pattern)) {
    context.addIssue({ code: "custom", path, message });
  }
}).refine((pattern) => Object.keys(pattern).length > 0, { error: "must have at least one key" });

const EVENT = object({
  pattern: PATTERN.meta({ description: 'The event pattern, such as { "source": ["shop"] }' }),
  bus: z.string().regex(/^[\w./-]{1,256}$/, { error: "must be the name of an event bus" })
    .default("default").meta({ description: "The name of an event bus that exists" }),
});

const BUCKET = object({
  name: NAME.meta({ description: "The name of the bucket within the application" }),
  events: z.array(z.enum(BUCKET_EVENTS)).min(1, { error: "must have at least one type of event" })
    .meta({ description: "The types of events that invoke the function" }),
  prefix: z.string().max(1024, { error: "must have at most 1024 characters" }).default("")
    .meta({ description: "The start of the keys of the objects; any by default" }),
  suffix: z.string().max(1024, { error: "must have at most 1024 characters" }).default("")
    .meta({ description: "The end of the keys of the objects; any by default" }),
});

const TOPIC = object({
  name: NAME.meta({ description: "The name of the topic within the application" }),
  filter: PATTERN.optional().meta({
    description: "The filter policy of the subscription, by message attribute",
  }),
});

const QUEUE = object({
  name: NAME.meta({ description: "The name of a queue of the manifest" }),
  batch: whole(1, 10_000).default(10).meta({
    description: "The greatest number of messages in one event; more than 10 need a window",
  }),
  window: whole(0, 300).default(0).meta({
    description: "The time to collect messages for one event, in seconds",
  }),
  concurrency: whole(2, 1000).optional().meta({
    description: "The greatest number of invocations at a time for this queue",
  }),
}).refine(({ batch, window }) => batch <= 10 || window > 0, {
  error: "must be at least 1 if batch is more than 10",
  path: ["window"],
});

/** The schema of everything that invokes a function. */
export const TRIGGERS = object({
  routes: z.array(ROUTE).default([]).meta({
    description:
      "The routes of the HTTP gateway, an API Gateway REST API, that lead to the function",
  }),
  url: URL_TRIGGER.optional().meta({ description: "An HTTPS address of the function's own" }),
  schedules: z.array(SCHEDULE).default([]).meta({
    description: "The times at which the function is invoked: an expression alone, or an object",
  }),
  events: z.array(EVENT).default([]).meta({
    description: "The events of Amazon EventBridge that invoke the function",
  }),
  buckets: z.array(BUCKET).default([]).meta({
    description:
      "The changes of objects in Amazon S3 buckets that invoke the function. A bucket that is named here is created",
  }),
  topics: z.array(TOPIC).default([]).meta({
    description:
      "The Amazon SNS topics whose messages invoke the function. A topic that is named here is created",
  }),
  queues: z.array(QUEUE).default([]).meta({
    description: "The Amazon SQS queues whose messages invoke the function",
  }),
}).meta({ description: "Everything that invokes the function" });

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

/** Finds what ends in neither a non-empty array nor an object, and the values that are unknown operators. */
function* wrongParts(
  value: unknown,
  path: string[] = [],
): Generator<{ path: string[]; message: string }> {
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, item] of value.entries()) {
      if (typeof item !== "object" || item === null) continue;
      const [name = "", ...others] = Object.keys(item);
      if (others.length === 0 && OPERATORS.includes(name)) continue;
      const message = `must be a value, or an object with one of ${OPERATORS.join(", ")}`;
      yield { path: [...path, String(index)], message };
    }
  } else if (Array.isArray(value) || typeof value !== "object" || value === null) {
    yield { path, message: "must be an array of values, or an object" };
  } else {
    for (const [key, child] of Object.entries(value)) {
      // The values of "$or" are patterns.
      const isOr = key === "$or" && Array.isArray(child);
      for (const [index, item] of isOr ? child.entries() : [[undefined, child] as const]) {
        yield* wrongParts(item, [...path, key, ...(index === undefined ? [] : [String(index)])]);
      }
    }
  }
}
