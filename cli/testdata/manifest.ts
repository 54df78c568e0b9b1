import { MANIFEST } from "../deploy/testdata/manifest.ts";

/** A manifest with the function `f` and the given settings. */
export const manifestText = (settings: object = {}): string =>
  JSON.stringify({ name: "app", stage: "v0", functions: { f: { module: "f.ts" } }, ...settings });

/** A manifest whose function `f` has the given settings. */
export const withF = (settings: object, others: object = {}): string =>
  manifestText({ functions: { f: { module: "f.ts", ...settings } }, ...others });

/** A manifest with the queues `jobs` and `ordered.fifo` and the table `orders`, whose function `f` has the given triggers. */
export const withTriggers = (triggers: object): string =>
  withF({ triggers }, {
    queues: { jobs: {}, ordered: { fifo: true } },
    tables: { orders: { key: { id: "string" } } },
  });

/** A manifest with a function `a`, `b` and so on for each of the given triggers. */
export const withFunctions = (...triggers: readonly object[]): string =>
  manifestText({
    functions: Object.fromEntries(
      triggers.map((value, index) => ["abc"[index], { module: "f.ts", triggers: value }]),
    ),
    queues: { jobs: {} },
  });

/** A manifest with everything that a manifest can have. */
export const FULL: string = JSON.stringify({
  $schema: "https://example.com/schema.json",
  region: "eu-west-1",
  architecture: "arm64",
  runtime: "deno",
  state: "s3://states/shop/state.json",
  provider: "6.73.0",
  defaults: {
    handler: "handler",
    memory: 128,
    timeout: 3,
    ephemeralStorage: 512,
    reservedConcurrency: 10,
    environment: { CURRENCY: "EUR" },
    secrets: [],
    packages: ["pdfkit"],
    permissions: { net: [] },
  },
  api: "api.ts",
  ...MANIFEST,
  gateway: "rest",
  authorizers: {
    users: {
      issuer: "https://login.example",
      audience: ["${infra.client}"],
      identity: "header.Authorization",
    },
  },
  settings: {
    ...MANIFEST.settings,
    domain: { ...MANIFEST.settings.domain, basePath: "shop" },
    binaryMediaTypes: ["image/*"],
  },
  functions: {
    ...MANIFEST.functions,
    check: { ...MANIFEST.functions.check, authorizes: "request" },
    orders: {
      ...MANIFEST.functions.orders,
      triggers: {
        ...MANIFEST.functions.orders.triggers,
        routes: [
          ...MANIFEST.functions.orders.triggers.routes,
          { method: "GET", path: "/users", authorizer: "users", scopes: ["read"] },
          { method: "GET", path: "/changes", authorizer: "changes" },
        ],
      },
      uses: { ...MANIFEST.functions.orders.uses, tables: { notes: "read-write" } },
    },
    changes: {
      module: "changes.ts",
      runtime: "nodejs24.x",
      packages: ["jsdom"],
      authorizes: "token",
      identity: ["header.X-Token"],
      validation: "^Bearer ",
      triggers: {
        tables: [{ name: "notes", batch: 10, window: 1, retries: 2 }],
        url: {
          auth: "iam",
          cors: {
            origins: ["https://shop.example"],
            methods: ["GET"],
            exposeHeaders: ["etag"],
            credentials: true,
          },
        },
        events: [{ pattern: { source: ["shop.notes"] }, bus: "default" }],
        topics: [{ name: "notes", filter: { kind: ["note"] }, filterScope: "body" }],
      },
      statements: [
        { Effect: "Allow", Action: ["ses:SendEmail"], Resource: ["*"] },
        { Effect: "Deny", NotAction: ["ses:SendEmail"], NotResource: ["arn:aws:s3:::notes/*"] },
      ],
    },
  },
  tables: {
    ...MANIFEST.tables,
    notes: {
      key: { author: "string", id: "number" },
      indexes: { "by-date": { key: { author: "string", date: "string" }, projection: ["title"] } },
      expires: "expiresAt",
    },
  },
});
