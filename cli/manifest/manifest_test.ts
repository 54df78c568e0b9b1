import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Ajv } from "ajv";
import { succeed, temporaryFolder } from "../../testdata/programs.ts";
import { FULL, manifestText, withF, withFunctions, withTriggers } from "../testdata/manifest.ts";
import { parseManifest, readManifest } from "./manifest.ts";
import schema from "./schema.json" with { type: "json" };

const parse = (text: string, stage?: string) => parseManifest(text, "app.json", stage);

Deno.test("parseManifest() fills in the defaults", () => {
  const text = withTriggers({
    routes: [{ method: "GET", path: "/" }],
    url: { cors: { origins: ["*"] } },
    schedules: ["rate(1 hour)"],
    events: [{ pattern: { source: ["shop"] } }],
    buckets: [{ name: "files", events: ["s3:ObjectCreated:*"] }],
    queues: [{ name: "jobs" }],
    tables: [{ name: "orders" }],
  });
  const cors = { methods: ["*"], headers: [], exposeHeaders: [], credentials: false, maxAge: 0 };
  assertEquals(parse(text), {
    name: "app",
    stage: "v0",
    architecture: "x86_64",
    runtime: "deno",
    tracing: false,
    gateway: "rest",
    authorizers: {},
    queues: {
      jobs: { fifo: false, retries: 3, visibility: 30 },
      ordered: { fifo: true, retries: 3, visibility: 30 },
    },
    buckets: {},
    tables: { orders: { key: { id: "string" }, indexes: {} } },
    settings: {
      logs: { days: 14, format: "Text", requests: false },
      binaryMediaTypes: ["*/*"],
      throttle: { rate: 100, burst: 200 },
      tags: {},
    },
    functions: {
      f: {
        module: "f.ts",
        handler: "handler",
        runtime: "deno",
        description: "",
        memory: 128,
        timeout: 3,
        ephemeralStorage: 512,
        environment: {},
        secrets: [],
        packages: [],
        authorizes: "request",
        ttl: 0,
        identity: ["header.Authorization"],
        permissions: { net: [] },
        triggers: {
          routes: [{ method: "GET", path: "/", scopes: [], stream: false }],
          url: { auth: "iam", stream: false, cors: { origins: ["*"], ...cors } },
          schedules: [{ expression: "rate(1 hour)", timezone: "UTC" }],
          events: [{ pattern: { source: ["shop"] }, bus: "default" }],
          buckets: [{ name: "files", events: ["s3:ObjectCreated:*"], prefix: "", suffix: "" }],
          topics: [],
          queues: [{ name: "jobs", batch: 10, window: 0 }],
          tables: [{ name: "orders", batch: 100, window: 0, retries: 3 }],
        },
        uses: { buckets: {}, topics: {}, queues: {}, tables: {} },
        statements: [],
      },
    },
  });
  const { functions, queues } = parse(manifestText());
  const kinds = ["routes", "schedules", "events", "buckets", "topics", "queues", "tables"];
  const none = Object.fromEntries(kinds.map((kind) => [kind, []]));
  assertEquals<unknown>([functions.f!.triggers, queues], [none, {}]);
});

Deno.test("parseManifest() gives each function the defaults that it does not override", () => {
  const text = JSON.stringify({
    name: "app",
    stage: "v0",
    defaults: {
      memory: 256,
      timeout: 10,
      environment: { CURRENCY: "EUR", LANGUAGE: "de" },
      secrets: ["TOKEN"],
      permissions: { net: ["example.com"] },
    },
    functions: {
      plain: { module: "plain.ts" },
      own: {
        module: "own.ts",
        memory: 128,
        environment: { LANGUAGE: "fr", OWN: "x" },
        secrets: [],
        permissions: {},
      },
    },
    stages: {
      prod: {
        defaults: { memory: 1024, environment: { CURRENCY: "USD" } },
        functions: { own: { memory: null } },
      },
    },
  });
  const settings = ({ functions }: ReturnType<typeof parse>, name: string) => {
    const { memory, timeout, ephemeralStorage, environment, secrets, permissions } =
      functions[name]!;
    return [memory, timeout, ephemeralStorage, environment, secrets, permissions.net];
  };
  const manifest = parse(text);
  const shared = { CURRENCY: "EUR", LANGUAGE: "de" };
  const own = { CURRENCY: "EUR", LANGUAGE: "fr", OWN: "x" };
  assertEquals(settings(manifest, "plain"), [256, 10, 512, shared, ["TOKEN"], ["example.com"]]);
  assertEquals(settings(manifest, "own"), [128, 10, 512, own, [], []]);
  assertEquals("defaults" in manifest, false);
  const prod = parseManifest(text, "app.json", "prod");
  const dear = { CURRENCY: "USD" };
  assertEquals(settings(prod, "plain").slice(0, 4), [1024, 10, 512, { ...shared, ...dear }]);
  assertEquals(settings(prod, "own").slice(0, 4), [1024, 10, 512, { ...own, ...dear }]);
});

Deno.test("parseManifest() accepts everything that a manifest can have", () => {
  const { $schema: _, ...wanted } = JSON.parse(FULL);
  const found = parse(FULL);
  assertEquals(found.functions.orders!.statements, wanted.functions.orders.statements);
  assertEquals(found.functions.orders!.uses, wanted.functions.orders.uses);
  assertEquals(found.state, wanted.state);
});

