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
  state: "s3://states/shop/state.json",
  ...MANIFEST,
  functions: {
    ...MANIFEST.functions,
    orders: {
      ...MANIFEST.functions.orders,
      uses: { ...MANIFEST.functions.orders.uses, tables: { notes: "read-write" } },
    },
    changes: {
      module: "changes.ts",
      triggers: { tables: [{ name: "notes", batch: 10, window: 1, retries: 2 }] },
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
