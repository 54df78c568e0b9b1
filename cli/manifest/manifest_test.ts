import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FULL, manifestText, withF, withFunctions, withTriggers } from "../testdata/manifest.ts";
import { parseManifest, readManifest } from "./manifest.ts";

const parse = (text: string) => parseManifest(text, "app.json");

Deno.test("parseManifest() fills in the defaults", () => {
  assertEquals(parse(manifestText()), {
    name: "app",
    stage: "v0",
    architecture: "x86_64",
    tracing: false,
    queues: {},
    functions: {
      f: {
        module: "f.ts",
        handler: "handler",
        description: "",
        memory: 128,
        timeout: 3,
        environment: {},
        permissions: { net: [] },
        triggers: { routes: [], schedules: [], events: [], buckets: [], topics: [], queues: [] },
        uses: { buckets: {}, topics: {}, queues: {} },
        statements: [],
      },
    },
  });
});

Deno.test("parseManifest() fills in the defaults of triggers and queues", () => {
  const { functions, queues } = parse(withTriggers({
    routes: [{ method: "GET", path: "/" }],
    url: { cors: { origins: ["*"] } },
    schedules: ["rate(1 hour)"],
    events: [{ pattern: { source: ["shop"] } }],
    buckets: [{ name: "files", events: ["s3:ObjectCreated:*"] }],
    queues: [{ name: "jobs" }],
  }));
  const { triggers } = functions.f!;
  assertEquals(queues.jobs, { fifo: false, retries: 3, visibility: 30 });
  assertEquals(triggers, {
    routes: [{ method: "GET", path: "/", stream: false }],
    url: {
      auth: "iam",
      stream: false,
      cors: {
        origins: ["*"],
        methods: ["*"],
        headers: [],
        exposeHeaders: [],
        credentials: false,
        maxAge: 0,
      },
    },
    schedules: [{ expression: "rate(1 hour)", timezone: "UTC" }],
    events: [{ pattern: { source: ["shop"] }, bus: "default" }],
    buckets: [{ name: "files", events: ["s3:ObjectCreated:*"], prefix: "", suffix: "" }],
    topics: [],
    queues: [{ name: "jobs", batch: 10, window: 0 }],
  });
});

Deno.test("parseManifest() accepts everything that a manifest can have", () => {
  const { $schema: _, ...wanted } = JSON.parse(FULL);
  const found = parse(FULL);
  assertEquals(found.functions.orders!.statements, wanted.functions.orders.statements);
  assertEquals(found.functions.orders!.uses, wanted.functions.orders.uses);
  assertEquals(found.state, wanted.state);
});

Deno.test("parseManifest() ignores a byte order mark", () => {
  assertEquals(parse(`\uFEFF${manifestText()}`), parse(manifestText()));
});

Deno.test("parseManifest() accepts what AWS accepts", () => {
  const names = ["AWS_LAMBDA_EXEC_WRAPPER", "LANG", "LD_LIBRARY_PATH", "NODE_PATH", "PATH", "TZ"];
  const route = (path: string, method = "GET") => ({ routes: [{ method, path }] });
  const bucket = (name: string, event: string, rest = {}) => ({
    buckets: [{ name, events: [event], ...rest }],
  });
  for (
    const text of [
      withF({ environment: Object.fromEntries(names.map((name) => [name, "x"])) }),
      withF({ environment: { COST: "5 $", SHELL_TEXT: "$HOME" } }),
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
      withTriggers({ schedules: ["cron(0 9 ? JAN,JUN 6#3 *)", "cron(5 0 15W * ? *)"] }),
      withTriggers({ events: [{ pattern: { $or: [{ source: ["a"] }, { account: ["b"] }] } }] }),
      withTriggers({ schedules: ["cron(0/59 * ? * 2L *)"], ...bucketOf("b".repeat(36)) }),
      withTriggers({ queues: [{ name: "ordered", batch: 10 }] }),
      withF({ statements: [{ Effect: "Deny", Action: "s3:*", Resource: ["*"] }] }),
      withF({ statements: [{ Effect: "Allow", Action: "*", Resource: "${infra.table_arn}" }] }),
    ]
  ) {
    parse(text);
  }
});

const MODULE = { module: "f.ts" };
const cors = (settings: Record<string, unknown>) =>
  withTriggers({ url: { cors: { origins: ["*"], ...settings } } });
const statement = (settings: Record<string, unknown>) =>
  withF({ statements: [{ Effect: "Allow", Action: "s3:GetObject", Resource: "*", ...settings }] });