Deno.test("a function has its own runtime, or that of the manifest or of the stage", () => {
  const functions = { own: { module: "f.ts", runtime: "nodejs22.x" }, other: { module: "f.ts" } };
  const text = manifestText({ functions, stages: { prod: { runtime: "nodejs24.x" } } });
  const runtimesOf = (stage?: string) =>
    Object.values(parse(text, stage).functions).map(({ runtime }) => runtime);
  assertEquals(runtimesOf(), ["nodejs22.x", "deno"]);
  assertEquals(runtimesOf("prod"), ["nodejs22.x", "nodejs24.x"]);
  const net = { runtime: "nodejs24.x", permissions: { net: ["api.example.com:443"] } };
  const expected = "must be empty, because Node.js (nodejs24.x) does not limit the network";
  assertThrows(() => parse(withF(net)), TypeError, `"functions.f.permissions.net" ${expected}`);
});

Deno.test("the JSON Schema accepts these manifests and every example in an editor too, and describes every key", async () => {
  const isValid = new Ajv({ strict: false, logger: false }).compile(schema); // without our formats
  const files = ["app.json", "shop/app.json"]
    .map((path) => new URL(`../../examples/${path}`, import.meta.url));
  const examples = await Promise.all(files.map((file) => Deno.readTextFile(file)));
  for (const text of [manifestText(), FULL, ...examples]) {
    assertEquals(isValid(JSON.parse(text)), true, JSON.stringify(isValid.errors));
  }
  assertEquals([...undescribed(schema, "")], []);
});

/** The paths of the keys without a description. */
function* undescribed(value: unknown, path: string): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  const { properties, items, additionalProperties } = value as Record<string, unknown>;
  for (const [key, child] of Object.entries(properties ?? {})) {
    if (!["description", "$ref"].some((name) => Object.hasOwn(child, name))) yield `${path}.${key}`;
    yield* undescribed(child, `${path}.${key}`);
  }
  for (const child of [items, additionalProperties]) yield* undescribed(child, path);
}

Deno.test("parseManifest() ignores a byte order mark", () => {
  assertEquals(parse(`\uFEFF${manifestText()}`), parse(manifestText()));
});

Deno.test("parseManifest() accepts what AWS accepts", () => {
  const names = ["AWS_LAMBDA_EXEC_WRAPPER", "LANG", "NODE_PATH", "PATH", "TZ"];
  const bucket = (name: string, event: string, rest = {}) => ({
    buckets: [{ name, events: [event], ...rest }],
  });
  for (
    const text of [
      withF({ environment: Object.fromEntries(names.map((name) => [name, "x"])) }),
      withF({ environment: { COST: "5 $", SHELL_TEXT: "$HOME" } }),
      withTriggers({ topics: [{ name: "n", filter: { a: { b: [1] } }, filterScope: "body" }] }),
      withF({
        statements: [{
          Effect: "Deny",
          NotAction: "s3:*",
          NotResource: "arn:aws:s3:::a",
          Condition: {
            stringlikeifexists: { a: ["b"] },
            "ForAllValues:ArnNotLike": { a: "b" },
            Null: { a: "true" },
          },
        }],
      }),
      withFunctions(route("/a/{x}"), route("/b/{y}")),
      withFunctions(route("/a/{x}"), route("/a/{x}/{y}")),
      withFunctions(route("/{x}"), route("/a/{y}")),
      withFunctions(route("/a"), route("/a", "POST")),
      withFunctions(
        bucket("files", "s3:ObjectCreated:Put"),
        bucket("files", "s3:ObjectCreated:Copy"),
      ),
      withFunctions(bucket("files", "s3:ObjectCreated:*"), bucket("files", "s3:ObjectRemoved:*")),
      withFunctions(bucket("files", "s3:ObjectCreated:*"), bucket("others", "s3:ObjectCreated:*")),
      withFunctions(
        bucket("files", "s3:ObjectCreated:*", { prefix: "a/" }),
        bucket("files", "s3:ObjectCreated:*", { prefix: "b/" }),
        bucket("files", "s3:ObjectRemoved:*", { prefix: "b/" }),
      ),
      withFunctions(
        bucket("files", "s3:ObjectCreated:*", { suffix: ".csv" }),
        bucket("files", "s3:ObjectCreated:*", { suffix: ".txt" }),
      ),
      withTriggers({ schedules: ["cron(0/15 8-17 ? * MON-FRI *)", "cron(0 0 L * ? 2030)"] }),
      withTriggers({ schedules: ["cron(0 0 ? * SUN,MON,TUE,WED,THU,FRI,SAT *)"] }),
      withTriggers({ schedules: ["cron(0 9 ? JAN,JUN 6#3 *)", "cron(5 0 15W * ? *)"] }),
      withTriggers({ events: [{ pattern: { $or: [{ source: ["a"] }, { account: ["b"] }] } }] }),
      withTriggers({ events: [{ pattern: { detail: { total: [{ numeric: [">", 5] }] } } }] }),
      withTriggers({ schedules: ["cron(0/59 * ? * 2L *)"], ...bucketOf("b".repeat(36)) }),
      withTriggers({ queues: [{ name: "ordered", batch: 10 }] }),
      withF({ statements: [{ Effect: "Deny", Action: "s3:*", Resource: ["*"] }] }),
      withF({ statements: [{ Effect: "Allow", Action: "*", Resource: "${infra.table_arn}" }] }),
    ]
  ) {
    parse(text);
  }
});

