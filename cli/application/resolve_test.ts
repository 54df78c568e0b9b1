import { assertEquals, assertThrows } from "@std/assert";
import { type Manifest, parseManifest } from "../manifest/manifest.ts";
import { FULL, manifestText, withF } from "../testdata/manifest.ts";
import { LOCAL, type Place } from "../rules/arn.ts";
import { resolveApplication } from "./resolve.ts";

const ACCOUNT: Place = {
  partition: "aws",
  account: "123456789012",
  region: "eu-west-1",
  infra: (name: string) => `<${name}>`,
};

const resolve = (text: string, place = ACCOUNT) =>
  resolveApplication(parseManifest(text, "app.json"), place);

const tls = (Action: string, ...Resource: string[]) => [
  {
    Effect: "Deny" as const,
    Principal: "*" as const,
    Action,
    Resource,
    Condition: { Bool: { "aws:SecureTransport": "false" } },
  },
];

const arn = (service: string, name: string) => `arn:aws:${service}:eu-west-1:123456789012:${name}`;
const logs = (name: string) => ({
  Effect: "Allow",
  Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
  Resource: [arn("logs", `log-group:/aws/lambda/${name}:*`)],
});
const XRAY = {
  Effect: "Allow",
  Action: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"],
  Resource: ["*"],
};
const NETWORK = {
  Effect: "Allow",
  Action: [
    "ec2:CreateNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:DeleteNetworkInterface",
    "ec2:AssignPrivateIpAddresses",
    "ec2:UnassignPrivateIpAddresses",
  ],
  Resource: ["*"],
};
const UPLOADS = "arn:aws:s3:::shop-uploads-123456789012-eu-west-1";

const changes = (table: string, name: string) => [
  {
    Effect: "Allow",
    Action: [
      "dynamodb:DescribeStream",
      "dynamodb:GetRecords",
      "dynamodb:GetShardIterator",
      "dynamodb:ListStreams",
    ],
    Resource: [arn("dynamodb", `table/shop-${table}/stream/*`)],
  },
  {
    Effect: "Allow",
    Action: ["sqs:SendMessage"],
    Resource: [arn("sqs", `shop-${name}-${table}-dead-letters`)],
  },
];

const readWrite = (table: string) => ({
  Effect: "Allow",
  Action: [
    "dynamodb:GetItem",
    "dynamodb:BatchGetItem",
    "dynamodb:Query",
    "dynamodb:Scan",
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    "dynamodb:DeleteItem",
    "dynamodb:BatchWriteItem",
    "dynamodb:ConditionCheckItem",
  ],
  Resource: [
    arn("dynamodb", `table/shop-${table}`),
    arn("dynamodb", `table/shop-${table}/index/*`),
  ],
});

Deno.test("resolveApplication() computes the statements of uses, triggers and statements", () => {
  const { functions } = resolve(FULL);
  const read = { Effect: "Allow", Action: ["s3:GetObject", "s3:ListBucket"] };
  assertEquals<unknown>(
    Object.fromEntries(Object.entries(functions).map(([key, { statements }]) => [key, statements])),
    {
      orders: [
        logs("shop-orders"),
        XRAY,
        NETWORK,
        {
          Effect: "Allow",
          Action: [
            ...read.Action,
            "s3:PutObject",
            "s3:DeleteObject",
            "s3:AbortMultipartUpload",
          ],
          Resource: [UPLOADS, `${UPLOADS}/*`],
        },
        { Effect: "Allow", Action: ["sns:Publish"], Resource: [arn("sns", "shop-messages")] },
        {
          Effect: "Allow",
          Action: ["sqs:SendMessage", "sqs:GetQueueUrl", "sqs:GetQueueAttributes"],
          Resource: [arn("sqs", "shop-jobs")],
        },
        readWrite("notes"),
        {
          Sid: "Notes",
          Effect: "Allow",
          Action: "dynamodb:GetItem",
          Resource: arn("dynamodb", "table/<table_name>"),
          Condition: { StringLike: { "dynamodb:LeadingKeys": "${aws:username}-*" } },
        },
      ],
      check: [
        logs("shop-check"),
        XRAY,
        NETWORK,
        {
          Effect: "Allow",
          Action: ["ssm:GetParameters"],
          Resource: [arn("ssm", "parameter/shop/v1/JWT_SECRET")],
        },
      ],
      files: [
        logs("shop-files"),
        XRAY,
        NETWORK,
        { ...read, Resource: [UPLOADS, `${UPLOADS}/*`] },
        readWrite("items"),
      ],
      news: [
        logs("shop-news"),
        XRAY,
        NETWORK,
        {
          Effect: "Allow",
          Action: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
          Resource: [arn("sqs", "shop-jobs")],
        },
        ...changes("items", "news"),
      ],
      changes: [
        logs("shop-changes"),
        XRAY,
        NETWORK,
        ...changes("notes", "changes"),
        { Effect: "Allow", Action: ["ses:SendEmail"], Resource: ["*"] },
        { Effect: "Deny", NotAction: ["ses:SendEmail"], NotResource: ["arn:aws:s3:::notes/*"] },
      ],
    },
  );
});

