import { assertEquals, assertThrows } from "@std/assert";
import { manifestText } from "../testdata/manifest.ts";
import { parseManifest } from "./manifest.ts";
import { arnPlaceholder, resourceNames } from "./references.ts";
import { KINDS, variableOf } from "./variables.ts";

/** A manifest whose function `f` has the given settings, and uses one resource of each kind. */
const text = (settings: object) =>
  manifestText({
    functions: {
      f: {
        module: "f.ts",
        uses: {
          buckets: { uploads: "read" },
          topics: { news: "publish" },
          queues: { jobs: "send" },
          tables: { orders: "read" },
        },
        ...settings,
      },
      other: { module: "f.ts", triggers: { topics: [{ name: "alerts" }] } },
    },
    queues: { jobs: {}, "slow-jobs": {} },
    tables: { orders: { key: { id: "string" } } },
    buckets: { files: {} },
  });

const environment = (VALUE: string) => text({ environment: { VALUE } });
const resource = (Resource: string, key = "Resource") =>
  text({ statements: [{ Effect: "Allow", Action: "s3:*", [key]: Resource }] });

const PLACEHOLDERS =
  "expected ${region}, ${account} and ${infra.NAME}, ARNs such as ${function.NAME.arn} and ${table.NAME.arn}";

Deno.test("findWrongReferences() allows every name and ARN of what a function uses", () => {
  const manifest = parseManifest(environment(""), "app.json");
  const names = KINDS.flatMap((kind) =>
    Object.keys(manifest.functions.f!.uses[kind]).flatMap((name) => [
      variableOf(kind, name),
      arnPlaceholder(kind, name),
    ])
  );
  const all = KINDS.flatMap((kind) =>
    resourceNames(manifest, kind).map((name) => arnPlaceholder(kind, name))
  );
  assertEquals([names.length, all.length], [8, 7]);
  const functions = ["function.f.arn", "function.other.arn"];
  for (const name of ["region", "account", "infra.x", ...functions, ...names]) {
    parseManifest(environment(`a-\${${name}}-b`), "app.json");
  }
  for (const name of [...functions, ...all]) {
    parseManifest(resource(`\${${name}}`), "app.json");
    parseManifest(resource(`\${${name}}/\${aws:username}/\${*}`, "NotResource"), "app.json");
  }
});

Deno.test("findWrongReferences() names the key and the remedy", () => {
  const USED = `${PLACEHOLDERS}, and what "uses" sets, such as \${TABLE_NAME}`;
  const VALUE = '"functions.f.environment.VALUE"';
  const STATEMENT = '"functions.f.statements.0.Resource"';
  for (
    const [manifest, message] of [
      [
        environment("${QUEUE_SLOW_JOBS}"),
        `${VALUE} has \${QUEUE_SLOW_JOBS}, which the function does not use: add "slow-jobs" to "functions.f.uses.queues"`,
      ],
      [
        environment("${topic.alerts.arn}"),
        `${VALUE} has \${topic.alerts.arn}, which the function does not use: add "alerts" to "functions.f.uses.topics"`,
      ],
      [
        environment("${TABEL_ORDERS}"),
        `${VALUE} has the unknown placeholder \${TABEL_ORDERS}: did you mean "\${TABLE_ORDERS}"?`,
      ],
      [
        environment("${table.order.arn}"),
        `${VALUE} has the unknown placeholder \${table.order.arn}: did you mean "\${table.orders.arn}"?`,
      ],
      [
        environment("${function.othr.arn}"),
        `${VALUE} has the unknown placeholder \${function.othr.arn}: did you mean "\${function.other.arn}"?`,
      ],
      [
        environment("${infra.}"),
        `${VALUE} has the unknown placeholder \${infra.}: ${USED}`,
      ],
      [
        environment("${BUCKET_ARCHIVES_OF_THE_YEAR}"),
        `${VALUE} has the unknown placeholder \${BUCKET_ARCHIVES_OF_THE_YEAR}: ${USED}`,
      ],
      [environment("${region"), `${VALUE} must end its placeholder with "}"`],
      [resource("arn:${region"), `${STATEMENT} must end its placeholder with "}"`],
      [
        resource("arn:${acount}"),
        `${STATEMENT} has the unknown placeholder \${acount}: did you mean "\${account}"?`,
      ],
      [
        resource("arn:${TABLE_ORDERS}"),
        `${STATEMENT} has the unknown placeholder \${TABLE_ORDERS}: did you mean "\${table.orders.arn}"?`,
      ],
      [
        resource("arn:${everything}"),
        `${STATEMENT} has the unknown placeholder \${everything}: ${PLACEHOLDERS}`,
      ],
    ] as const
  ) {
    assertThrows(
      () => parseManifest(manifest, "app.json"),
      TypeError,
      `Cannot use the manifest "app.json": ${message}`,
      manifest,
    );
  }
});

Deno.test("findWrongReferences() names the line of a value in the defaults", () => {
  const manifest = `{
  "name": "app",
  "stage": "v0",
  "defaults": {
    "environment": { "TABLE_NAME": "\${TABLE_ORDERS}" }
  },
  "functions": { "f": { "module": "f.ts" } },
  "tables": { "orders": { "key": { "id": "string" } } }
}`;
  assertThrows(
    () => parseManifest(manifest, "app.json"),
    TypeError,
    'line 5: "functions.f.environment.TABLE_NAME" has ${TABLE_ORDERS}, which the function does not use: add "orders" to "functions.f.uses.tables"',
  );
});