const bucketOf = (name: string, settings: Record<string, unknown> = {}) => ({
  buckets: [{ name, events: ["s3:ObjectCreated:*"], ...settings }],
});

/** A valid manifest with every kind of trigger. Each test sets one wrong value. */
const BASE = {
  name: "app",
  stage: "v0",
  cors: { origin: "https://app.example" },
  functions: {
    f: {
      module: "f.ts",
      environment: {},
      secrets: ["TOKEN"],
      packages: ["pdfkit"],
      identity: ["header.Authorization"],
      permissions: { net: ["example.com"] },
      triggers: {
        routes: [{ method: "GET", path: "/okay" }],
        url: { cors: { origins: ["*"] } },
        schedules: ["rate(1 hour)", { expression: "cron(0 3 * * ? *)" }],
        events: [{ pattern: { source: ["shop"] } }],
        ...bucketOf("files"),
        topics: [{ name: "news" }],
        queues: [{ name: "jobs" }],
        tables: [{ name: "orders" }],
      },
      uses: { buckets: {}, topics: {}, queues: {}, tables: {} },
      statements: [{ Effect: "Allow", Action: "s3:GetObject", Resource: "*" }],
    },
  },
  queues: { jobs: { visibility: 1000 }, ordered: { fifo: true } },
  buckets: { files: { cors: { origins: ["*"] } } },
  tables: { orders: { key: { id: "string" }, indexes: { "by-id": { key: { id: "string" } } } } },
  settings: {
    logs: {},
    throttle: {},
    binaryMediaTypes: ["*/*"],
    tags: {},
    domain: { name: "shop.example", certificate: "${infra.certificate}" },
    vpc: { subnets: ["${infra.subnet}"], securityGroups: ["sg-1"] },
    alarms: { topic: "${infra.pager}" },
  },
  stages: { prod: { settings: { domain: null } } },
};

/** The valid manifest with another value at a path, or without the path if the value is `undefined`. */
function withValue(path: string, value: unknown): string {
  const manifest = structuredClone(BASE);
  const keys = path.split(".");
  let owner = manifest as Record<string, unknown>;
  for (const key of keys.slice(0, -1)) {
    assert(owner[key], `BASE of this file has no "${key}" of "${path}": write it there`);
    owner = owner[key] as Record<string, unknown>;
  }
  owner[keys.at(-1)!] = value;
  return JSON.stringify(manifest);
}

const whole = (min: number, max: number) => `must be a whole number from ${min} to ${max}`;
const NAME = "must be a lower-case letter, then up to 39 lower-case letters, digits or hyphens";
const PATH = "must be a path such as /okay, /items/{id} (not /items/:id) or /okay/{proxy+}";
const ORIGIN = "must be an origin such as https://app.example, without a path";
const QUEUE = 'must be a queue of the manifest\'s "queues": expected one of jobs, ordered';
const METHODS = '"ANY", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"';
const KNOWN_PLACEHOLDERS =
  "must have no placeholders except ${region}, ${account} and ${infra.NAME}";
const OWN_PLACEHOLDERS =
  "must have no placeholders except ${region} and the function's own variables, which may be ${infra.NAME}";
const MEDIA_TYPE = "must be a media type such as image/png, image/* or */*, without parameters";
const DOMAIN =
  "must be a domain such as shop.example, in lower case, or an output such as ${infra.domain}";
const RATE_OR_CRON = "must be a rate such as rate(5 minutes), or a cron such as cron(0 3 * * ? *)";
const SIX_FIELDS =
  "must have six fields, the year included, such as cron(0 3 * * ? *), and one of the two days must be ?";
const ONE_DAY =
  "must have ? for one of its two days, the third or the fifth field, such as cron(0 3 * * ? *)";
const RESERVED = "must be another variable: AWS Lambda reserves it";
const VARIABLE =
  "must be the name of an environment variable with two characters or more, such as TABLE_NAME";
const SOURCE =
  "must be a source: header.NAME, querystring.NAME, context.httpMethod, context.path, context.resourcePath, context.routeKey, context.identity.sourceIp or context.identity.userAgent";
const OPERATORS =
  "must be a value, or an object with one of anything-but, cidr, equals-ignore-case, exists, numeric, prefix, suffix, wildcard";
const BUCKET_EVENTS =
  '"s3:ObjectCreated:*", "s3:ObjectCreated:Put", "s3:ObjectCreated:Post", "s3:ObjectCreated:Copy", "s3:ObjectCreated:CompleteMultipartUpload", "s3:ObjectRemoved:*", "s3:ObjectRemoved:Delete", "s3:ObjectRemoved:DeleteMarkerCreated"';
const DAYS =
  "0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653";
const TAG = "must be a tag of 1 to 128 characters, but not application, stage, managed-by or aws:…";
const ATTRIBUTE = "must be the name of an attribute: 1 to 255 characters, and not only digits";
const TABLE = 'must be a table of the manifest\'s "tables": expected one of orders';
const KEYS = "must have one or two attributes: the partition key, then the sort key";

