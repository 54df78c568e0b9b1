/** A manifest with one function `f`; `change` changes the manifest and the function. */
export function manifestText(
  change: (
    manifest: Record<string, unknown>,
    f: Record<string, unknown>,
  ) => void = () => {},
): string {
  const f: Record<string, unknown> = { module: "f.ts" };
  const all: Record<string, unknown> = { name: "app", stage: "v0", functions: { f } };
  change(all, f);
  return JSON.stringify(all);
}

/** A manifest whose function `f` has the settings. */
export const withF = (settings: Record<string, unknown>): string =>
  manifestText((_, f) => void Object.assign(f, settings));

/** A manifest whose function `f` has the triggers, and with the queues `jobs` and `ordered.fifo`. */
export const withTriggers = (triggers: Record<string, unknown>): string =>
  manifestText((manifest, f) => {
    manifest.queues = { jobs: {}, ordered: { fifo: true } };
    f.triggers = triggers;
  });

/** A manifest with functions `a`, `b` and so on, with the triggers. */
export const withFunctions = (...triggers: readonly Record<string, unknown>[]): string =>
  manifestText((manifest) => {
    manifest.queues = { jobs: {} };
    manifest.functions = Object.fromEntries(
      triggers.map((value, index) => ["abc"[index], { module: "f.ts", triggers: value }]),
    );
  });

/** A manifest with everything that a manifest can have. */
export const FULL: string = JSON.stringify({
  $schema: "https://example.com/schema.json",
  name: "shop",
  stage: "v1",
  region: "eu-west-1",
  architecture: "arm64",
  tracing: true,
  cors: { origin: "https://shop.example" },
  state: "s3://states/shop/state.json",
  functions: {
    check: { module: "check.ts" },
    orders: {
      module: "orders.ts",
      handler: "main",
      description: "Orders",
      memory: 512,
      timeout: 30,
      reservedConcurrency: 5,
      environment: { GREETING: "Hello", TABLE: "${infra.table_name}-${region}-${account}" },
      permissions: { net: ["api.example.com:443", "dynamodb.${region}.amazonaws.com:443"] },
      triggers: {
        routes: [{ method: "GET", path: "/orders/{id}", authorizer: "check", stream: true }],
        url: { auth: "none", stream: true, cors: { origins: ["https://shop.example"] } },
        schedules: [
          "rate(5 minutes)",
          { expression: "cron(0 3 * * ? *)", timezone: "Europe/Paris", input: { full: true } },
        ],
        events: [{
          pattern: { source: ["shop.orders"], detail: { total: [{ numeric: [">", 5] }] } },
        }],
        buckets: [
          { name: "uploads", events: ["s3:ObjectCreated:*"], prefix: "in/", suffix: ".csv" },
          { name: "uploads", events: ["s3:ObjectCreated:*"], prefix: "other/" },
        ],
        topics: [{ name: "messages", filter: { kind: ["order"] } }],
        queues: [{ name: "jobs", batch: 100, window: 5, concurrency: 5 }],
      },
      uses: {
        buckets: { uploads: "read-write" },
        topics: { messages: "publish" },
        queues: { jobs: "send" },
      },
      statements: [{
        Sid: "Notes",
        Effect: "Allow",
        Action: ["dynamodb:GetItem"],
        Resource: "arn:aws:dynamodb:${region}:${account}:table/${infra.table_name}",
        Condition: { StringEquals: { "aws:username": "${aws:username}" } },
      }],
    },
  },
  queues: { jobs: { fifo: false, retries: 3, visibility: 60 } },
});