Deno.test("resolveApplication() keeps the settings of each function, and the defaults of the others", () => {
  const defaults = { memory: 512, timeout: 9, ephemeralStorage: 1_024, reservedConcurrency: 7 };
  const own = { memory: 256, timeout: 3, ephemeralStorage: 513, reservedConcurrency: 0 };
  const functions = { own: { module: "a.ts", ...own }, other: { module: "b.ts" } };
  const text = JSON.stringify({ name: "shop", stage: "v1", defaults, functions });
  const resolved = resolve(text).functions;
  const settingsOf = (name: string) => {
    const { memory, timeout, ephemeralStorage, reservedConcurrency } = resolved[name]!;
    return { memory, timeout, ephemeralStorage, reservedConcurrency };
  };
  assertEquals([settingsOf("own"), settingsOf("other")], [own, defaults]);
  const without = resolve(
    JSON.stringify({ name: "shop", stage: "v1", functions: { other: functions.other } }),
  );
  assertEquals(without.functions.other!.reservedConcurrency, undefined);
});

Deno.test("resolveApplication() names functions, roles, rules and variables", () => {
  const { functions, rules, schedules, scheduler } = resolve(FULL);
  const { name, role, logGroup, handler, environment } = functions.orders!;
  assertEquals(
    [name, role, logGroup, handler, functions.orders!.arn],
    [
      "shop-orders",
      "shop-orders-eu-west-1",
      "/aws/lambda/shop-orders",
      "index.main",
      arn("lambda", "function:shop-orders"),
    ],
  );
  assertEquals(environment, {
    CURRENCY: "EUR",
    GREETING: "100 $ eu-west-1",
    API_TOKEN: "secret",
    TABLE: "<table_name>",
    BUCKET_UPLOADS: "shop-uploads-123456789012-eu-west-1",
    TOPIC_MESSAGES: arn("sns", "shop-messages"),
    QUEUE_JOBS: "https://sqs.eu-west-1.amazonaws.com/123456789012/shop-jobs",
    TABLE_NOTES: "shop-notes",
  });
  const isHashed = (name: string, start: string) => new RegExp(`^${start}-[0-9a-f]{8}$`).test(name);
  const isRule = (name: string) => isHashed(name, "shop-(?:news|changes)");
  assertEquals(Object.keys(rules).map(isRule), [true, true, true]);
  const rule = { function: "news", bus: "default", expression: undefined, pattern: undefined };
  assertEquals<unknown>(Object.values(rules), [
    { ...rule, expression: "rate(5 minutes)", input: undefined },
    { ...rule, pattern: { source: ["shop.orders"] }, input: undefined },
    { ...rule, function: "changes", pattern: { source: ["shop.notes"] }, input: undefined },
  ]);
  assertEquals(Object.keys(schedules).map((name) => isHashed(name, "shop-files")), [true]);
  assertEquals(Object.values(schedules), [{
    function: "files",
    expression: "cron(0 3 * * ? *)",
    timezone: "Europe/Paris",
    input: '{"full":true}',
  }]);
  assertEquals(scheduler, {
    role: "shop-eu-west-1-scheduler",
    statements: [{
      Effect: "Allow",
      Action: ["lambda:InvokeFunction"],
      Resource: [arn("lambda", "function:shop-files")],
    }],
  });
});