/** Wrong values by the start of their paths. The message begins with the whole path. */
const WRONG: Record<string, readonly [path: string, value: unknown, message: string][]> = {
  "": [
    ["name", undefined, "is missing: expected a string"],
    ["name", 5, "must be a string"],
    ["name", "App", NAME],
    ["naem", "x", 'is not a key of a manifest: did you mean "name"?'],
    [
      "foo",
      1,
      "is not a key of a manifest: expected one of $schema, name, stage, region, architecture, runtime, tracing, gateway, authorizers, cors, state, provider, defaults, api, functions, queues, buckets, tables, settings, stages",
    ],
    ["stage", "v/0", "must be 1 to 128 letters, digits or _"],
    ["region", "Ireland", "must be an AWS Region such as eu-west-1"],
    ["architecture", "x64", 'must be one of "x86_64", "arm64"'],
    ["runtime", "nodejs20.x", 'must be one of "deno", "nodejs22.x", "nodejs24.x", "nodejs26.x"'],
    ["tracing", "yes", "must be true or false"],
    ["cors.origin", "https://app.example/", ORIGIN],
    ["cors.origin", "*", ORIGIN],
    ["state", "s3://bucket", "must be an S3 URL such as s3://bucket/key"],
    ["functions", {}, "must have at least one function"],
    ["functions.F", { module: "f.ts" }, NAME],
    [
      "functions.layer-arm64",
      BASE.functions.f,
      "must be another name: the layer's zip has this name",
    ],
    ["functions.f", "f.ts", "must be an object"],
    ["queues.jobs.retries", 1000, whole(0, 999)],
    ["queues.jobs.visibility", 43_201, whole(0, 43_200)],
    ["queues.jobs.visibility", 2, 'must be at least 3, the timeout of "f", which reads the queue'],
    ["queues.FIFO", {}, NAME],
    ["buckets.Files", {}, NAME],
    ["settings.logs.days", 2, `must be one of ${DAYS}`],
    ["settings.throttle.rate", 0, whole(1, 10_000)],
    ["settings.binaryMediaTypes.0", "png", MEDIA_TYPE],
    ["settings.binaryMediaTypes.0", "text/plain; charset=utf-8", MEDIA_TYPE],
    ["settings.binaryMediaTypes.0", "*/png", MEDIA_TYPE],
    ["settings.tags.stage", "x", TAG],
    ["settings.tags.aws:x", "x", TAG],
    ["settings.domain.name", "Shop", DOMAIN],
    ["settings.domain.name", "${infra.}", KNOWN_PLACEHOLDERS],
    ["settings.domain.name", "shop.${infra.zone}", DOMAIN],
    ["settings.vpc.subnets", [], "must have at least one subnet"],
    [
      "settings.alarms.topic",
      "pager",
      "must be the ARN of a topic, or an output such as ${infra.pager_arn}",
    ],
    [
      "stages.prod-2",
      {},
      "must be a lower-case letter, then up to 19 lower-case letters or digits",
    ],
    ["stages.prod.name", "x", "must be the same in all stages"],
    ["buckets.files.cors.methods", [], "must have at least one method"],
    ["tables.orders.key", {}, KEYS],
    ["tables.orders.key", { a: "string", b: "string", c: "string" }, KEYS],
    ["tables.orders.key.1", "string", ATTRIBUTE],
    ["tables.orders.key.id", "text", 'must be one of "string", "number", "binary"'],
    [
      "tables.orders.indexes.by",
      { key: { id: "string" } },
      "must be 3 to 255 letters, digits, _, - or .",
    ],
    [
      "tables.orders.indexes.by-id.key.id",
      "number",
      'must be "string", as in another key of the table',
    ],
  ],
  "functions.f.": [
    ["module", undefined, "is missing: expected a string"],
    ["module", "", "must not be empty"],
    ["handler", "a b", "must be the name of an export"],
    ["memry", 256, 'is not a key of "functions.f": did you mean "memory"?'],
    ["memory", 127, whole(128, 10_240)],
    ["packages", "pdfkit", "must be an array"],
    ["packages.0", "../pdfkit", "must be the name of an npm package"],
    ["timeout", 901, whole(1, 900)],
    ["timeout", 1.5, whole(1, 900)],
    ["description", "x".repeat(257), "must have at most 256 characters"],
    ["reservedConcurrency", -1, whole(0, 1000)],
    ["environment.1A", "", VARIABLE],
    ["environment.N", "", VARIABLE],
    ["environment.PORT", 80, "must be a string"],
    ["environment.AWS_REGION", "x", RESERVED],
    ["environment.LAMBDA_TASK_ROOT", "x", RESERVED],
    ["secrets", "TOKEN", "must be an array"],
    ["secrets.0", "my-token", VARIABLE],
    ["secrets.0", "AWS_SESSION_TOKEN", RESERVED],
    [
      "secrets.0",
      "https_proxy",
      'must be in "environment": Deno reads a proxy before it reads secrets',
    ],
    ["ttl", 3601, whole(0, 3600)],
    ["ttl", -1, whole(0, 3600)],
    ["identity", [], "must have at least one source"],
    ["identity.0", "Authorization", SOURCE],
    ["identity.0", "header.", SOURCE],
    ["identity.0", "body.token", SOURCE],
    ["identity.0", "context.requestId", SOURCE],
    ["authorizes", "TOKEN", 'must be one of "request", "token", "simple"'],
    ["validation", "^Bearer", 'needs "authorizes": "token"'],
    ["validation", "(", "must be a regular expression"],
    ["permissions.net", "*", "must be an array"],
    ["permissions.net.0", "s3.${regoin}.amazonaws.com", OWN_PLACEHOLDERS],
    ["permissions.net.0", "${infra.search_host}", OWN_PLACEHOLDERS],
    ["permissions.read", [], 'is not a key of "functions.f.permissions": expected one of net'],
    ["uses.buckets.uploads", "all", 'must be one of "read", "write", "read-write"'],
    ["uses.topics.news", "read", 'must be "publish"'],
    ["uses.queues.job", "send", QUEUE],
    ["uses.tables.order", "read", TABLE],
    ["statements.0.Effect", "allow", 'must be one of "Allow", "Deny"'],
    ["statements.0.Action", "GetObject", "must be an action such as dynamodb:GetItem"],
    ["statements.0.Action", [], "must not be empty"],
    ["statements.0.Action", 5, "must be a string or an array"],
    ["statements.0.Resource", "table", "must be an ARN such as arn:aws:s3:::name, or *"],
    ["statements.0.Sid", "a b", "must be letters and digits"],
  ],
  "functions.f.triggers.": [
    ["bucket", {}, 'is not a key of "functions.f.triggers": did you mean "buckets"?'],
    ["routes.0.path", "okay", PATH],
    ["routes.0.path", "/e/:id", PATH],
    ["routes.0.method", "get", `must be one of ${METHODS}`],
    ["routes.0.method", undefined, `is missing: expected one of ${METHODS}`],
    [
      "routes.0.authorizer",
      "g",
      "must be a function or an authorizer of the manifest: add the function first",
    ],
    ["routes.0.authorizer", "f", "must be another function than the function of the route"],
    ["url", true, "must be an object"],
    ["url.auth", "None", 'must be one of "none", "iam"'],
    ["url.cors.origins", [], "must have at least one origin"],
    ["url.cors.origins.0", "shop.example", "must be an origin such as https://shop.example, or *"],
    ["url.cors.maxAge", 86_401, whole(0, 86_400)],
    ...[
      "rate(0 hours)",
      "5 minutes",
    ].map((text): [string, string, string] => ["schedules.0", text, RATE_OR_CRON]),
    ["schedules.0", "cron(60 3 * * ? *)", 'must have a minute such as 0/15 in place of "60"'],
    ["schedules.0", "rate(1 hours)", "must have the singular after 1: write rate(1 hour)"],
    ["schedules.0", "rate(5 minute)", "must have the plural after 5: write rate(5 minutes)"],
    ["schedules.0", "cron(0 3 * * ?)", SIX_FIELDS],
    ["schedules.0", "cron(0 3 * * * *)", ONE_DAY],
    ["schedules.0", "cron(0 3 ? * ? *)", ONE_DAY],
    ["schedules.0", 5, "must be a string or an object"],
    ["schedules.1.timezone", "Paris", "must be a time zone such as Europe/Paris"],
    ["events.0.pattern", undefined, "is missing: expected an object"],
    ["events.0.pattern", {}, "must have at least one key"],
    [
      "events.0.pattern.detailType",
      ["Order"],
      'is not a key of "functions.f.triggers.events.0.pattern": did you mean "detail-type"?',
    ],
    ["events.0.pattern.source", "shop", "must be an array of values, or an object"],
    ["events.0.bus", "my bus", "must be the name of an event bus"],
    ["events.0.bus", "${bus}", KNOWN_PLACEHOLDERS],
    ["events.0.bus", "${infra.bus", KNOWN_PLACEHOLDERS],
    ["buckets.0.name", "Files", NAME],
    ["buckets.0.events", [], "must have at least one type of event"],
    ["buckets.0.events.0", "ObjectCreated", `must be one of ${BUCKET_EVENTS}`],
    ["queues.0.name", "job", QUEUE],
    ["queues.0.batch", 0, whole(1, 10_000)],
    ["queues.0.window", 301, whole(0, 300)],
    ["queues.0.concurrency", 1, whole(2, 1000)],
    ["tables.0.name", "order", TABLE],
    ["tables.0.retries", -1, whole(0, 10_000)],
  ],
};