const schedule = (...schedules: unknown[]) => withTriggers({ schedules });
const route = (settings: unknown) => withTriggers({ routes: [settings] });
const bucketOf = (name: string, settings: Record<string, unknown> = {}) => ({
  buckets: [{ name, events: ["s3:ObjectCreated:*"], ...settings }],
});
const queue = (settings: unknown) => withTriggers({ queues: [settings] });
const top = (settings: Record<string, unknown>) =>
  manifestText((manifest) => void Object.assign(manifest, settings));

/** Wrong manifests, and the message after the name of the file. */
const WRONG: readonly (readonly [text: string, message: string])[] = [
  ["[]", "the manifest must be an object"],
  [
    "{}",
    '"name" is missing: expected a string; "stage" is missing: expected a string; "functions" is missing: expected an object',
  ],
  [top({ naem: "x" }), '"naem" is not a key of a manifest: did you mean "name"?'],
  [
    top({ foo: 1 }),
    '"foo" is not a key of a manifest: expected one of $schema, name, stage, region, architecture, tracing, state, functions, queues',
  ],
  [
    top({ name: "App" }),
    '"name" must be a lower-case letter, then up to 39 lower-case letters, digits or hyphens',
  ],
  [top({ name: 5 }), '"name" must be a string'],
  [top({ name: null }), '"name" must be a string'],
  [top({ stage: "v/0" }), '"stage" must be 1 to 128 letters, digits or _'],
  [
    top({ stage: "buckets" }),
    '"stage" must not be a path of the local platform: 2015-03-31, 2021-11-15, assets, buckets, events, favicon.ico, log, queues, schedules, topics',
  ],
  [top({ region: "Ireland" }), '"region" must be an AWS Region such as eu-west-1'],
  [top({ architecture: "x64" }), '"architecture" must be one of "x86_64", "arm64"'],
  [top({ tracing: "yes" }), '"tracing" must be true or false'],
  [top({ state: "s3://bucket" }), '"state" must be an S3 URL such as s3://bucket/key'],
  [top({ functions: {} }), '"functions" must have at least one function'],
  [top({ functions: [] }), '"functions" must be an object'],
  [
    top({ functions: { F: MODULE } }),
    '"functions.F" must be a lower-case letter, then up to 39 lower-case letters, digits or hyphens',
  ],
  [
    top({ functions: { "layer-arm64": MODULE } }),
    '"functions.layer-arm64" must be another name: the layer\'s zip has this name',
  ],
  [
    top({ name: "a".repeat(40), functions: { ["b".repeat(24)]: MODULE } }),
    `"functions.${"b".repeat(24)}" must have at most 23 characters beside the application's name`,
  ],
  [top({ functions: { f: "f.ts" } }), '"functions.f" must be an object'],
  [top({ functions: { f: {} } }), '"functions.f.module" is missing: expected a string'],
  [withF({ module: "" }), '"functions.f.module" must not be empty'],
  [withF({ handler: "a b" }), '"functions.f.handler" must be the name of an export'],
  [
    withF({ memry: 256 }),
    '"functions.f.memry" is not a key of "functions.f": did you mean "memory"?',
  ],
  [
    withF({ enviroment: {}, tiemout: 3 }),
    '"functions.f.enviroment" is not a key of "functions.f": did you mean "environment"?; "functions.f.tiemout" is not a key of "functions.f": did you mean "timeout"?',
  ],
  [withF({ memory: 127 }), '"functions.f.memory" must be a whole number from 128 to 10240'],
  [withF({ memory: "256" }), '"functions.f.memory" must be a whole number from 128 to 10240'],
  [withF({ timeout: 901 }), '"functions.f.timeout" must be a whole number from 1 to 900'],
  [withF({ timeout: 1.5 }), '"functions.f.timeout" must be a whole number from 1 to 900'],
  [
    withF({ description: "x".repeat(257) }),
    '"functions.f.description" must have at most 256 characters',
  ],
  [
    withF({ reservedConcurrency: -1 }),
    '"functions.f.reservedConcurrency" must be a whole number from 0 to 1000',
  ],
  [
    withF({ environment: { "1A": "" } }),
    '"functions.f.environment.1A" must be the name of an environment variable, such as TABLE_NAME',
  ],
  [withF({ environment: { PORT: 80 } }), '"functions.f.environment.PORT" must be a string'],
  [
    withF({ environment: { AWS_REGION: "x" } }),
    '"functions.f.environment.AWS_REGION" must be another variable: Lambda reserves it',
  ],
  [
    withF({ environment: { AB: "é".repeat(2047), CD: "x" } }),
    '"functions.f.environment" must have at most 4096 bytes, names and values together',
  ],
  [
    withF({ environment: { TABLE: "${infra.}" } }),
    '"functions.f.environment.TABLE" must have no placeholders except ${region}, ${account} and ${infra.NAME}',
  ],
  [
    withF({ environment: { TABLE: "${table}" } }),
    '"functions.f.environment.TABLE" must have no placeholders except ${region}, ${account} and ${infra.NAME}',
  ],
  [
    withF({ environment: { BUCKET_IN_BOX: "x" }, uses: { buckets: { "in-box": "read" } } }),
    '"functions.f.environment.BUCKET_IN_BOX" must be another variable: "uses" sets it',
  ],
  [withF({ permissions: { net: "*" } }), '"functions.f.permissions.net" must be an array'],
  [
    withF({ permissions: { net: ["https://example.com/"] } }),
    '"functions.f.permissions.net.0" must be a host such as api.example.com:443, or *',
  ],
  [
    withF({ permissions: { net: ["s3.${regoin}.amazonaws.com"] } }),
    '"functions.f.permissions.net.0" must have no placeholders except ${region} and the function\'s own variables',
  ],
  [
    withF({ permissions: { read: [] } }),
    '"functions.f.permissions.read" is not a key of "functions.f.permissions": expected one of net',
  ],
  [
    withTriggers({ schedule: "rate(1 hour)" }),
    '"functions.f.triggers.schedule" is not a key of "functions.f.triggers": did you mean "schedules"?',
  ],
  [
    withTriggers({ bucket: {} }),
    '"functions.f.triggers.bucket" is not a key of "functions.f.triggers": did you mean "buckets"?',
  ],
  [withTriggers({ routes: {} }), '"functions.f.triggers.routes" must be an array'],
  [
    route({ method: "GET", path: "okay" }),
    '"functions.f.triggers.routes.0.path" must be a path such as /okay, /items/{id} or /okay/{proxy+}',
  ],
  [
    route({ method: "get", path: "/okay" }),
    '"functions.f.triggers.routes.0.method" must be one of "ANY", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"',
  ],
  [
    route({ path: "/okay" }),
    '"functions.f.triggers.routes.0.method" is missing: expected one of "ANY", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"',
  ],
  [
    route({ method: "GET", path: "/okay", authorizer: "chekc" }),
    '"functions.f.triggers.routes.0.authorizer" must be a function of the manifest: add the function first',
  ],
  [
    route({ method: "GET", path: "/okay", authorizer: "f" }),
    '"functions.f.triggers.routes.0.authorizer" must be another function than the function of the route',
  ],
  [
    withFunctions({ routes: [{ method: "GET", path: "/", authorizer: "d" }] }, {}),
    '"functions.a.triggers.routes.0.authorizer" must be a function of the manifest: expected one of b',
  ],
  [
    route({ method: "GET", path: "/okay", stream: 1 }),
    '"functions.f.triggers.routes.0.stream" must be true or false',
  ],
  [
    withFunctions({ routes: [{ method: "GET", path: "/x" }] }, {
      routes: [{ method: "GET", path: "/x" }],
    }),
    '"functions.b.triggers.routes.0" must be another route than GET /x, which "a" has',
  ],
  ...[
    ["/a/{x}", "/a/{y}", "/a/", "{y}", "{x}"],
    ["/{x}/b", "/{y}/c", "/", "{y}", "{x}"],
    ["/a/{x}/b", "/a/{proxy+}", "/a/", "{proxy+}", "{x}"],
  ].map(([first, second, place, mine, other]) =>
    [
      withFunctions({ routes: [{ method: "GET", path: first }] }, {
        routes: [{ method: "POST", path: second }],
      }),
      `"functions.b.triggers.routes.0.path" must have ${other} after "${place}", not ${mine}: "a" has ${other}, and a REST API takes one variable there`,
    ] as const
  ),
  [withTriggers({ url: true }), '"functions.f.triggers.url" must be an object'],
  [
    withTriggers({ url: { auth: "None" } }),
    '"functions.f.triggers.url.auth" must be one of "none", "iam"',
  ],
  [cors({ origins: [] }), '"functions.f.triggers.url.cors.origins" must have at least one origin'],
  [
    cors({ origins: ["shop.example"] }),
    '"functions.f.triggers.url.cors.origins.0" must be an origin such as https://shop.example, or *',
  ],
  [
    cors({ methods: ["TRACE"] }),
    '"functions.f.triggers.url.cors.methods.0" must be one of "*", "DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"',
  ],
  [
    cors({ credentials: true }),
    '"functions.f.triggers.url.cors.origins" must name the origins if credentials is true: browsers refuse *',
  ],
  [
    cors({ maxAge: 86_401 }),
    '"functions.f.triggers.url.cors.maxAge" must be a whole number from 0 to 86400',
  ],
  ...[
    "rate(0 hours)",
    "rate(1 hours)",
    "rate(5 minute)",
    "cron(0 3 * * * *)",
    "cron(0 3 * * ?)",
    "cron(60 3 * * ? *)",
    "cron(0/0 3 * * ? *)",
    "cron(0/60 3 * * ? *)",
    "cron(0 3 ? * ? *)",
    "cron(0 3 32 * ? *)",
    "5 minutes",
  ].map((text) =>
    [
      schedule("rate(1 hour)", text),
      '"functions.f.triggers.schedules.1" must be a rate such as rate(5 minutes), or a cron such as cron(0 3 * * ? *)',
    ] as const
  ),
  [
    schedule(5),
    '"functions.f.triggers.schedules.0" must be an expression such as rate(5 minutes), or an object',
  ],
  [
    schedule({ expression: "rate(1 day)", zone: "UTC" }),
    '"functions.f.triggers.schedules.0.zone" is not a key of "functions.f.triggers.schedules.0": expected one of expression, timezone, input',
  ],
  [
    schedule({ expression: "cron(0 3 * * ? *)", timezone: "Paris" }),
    '"functions.f.triggers.schedules.0.timezone" must be a time zone such as Europe/Paris',
  ],
  [
    withTriggers({ events: [{}] }),
    '"functions.f.triggers.events.0.pattern" is missing: expected an object',
  ],
  [
    withTriggers({ events: [{ pattern: {} }] }),
    '"functions.f.triggers.events.0.pattern" must have at least one key',
  ],
  [
    withTriggers({ events: [{ pattern: { source: "shop" } }] }),
    '"functions.f.triggers.events.0.pattern.source" must be an array of values, or an object',
  ],
  [
    withTriggers({ events: [{ pattern: { source: ["a"] }, bus: "my bus" }] }),
    '"functions.f.triggers.events.0.bus" must be the name of an event bus',
  ],
  [
    withTriggers(bucketOf("Files")),
    '"functions.f.triggers.buckets.0.name" must be a lower-case letter, then up to 39 lower-case letters, digits or hyphens',
  ],
  [
    withTriggers(bucketOf("b".repeat(37))),
    '"functions.f.triggers.buckets.0.name" must have at most 36 characters beside the application\'s name',
  ],
  [
    withTriggers(bucketOf("files", { events: [] })),
    '"functions.f.triggers.buckets.0.events" must have at least one type of event',
  ],
  [
    withTriggers(bucketOf("files", { events: ["ObjectCreated"] })),
    '"functions.f.triggers.buckets.0.events.0" must be one of "s3:ObjectCreated:*", "s3:ObjectCreated:Put", "s3:ObjectCreated:Post", "s3:ObjectCreated:Copy", "s3:ObjectCreated:CompleteMultipartUpload", "s3:ObjectRemoved:*", "s3:ObjectRemoved:Delete", "s3:ObjectRemoved:DeleteMarkerCreated"',
  ],
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
  [
    withTriggers({ topics: [{ name: "news", filter: { kind: "x" } }] }),
    '"functions.f.triggers.topics.0.filter.kind" must be an array of values, or an object',
  ],
  [
    withTriggers({ topics: [{ name: "news" }, { name: "news" }] }),
    '"functions.f.triggers.topics.1.name" must be another topic: the function has "news" already',
  ],
  [
    queue({ name: "job" }),
    '"functions.f.triggers.queues.0.name" must be a queue of the manifest\'s "queues": expected one of jobs, ordered',
  ],
  [
    manifestText((_, f) => void (f.triggers = { queues: [{ name: "job" }] })),
    '"functions.f.triggers.queues.0.name" must be a queue of the manifest\'s "queues", which is empty',
  ],
  [
    queue({ name: "jobs", batch: 0 }),
    '"functions.f.triggers.queues.0.batch" must be a whole number from 1 to 10000',
  ],
  [
    queue({ name: "jobs", batch: 11 }),
    '"functions.f.triggers.queues.0.window" must be at least 1 if batch is more than 10',
  ],
  [
    queue({ name: "jobs", window: 301 }),
    '"functions.f.triggers.queues.0.window" must be a whole number from 0 to 300',
  ],
  [
    queue({ name: "jobs", concurrency: 1 }),
    '"functions.f.triggers.queues.0.concurrency" must be a whole number from 2 to 1000',
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
    manifestText((m, f) => {
      m.queues = { jobs: { visibility: 5 } };
      f.timeout = 6;
      f.triggers = { queues: [{ name: "jobs" }] };
    }),
    '"queues.jobs.visibility" must be at least 6, the timeout of "f", which reads the queue',
  ],
  [
    top({ queues: { jobs: { retries: 1000 } } }),
    '"queues.jobs.retries" must be a whole number from 0 to 999',
  ],
  [
    top({ queues: { jobs: { visibility: 43_201 } } }),
    '"queues.jobs.visibility" must be a whole number from 0 to 43200',
  ],
  [
    top({ queues: { "jobs.fifo": {} } }),
    '"queues.jobs.fifo" must be a lower-case letter, then up to 39 lower-case letters, digits or hyphens',
  ],
  [
    withF({ uses: { buckets: { uploads: "all" } } }),
    '"functions.f.uses.buckets.uploads" must be one of "read", "write", "read-write"',
  ],
  [withF({ uses: { buckets: ["uploads"] } }), '"functions.f.uses.buckets" must be an object'],
  [
    withF({ uses: { buckets: { ["b".repeat(37)]: "read" } } }),
    `"functions.f.uses.buckets.${
      "b".repeat(37)
    }" must have at most 36 characters beside the application's name`,
  ],
  [
    withF({ uses: { topics: { news: "read" } } }),
    '"functions.f.uses.topics.news" must be "publish"',
  ],
  [
    withF({ uses: { queues: { job: "send" } } }),
    '"functions.f.uses.queues.job" must be a queue of the manifest\'s "queues", which is empty',
  ],
  [
    withF({ uses: { tables: {} } }),
    '"functions.f.uses.tables" is not a key of "functions.f.uses": expected one of buckets, topics, queues',
  ],
  [
    statement({ Effect: "allow" }),
    '"functions.f.statements.0.Effect" must be one of "Allow", "Deny"',
  ],
  [
    statement({ Action: "GetObject" }),
    '"functions.f.statements.0.Action" must be an action such as dynamodb:GetItem',
  ],
  [statement({ Action: [] }), '"functions.f.statements.0.Action" must not be empty'],
  [
    statement({ Action: 5 }),
    '"functions.f.statements.0.Action" must be a string or an array of strings',
  ],
  [
    statement({ Action: ["s3:GetObject", "x"] }),
    '"functions.f.statements.0.Action.1" must be an action such as dynamodb:GetItem',
  ],
  [
    statement({ Resource: "table" }),
    '"functions.f.statements.0.Resource" must be an ARN such as arn:aws:s3:::name, or *',
  ],
  [
    statement({ Resource: "arn:${acount}" }),
    '"functions.f.statements.0.Resource" must have no placeholders except ${region}, ${account} and ${infra.NAME}',
  ],
  [
    statement({ resource: "*" }),
    '"functions.f.statements.0.resource" is not a key of "functions.f.statements.0": did you mean "Resource"?',
  ],
  [statement({ Sid: "a b" }), '"functions.f.statements.0.Sid" must be letters and digits'],
];

Deno.test("parseManifest() says in one line which keys are wrong, and what would be right", () => {
  assertEquals(WRONG.length >= 60, true);
  const messages = WRONG.map(([text]) =>
    assertThrows(() => parse(text), TypeError, "", text).message
  );
  assertEquals(
    messages,
    WRONG.map(([, message]) => `Cannot use the manifest "app.json": ${message}`),
  );
});

Deno.test("parseManifest() refuses text that is not JSON, and the key __proto__", () => {
  for (const text of ["{", "", '{"name": "a",}', '{"functions":{"__proto__":{}}}']) {
    const { message } = assertThrows(() => parse(text), SyntaxError, "", text);
    assertEquals(message.startsWith('Cannot read the manifest "app.json": '), true, message);
  }
});

Deno.test("readManifest() names the file that it cannot read", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const message = async (path: string) =>
      (await assertRejects(() => readManifest(path), Error)).message;
    const missing = `${folder}/app.json`;
    assertEquals(
      await message(missing),
      `Cannot read the manifest "${missing}": there is no such file`,
    );
    assertEquals(
      (await message(folder)).startsWith(`Cannot read the manifest "${folder}": `),
      true,
    );
  } finally {
    await Deno.remove(folder);
  }
});