Deno.test("resolveApplication() gives each resource its name, policy and listeners", () => {
  const { buckets, topics, queues, tables, gateway } = resolve(FULL);
  const queue = (name: string) => ({
    name,
    arn: arn("sqs", name),
    policy: tls("sqs:*", arn("sqs", name)),
    messageSize: 262_144,
    retention: (name.includes("dead-letters") ? 14 : 4) * 24 * 60 * 60,
  });
  const { listeners, cors, ...bucket } = buckets.uploads!;
  assertEquals<unknown>(bucket, {
    name: "shop-uploads-123456789012-eu-west-1",
    arn: UPLOADS,
    policy: tls("s3:*", UPLOADS, `${UPLOADS}/*`),
  });
  assertEquals(cors?.methods, ["PUT"]);
  assertEquals<unknown>(listeners.map(({ id: _, ...listener }) => listener), [
    { function: "files", events: ["s3:ObjectCreated:*"], prefix: "in/", suffix: ".csv" },
    { function: "files", events: ["s3:ObjectRemoved:*"], prefix: "", suffix: "" },
  ]);
  assertEquals<unknown>(topics.messages, {
    name: "shop-messages",
    arn: arn("sns", "shop-messages"),
    policy: tls("sns:Publish", arn("sns", "shop-messages")),
    listeners: [{ function: "news", filter: { kind: ["order"] }, scope: "MessageAttributes" }],
  });
  assertEquals<unknown>(queues, {
    jobs: {
      ...queue("shop-jobs"),
      fifo: false,
      visibility: 60,
      deadLetters: queue("shop-jobs-dead-letters"),
      maxReceiveCount: 3,
      listeners: [{ function: "news", batch: 20, window: 1, concurrency: 5 }],
    },
    steps: {
      ...queue("shop-steps.fifo"),
      fifo: true,
      visibility: 30,
      deadLetters: queue("shop-steps-dead-letters.fifo"),
      maxReceiveCount: 4,
      listeners: [],
    },
  });
  assertEquals<unknown>(tables.notes, {
    name: "shop-notes",
    arn: arn("dynamodb", "table/shop-notes"),
    key: ["author", "id"],
    attributes: { author: "S", id: "N", date: "S" },
    indexes: {
      "by-date": { key: ["author", "date"], projection: "INCLUDE", included: ["title"] },
    },
    expires: "expiresAt",
    listeners: [{
      function: "changes",
      filter: undefined,
      batch: 10,
      window: 1,
      retries: 2,
      deadLetters: queue("shop-changes-notes-dead-letters"),
    }],
  });
  const { routes: _, cors: __, ...others } = gateway!;
  assertEquals(others, {
    kind: "rest",
    stage: "v1",
    prefix: "/v1",
    origin: "https://shop.example",
    preflights: ["/orders", "/orders/{id}", "/export", "/users", "/changes"],
    authorizers: {
      check: {
        authorizes: "request",
        ttl: 300,
        identity: ["header.Authorization", "context.path"],
        validation: undefined,
      },
      changes: {
        authorizes: "token",
        ttl: 0,
        identity: ["header.X-Token"],
        validation: "^Bearer ",
      },
    },
    jwtAuthorizers: {
      users: {
        issuer: "https://login.example",
        audience: ["<client>"],
        identity: "header.Authorization",
      },
    },
  });
});