const route = (path: string, method = "GET") => ({ routes: [{ method, path }] });
const queue = (settings: unknown) => withTriggers({ queues: [settings] });

/** Wrong manifests, and their messages. */
const CONFLICTS: readonly (readonly [text: string, message: string])[] = [
  [
    withF({ authorizes: "token" }, { gateway: "http" }),
    '"functions.f.authorizes" needs "gateway": "rest". An authorizer of an HTTP API gets the whole request ("request" or "simple")',
  ],
  ...[["header.Auth", "header.Other"], ["querystring.token"]].map((identity) =>
    [
      withF({ authorizes: "token", identity }),
      '"functions.f.identity" must be one header, such as ["header.Authorization"], because "authorizes" is "token"',
    ] as const
  ),
  ["[]", "the manifest must be an object"],
  [
    manifestText().replace(
      '"f":',
      '"f":{"module":"g.ts","module":"\\"{\\"","x":[{},{"y":1,"y":2}]},"f":',
    ),
    `
  "functions.f.module" occurs twice: rename or remove one
  "functions.f.x.1.y" occurs twice: rename or remove one
  "functions.f" occurs twice: rename or remove one`,
  ],
  [
    "{}",
    `
  "name" is missing: expected a string
  "stage" is missing: it must be 1 to 128 letters, digits or _
  "functions" is missing: expected an object`,
  ],
  [
    withF({ enviroment: {}, tiemout: 3 }),
    `
  "functions.f.enviroment" is not a key of "functions.f": did you mean "environment"?
  "functions.f.tiemout" is not a key of "functions.f": did you mean "timeout"?`,
  ],
  [
    withF({ environment: { BUCKET_IN_BOX: "x" }, uses: { buckets: { "in-box": "read" } } }),
    '"functions.f.environment.BUCKET_IN_BOX" must be another variable: "uses" sets it',
  ],
  [
    withF({ environment: { TOKEN: "x" }, secrets: ["KEY", "TOKEN", "KEY"] }),
    `
  "functions.f.secrets.1" must be another variable: "environment" sets "TOKEN"
  "functions.f.secrets.2" must be another variable: "KEY" occurs twice`,
  ],
  [
    withF({ uses: { buckets: { files: "read" } }, secrets: ["BUCKET_FILES"] }),
    '"functions.f.secrets.0" must be another variable: "uses" sets "BUCKET_FILES"',
  ],
  [
    withF({ secrets: ["TOKEN"] }, { name: "aws-tools" }),
    '"functions.f.secrets.0" needs another "name": AWS Systems Manager keeps no secrets of "aws-tools", because it reserves names that begin with "aws" or "ssm"',
  ],
  [
    manifestText({ defaults: { memory: 1, module: "f.ts", description: "x" } }),
    `
  "defaults.memory" must be a whole number from 128 to 10240
  "defaults.module", "defaults.description" are not keys of "defaults": expected one of handler, memory, timeout, ephemeralStorage, reservedConcurrency, environment, secrets, packages, permissions`,
  ],
  // Templates of others have them there.
  [
    manifestText({ defaults: { runtime: "nodejs24.x" } }),
    '"defaults.runtime" is not a key of "defaults": expected one of handler, memory, timeout, ephemeralStorage, reservedConcurrency, environment, secrets, packages, permissions; "runtime" is a key of the manifest itself',
  ],
  [
    withF({ secrets: ["TOKEN"] }, { defaults: { environment: { TOKEN: "x" } } }),
    '"functions.f.secrets.0" must be another variable: "environment" sets "TOKEN"',
  ],
  [
    withF({ triggers: { queues: [{ name: "job" }] } }),
    '"functions.f.triggers.queues.0.name" must be a queue of the manifest\'s "queues", which is empty',
  ],
  [
    withTriggers({ url: { cors: { origins: ["*"], methods: ["TRACE"] } } }),
    '"functions.f.triggers.url.cors.methods.0" must be one of "*", "DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"',
  ],
  [
    withTriggers({ url: { cors: { origins: ["*"], methods: ["GET"], credentials: true } } }),
    '"functions.f.triggers.url.cors.origins" must name each one if credentials is true, not *',
  ],
  [
    withTriggers({ url: { cors: { origins: ["https://shop.example"], credentials: true } } }),
    '"functions.f.triggers.url.cors.methods" must name each one if credentials is true, not *',
  ],
  [
    manifestText({ functions: { "a/~b": {} } }),
    `
  "functions.a/~b" ${NAME}
  "functions.a/~b.module" is missing: expected a string`,
  ],
  [
    withTriggers({ events: [{ pattern: { $or: [{ source: "a" }, { source: ["b"] }] } }] }),
    '"functions.f.triggers.events.0.pattern.$or.0.source" must be an array of values, or an object',
  ],
  [
    withTriggers({ topics: [{ name: "news", filter: { n: [1, { numeric: ["<<", 1] }] } }] }),
    '"functions.f.triggers.topics.0.filter.n.1.numeric" must be comparisons with numbers, such as [">", 0, "<=", 5]',
  ],
  [
    withTriggers({ topics: [{ name: "news", filter: { n: [{ numeric: ["<"] }] } }] }),
    '"functions.f.triggers.topics.0.filter.n.0.numeric" must be comparisons with numbers, such as [">", 0, "<=", 5]',
  ],
  [
    withTriggers({ topics: [{ name: "news", filter: { n: [{ exists: "true" }] } }] }),
    '"functions.f.triggers.topics.0.filter.n.0.exists" must be true or false',
  ],
  [
    withTriggers({ topics: [{ name: "news", filter: { kind: "x" } }] }),
    '"functions.f.triggers.topics.0.filter.kind" must be an array of values, or an object',
  ],
  [
    withTriggers({ topics: [{ name: "news", filter: { kind: ["a", { prefxi: "b" }] } }] }),
    `"functions.f.triggers.topics.0.filter.kind.1" ${OPERATORS}`,
  ],
  [
    withTriggers({ events: [{ pattern: { detail: { n: [{ prefix: "a", suffix: "b" }] } } }] }),
    `"functions.f.triggers.events.0.pattern.detail.n.0" ${OPERATORS}`,
  ],
  [
    withTriggers({ topics: [{ name: "news", filter: { a: { b: ["c"] } } }] }),
    '"functions.f.triggers.topics.0.filter.a" must be an array, because attributes are not nested',
  ],
  [
    withF({ statements: [{ Effect: "Allow", Resource: "*" }] }),
    '"functions.f.statements.0" must have either Action or NotAction',
  ],
  [
    withF({
      statements: [{
        Effect: "Allow",
        NotAction: "s3:*",
        Resource: "*",
        NotResource: "arn:aws:s3:::a",
      }],
    }),
    '"functions.f.statements.0" must have either Resource or NotResource',
  ],
  [
    withF({
      statements: [{ Effect: "Deny", Action: "*", Resource: "*", Condition: { Like: { a: "b" } } }],
    }),
    '"functions.f.statements.0.Condition.Like" must be an operator of IAM, such as StringLike, Bool and NumericLessThan',
  ],
  [
    withF({
      statements: [{ Effect: "Deny", Action: "*", Resource: "*", Condition: { Bool: { a: {} } } }],
    }),
    '"functions.f.statements.0.Condition.Bool.a" must be a value, or an array of values',
  ],
  [
    withTriggers({ topics: [{ name: "news" }, { name: "news" }] }),
    '"functions.f.triggers.topics.1.name" must be another topic: the function has "news" already',
  ],
  [
    withTriggers({ tables: [{ name: "orders" }, { name: "orders" }] }),
    '"functions.f.triggers.tables.1.name" must be another table: the function has "orders" already',
  ],
  [
    withTriggers({ schedules: ["rate(1 hour)", { expression: "rate(1 hour)" }] }),
    '"functions.f.triggers.schedules.1" occurs twice: remove one',
  ],
  [
    withF({}, { settings: { domain: { name: "shop.example" } } }),
    '"settings.domain.certificate" is missing: it must be the ARN of a certificate, or an output such as ${infra.certificate_arn}',
  ],
  [
    withF({}, { settings: { domain: { name: "shop.example", certificate: "${infra.arn}" } } }),
    '"settings.domain" leads to the HTTP gateway, which is empty: add a route to a function',
  ],
  [
    queue({ name: "jobs", batch: 11 }),
    '"functions.f.triggers.queues.0.window" must be at least 1 if batch is more than 10',
  ],
  [
    queue({ name: "ordered", batch: 11, window: 1 }),
    '"functions.f.triggers.queues.0.batch" must be at most 10, because "ordered" is a FIFO queue',
  ],
  [
    queue({ name: "ordered", window: 1 }),
    '"functions.f.triggers.queues.0.window" must be 0, because "ordered" is a FIFO queue',
  ],
  [
    withFunctions({ queues: [{ name: "jobs" }] }, { queues: [{ name: "jobs" }] }),
    '"functions.b.triggers.queues.0.name" must be another queue: "a" reads "jobs", and a message goes to one reader',
  ],
  [
    withFunctions({ routes: [{ method: "GET", path: "/", authorizer: "login" }] }, {}),
    '"functions.a.triggers.routes.0.authorizer" must be a function or an authorizer of the manifest: expected one of b',
  ],
  [
    withFunctions({ routes: [{ method: "GET", path: "/", authorizer: "bb" }] }, {}),
    '"functions.a.triggers.routes.0.authorizer" must be a function or an authorizer of the manifest: did you mean "b"?',
  ],
  [
    withFunctions(route("/x"), route("/x")),
    '"functions.b.triggers.routes.0" must be another route than GET /x, which "a" has',
  ],
  ...[
    ["/a/{x}", "/a/{y}", "/a/", "{y}", "{x}"],
    ["/{x}/b", "/{y}/c", "/", "{y}", "{x}"],
    ["/a/{x}/b", "/a/{proxy+}", "/a/", "{proxy+}", "{x}"],
  ].map(([first, second, place, mine, other]) =>
    [
      withFunctions(route(first!), route(second!, "POST")),
      `"functions.b.triggers.routes.0.path" must have ${other} after "${place}", not ${mine}: "a" has ${other}, and a REST API takes one variable there`,
    ] as const
  ),
  ...[
    [{}, {}],
    [{}, { events: ["s3:ObjectCreated:Put"] }],
    [{ prefix: "in/" }, { prefix: "in/csv/" }],
    [{ suffix: ".csv" }, { prefix: "in/" }],
    [{ suffix: ".csv" }, { suffix: "a.csv" }],
  ].map(([first, second]) =>
    [
      withFunctions(bucketOf("files", first), bucketOf("files", second)),
      '"functions.b.triggers.buckets.0" must have other events, another prefix or another suffix than "a" has for the bucket "files": Amazon S3 sends an event to one function',
    ] as const
  ),
];

Deno.test("parseManifest() says which keys are wrong and what would be right, each in a line", () => {
  parse(JSON.stringify(BASE));
  const rows = Object.entries(WRONG).flatMap(([start, values]) =>
    values.map(([path, value, message]) =>
      [withValue(start + path, value), `"${start}${path}" ${message}`] as const
    )
  );
  for (const [text, message] of [...rows, ...CONFLICTS]) {
    const error = assertThrows(() => parse(text), TypeError, "", text);
    const start = 'Cannot use the manifest "app.json":';
    assertEquals(error.message, start + (message.startsWith("\n") ? message : ` ${message}`));
  }
});

const HOSTS =
  "localhost EXAMPLE.com api.example.com:443 *.example.com *.example.com:65535 a_b.example.com:1 127.0.0.1:8080 [::1] [::ffff:1.2.3.4]:80"
    .split(" ");

const NO_HOSTS =
  " https://example.com/ example.com:0 example.com:65536 example.com:99999 example.com: a..b a,b ::1 [:::] [1::2:] [0:0:0:0:0:0:0:00001] [fe80::1%eth0] [1.2.3.4] [::1]:65536"
    .split(" ");

Deno.test("parseManifest() accepts the hosts that Deno accepts, and nothing else", async () => {
  parse(withF({ permissions: { net: [...HOSTS, "*"] } }));
  for (const host of NO_HOSTS) {
    const text = withF({ permissions: { net: [host] } });
    assertThrows(() => parse(text), TypeError, "must be a host such as api.example.com:443", host);
  }
  const args = ["run", "--no-config", `--allow-net=${HOSTS.join(",")}`, "data:text/javascript,"];
  await succeed(Deno.execPath(), args);
});