Deno.test("resolveApplication() gives an HTTP API no stage in its paths, and an alarm of its own", () => {
  const text = withF({ triggers: { routes: [{ path: "$default" }] } }, {
    gateway: "http",
    cors: { origins: ["*"] },
    settings: { alarms: { topic: "arn:aws:sns:eu-west-1:1:pager" } },
  });
  const { gateway, alarms } = resolve(text);
  const { kind, stage, prefix, preflights, routes } = gateway!;
  assertEquals([kind, stage, prefix, preflights], ["http", "$default", "", []]);
  assertEquals(routes.map(({ method, path }) => [method, path]), [["ANY", "$default"]]);
  const { metric, dimensions } = alarms["app-5xx"]!;
  assertEquals([metric, dimensions], ["5xx", { ApiId: "", Stage: "$default" }]);
});

Deno.test("resolveApplication() keeps infra placeholders on this machine, and has no parts without triggers", () => {
  const text = withF({ environment: { TABLE: "${account}-${infra.table}" } });
  const { functions, gateway, scheduler } = resolve(text, LOCAL);
  assertEquals(functions.f!.environment, { TABLE: "000000000000-${infra.table}" });
  assertEquals([gateway, scheduler], [undefined, undefined]);
});

Deno.test("resolveApplication() gives the same names by placeholders as by uses and ARNs, here and in the account", () => {
  const references = {
    TABLE_NAME: "${TABLE_ORDERS}",
    TABLE_ARN: "${table.orders.arn}",
    QUEUE_URL: "${QUEUE_SLOW_JOBS}",
    QUEUE_ARN: "${queue.slow-jobs.arn}",
    BUCKET: "${BUCKET_UPLOADS}",
    BUCKET_ARN: "${bucket.uploads.arn}",
    FILE: "s3://${BUCKET_UPLOADS}/${region}.csv",
    NEWS: "${TOPIC_NEWS}",
    NEWS_ARN: "${topic.news.arn}",
    WORKER: "${function.worker.arn}",
  };
  const text = manifestText({
    name: "shop",
    stages: { prod: {} },
    functions: {
      f: {
        module: "f.ts",
        environment: references,
        statements: [{
          Effect: "Allow",
          Action: "lambda:InvokeFunction",
          Resource: ["${function.worker.arn}", "${table.orders.arn}/index/*"],
        }],
        uses: {
          tables: { orders: "read" },
          queues: { "slow-jobs": "send" },
          buckets: { uploads: "read" },
          topics: { news: "publish" },
        },
      },
      worker: { module: "f.ts" },
    },
    queues: { "slow-jobs": { fifo: true } },
    tables: { orders: { key: { id: "string" } } },
  });
  for (const [stage, place] of [["v0", ACCOUNT], ["v0", LOCAL], ["prod", ACCOUNT]] as const) {
    const application = resolveApplication(parseManifest(text, "app.json", stage), place);
    const { functions, tables, queues, buckets, topics } = application;
    const { BUCKET_UPLOADS, QUEUE_SLOW_JOBS, TABLE_ORDERS, TOPIC_NEWS, ...own } =
      functions.f!.environment;
    assertEquals<unknown>(own, {
      TABLE_NAME: TABLE_ORDERS,
      TABLE_ARN: tables.orders!.arn,
      QUEUE_URL: QUEUE_SLOW_JOBS,
      QUEUE_ARN: queues["slow-jobs"]!.arn,
      BUCKET: BUCKET_UPLOADS,
      BUCKET_ARN: buckets.uploads!.arn,
      FILE: `s3://${BUCKET_UPLOADS}/${place.region}.csv`,
      NEWS: TOPIC_NEWS,
      NEWS_ARN: topics.news!.arn,
      WORKER: functions.worker!.arn,
    });
    assertEquals<unknown>(functions.f!.statements.at(-1)?.Resource, [
      functions.worker!.arn,
      `${tables.orders!.arn}/index/*`,
    ]);
    assertEquals(functions.f!.code.environment, references);
  }
});

const SERVICE = "warehouse-inventory-service";
const named = (name: string, key: string, settings: object = {}, others: object = {}) =>
  manifestText({ name, functions: { [key]: { module: "f.ts", ...settings } }, ...others });

const many = (length: number, make: (index: number) => [name: string, value: string]) =>
  Object.fromEntries(Array.from({ length }, (_, index) => make(index)));

const LONG: readonly (readonly [text: string, message: string])[] = [
  [
    named(SERVICE, "reconcile-stock-with-suppliers", { triggers: { schedules: ["rate(1 hour)"] } }),
    '"functions.reconcile-stock-with-suppliers" is 4 characters too long: the role "warehouse-inventory-service-reconcile-stock-with-suppliers-us-east-1" has 68, and AWS IAM allows 64; shorten this name or "name"',
  ],
  [
    named(SERVICE, "stock", {}, { queues: { ["q".repeat(40)]: {} } }),
    `"queues.${"q".repeat(40)}" is 1 character too long: the queue "${SERVICE}-${
      "q".repeat(40)
    }-dead-letters" has 81, and Amazon SQS allows 80; shorten this name or "name"`,
  ],
  [
    withF({ uses: { buckets: { ["b".repeat(37)]: "read" } } }),
    `"functions.f.uses.buckets.${"b".repeat(37)}" is 1 character too long: the bucket "app-${
      "b".repeat(37)
    }-123456789012-us-east-1" has 64, and Amazon S3 allows 63; shorten this name or "name"`,
  ],
  [
    withF({}, { region: "ap-southeast-1", buckets: { ["b".repeat(32)]: {} } }),
    `"buckets.${"b".repeat(32)}" is 1 character too long: the bucket "app-${
      "b".repeat(32)
    }-123456789012-ap-southeast-1" has 64, and Amazon S3 allows 63; shorten this name or "name"`,
  ],
  [
    withF({}, { queues: { jobs: {}, "jobs-dead-letters": {} } }),
    '"queues.jobs-dead-letters" must have another name: the queue "app-jobs-dead-letters" belongs to "queues.jobs" already',
  ],
  [
    withF({
      environment: { AB: "é".repeat(2030) },
      uses: { topics: { news: "publish" } },
    }),
    '"functions.f.environment" must have at most 4096 bytes, names and values together',
  ],
  [
    withF({
      uses: {
        buckets: many(60, (index) => [`bucket-${index}`, "read"]),
      },
    }),
    '"functions.f" has rights of 10972 characters, and AWS IAM allows 10240: join "statements", or use fewer resources',
  ],
  [
    withF({
      triggers: { schedules: [{ expression: "rate(1 hour)", input: { text: "x".repeat(8182) } }] },
    }),
    '"functions.f" has a schedule whose input has 8193 characters, and Amazon EventBridge allows 8192: shorten it, or keep it in a bucket',
  ],
  [
    withF({ triggers: { events: [{ pattern: { source: ["x".repeat(4082)] } }] } }),
    '"functions.f" has an event pattern of 4097 characters, and Amazon EventBridge allows 4096: divide it into two',
  ],
  [
    withF({ triggers: { routes: [{ method: "GET", path: "/" }] } }, {
      region: "eu-west-1",
      settings: {
        domain: {
          name: "shop.example",
          certificate: "arn:aws:acm:us-east-1:123456789012:certificate/1",
        },
      },
    }),
    '"settings.domain.certificate" must be in "eu-west-1" as the application, not in "us-east-1"',
  ],
  [
    withF({
      triggers: {
        routes: [
          ...Array.from({ length: 300 }, (_, index) => ({ method: "GET", path: `/${index}` })),
          ...Array.from({ length: 11 }, (_, index) => ({
            method: "GET",
            path: `/a/${index}`,
            authorizer: `a${index}`,
            scopes: Array(index === 0 ? 11 : 0).fill("read"),
          })),
        ],
      },
    }, {
      authorizers: Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`a${index}`, {
        issuer: "https://login.example",
        audience: Array(index === 0 ? 51 : 1).fill("shop"),
      }])),
    }),
    `
  "functions" must have at most 300 routes, not 311: serve several by one with {path+}
  "authorizers.a0.audience" must have at most 50 members, not 51
  "authorizers" must have at most 10 members, not 11
  "functions.f.triggers.routes" must have at most 10 scopes a route, not 11`,
  ],
  [
    withF({}, {
      settings: {
        tags: many(48, (index) => [`tag-${index}`, ""]),
        vpc: {
          subnets: Array(17).fill("subnet-1"),
          securityGroups: Array(6).fill("sg-1"),
        },
      },
      tables: {
        notes: {
          key: { id: "string" },
          indexes: { "by-id": { key: { id: "string" }, projection: Array(21).fill("a") } },
        },
      },
    }),
    `
  "settings.tags" must have at most 47 members, not 48
  "settings.vpc.subnets" must have at most 16 members, not 17
  "settings.vpc.securityGroups" must have at most 5 members, not 6
  "tables.notes.indexes.by-id.projection" must have at most 20 members, not 21`,
  ],
];