Deno.test("parseManifest() refuses text that is not JSON, and the key __proto__", () => {
  for (const text of ["{", "", '{"name": "a",}', '{"functions":{"__proto__":{}}}']) {
    const { message } = assertThrows(() => parse(text), SyntaxError, "", text);
    assertEquals(message.startsWith('Cannot read the manifest "app.json": '), true, message);
  }
});

/** A manifest in lines, with a stage. */
const LINES = `{
  "name": "app",
  "stage": "v0",
  "defaults": {
    "memory": 256
  },
  "functions": {
    "f": {
      "module": "f.ts",
      "timeout": 3,
      "triggers": { "queues": [
        { "name": "jobs", "batch": 5 }
      ] }
    }
  },
  "queues": { "jobs": {} },
  "stages": { "prod": {
    "functions": { "f": {
      "timeout": 10
    } }
  } }
}
`;

Deno.test("parseManifest() names the line of each problem, and a comment", () => {
  parse(LINES);
  for (
    const [from, to, message] of [
      ['"timeout": 3', '"timeout": 0', 'line 10: "functions.f.timeout" must be a whole'],
      ['"timeout": 10', '"timeout": 0', 'line 19: "functions.f.timeout" must be a whole'],
      ['"memory": 256', '"memory": 1', 'line 5: "defaults.memory" must be a whole'],
      ['"batch": 5', '"batch": 11', 'line 12: "functions.f.triggers.queues.0.window" must be at'],
      ['"module": "f.ts",', "", 'line 8: "functions.f.module" is missing'],
      ['"stage": "v0",', "", 'line 1: "stage" is missing'],
      ['"timeout": 3', '"memroy": 3', 'line 10: "functions.f.memroy" is not a key of'],
      ['"timeout": 3', '"a": 3', 'line 10: "functions.f.a" is not a key of'],
      ['"timeout": 3', '"module":\n"f"', 'line 10: "functions.f.module" occurs twice'],
      ['"stages": { "prod"', '"stages": { "v0"', 'line 17: "stages.v0" must have another'],
      ['"functions": { "f": {\n      "timeout": 10', '"functions": { "g": {', "line 18: "],
      ['"timeout": 3', '"__proto__": 3', 'line 10: The key "__proto__" is not allowed'],
      ['"timeout": 3', '"timeout": 3 // s', "line 10: JSON has no comments: remove this one"],
      ["{", "/* The shop */ {", "line 1: JSON has no comments: remove this one"],
      ['"timeout": 3', '"timeout": 3 # seconds', "line 10: JSON has no comments: remove this one"],
      ['"timeout": 3', '# a "limit"\n"timeout": 3', "line 10: JSON has no comments"],
      ['"timeout": 3', '"timeout": x', "line 10: Unexpected token 'x'"],
      ['"timeout": 10', '"timeout": 10,', "line 20: Expected double-quoted property name"],
      ['"timeout": 3,', '"timeout": 3', "line 11: Expected ',' or '}' after property value"],
    ] as const
  ) {
    for (const newLine of ["\n", "\r\n"]) {
      const text = LINES.replace(from, to).replaceAll("\n", newLine);
      assertEquals(text === LINES, false, from);
      const error = assertThrows(() => parse(text), Error, `: ${message}`, text);
      assertEquals(
        /\bline \d+: /g.exec(error.message.slice(error.message.indexOf(message) + 5)),
        null,
      );
    }
  }
});

Deno.test("readManifest() names the file that it cannot read", async () => {
  const folder = temporaryFolder();
  const message = async (path: string) =>
    (await assertRejects(() => readManifest(path), Error)).message;
  const missing = `${folder}/app.json`;
  assertEquals(
    await message(missing),
    `Cannot read the manifest "${missing}": the file does not exist: run "mate new FOLDER", or name another file`,
  );
  assertEquals(
    await message(folder),
    `Cannot read the manifest "${folder}": it is a folder; name the file, such as "${folder}/app.json"`,
  );
});