const LINES = `{
  "name": "${SERVICE}",
  "functions": {
    "f": { "module": "f.ts", "environment": { "TEXT": "${"a".repeat(4096)}" } }
  },
  "stage": "v0",
  "queues": {
    "${"q".repeat(40)}": {}
  },
  "stages": {
    "prod": {
      "functions": { "f": { "environment": { "TEXT": "${"b".repeat(4096)}" } } }
    }
  }
}`;

Deno.test("resolveApplication() says which names are too long, by how much, and what is too large", () => {
  for (const [text, message] of LONG) {
    const error = assertThrows(() => resolve(text), TypeError);
    const space = message.startsWith("\n") ? "" : " ";
    assertEquals(error.message, `Cannot use the manifest "app.json":${space}${message}`);
  }
  resolve(named("a".repeat(30), "b".repeat(23)));
  const both = named("a".repeat(40), "b".repeat(30), {}, { queues: { ["q".repeat(30)]: {} } });
  assertEquals(assertThrows(() => resolve(both), TypeError).message.split("\n").length, 3);
});

Deno.test("resolveApplication() names the line of what the account would refuse, also of a stage and in a copy", () => {
  const problemsOf = (manifest: Manifest) =>
    assertThrows(() => resolveApplication(manifest, ACCOUNT), TypeError).message
      .replaceAll(/ (is|must) .*/g, "");
  const manifest = parseManifest(LINES, "app.json");
  const queue = `"queues.${"q".repeat(40)}"`;
  assertEquals(
    problemsOf({ ...manifest, region: "eu-west-1" }),
    `Cannot use the manifest "app.json":\n  line 8: ${queue}\n  line 4: "functions.f.environment"`,
  );
  const prod = parseManifest(LINES, "app.json", "prod");
  assertEquals(
    problemsOf(prod),
    `Cannot use the manifest "app.json" for the stage "prod":\n  line 8: ${queue}\n  line 12: "functions.f.environment"`,
  );
  assertEquals(
    problemsOf(structuredClone(prod)),
    `Cannot use the manifest of "${SERVICE}-prod":\n  ${queue}\n  "functions.f.environment"`,
  );
});

Deno.test("resolveApplication() gives the stages of a manifest no name in common", () => {
  const namesOf = (stage: string) => {
    const application = resolveApplication(parseManifest(FULL, "app.json", stage), ACCOUNT);
    const text = JSON.stringify(
      application,
      (key, value) => key === "settings" ? undefined : value,
    );
    const names = [...text.matchAll(/"(?:name|role|arn|logGroup|stack|layer)":"([^"]*)"/g)];
    const { rules, schedules, alarms } = application;
    return [...names.map(([, name]) => name!), ...[rules, schedules, alarms].flatMap(Object.keys)];
  };
  const [first, second] = [namesOf("v1"), namesOf("prod")];
  assertEquals(first.length, second.length);
  assertEquals(first.filter((name) => second.includes(name)), []);
});
