import { assertEquals } from "@std/assert";
import { parseManifest } from "../manifest/manifest.ts";
import { withF } from "../testdata/manifest.ts";
import { codeOf } from "./code.ts";

const read = (settings: Record<string, unknown>) =>
  codeOf(
    parseManifest(
      withF(settings, { queues: { jobs: {} }, tables: { orders: { key: { id: "string" } } } }),
      "app.json",
    ),
    "f",
  );

Deno.test("codeOf() names the variables that stand for placeholders", () => {
  for (
    const [net, hosts] of [
      [[], []],
      [["a.example", "b.example:443"], ["a.example", "b.example:443"]],
      [["dynamodb.${region}.amazonaws.com"], ["dynamodb.${AWS_REGION}.amazonaws.com"]],
      [["${DB_HOST}:5432"], ["${DB_HOST}:5432"]],
    ] as const
  ) {
    assertEquals(
      read({ permissions: { net }, environment: { DB_HOST: "x" } }).net,
      hosts,
    );
  }
});

Deno.test("codeOf() names the endpoints of exactly the resources that a function uses", () => {
  const s3 = "s3.${AWS_REGION}.amazonaws.com:443";
  for (
    const [uses, line] of [
      [{}, ""],
      [
        { buckets: { "in-box": "read", out: "write" } },
        `\${BUCKET_IN_BOX}.${s3},${s3},\${BUCKET_OUT}.${s3}`,
      ],
      [{ topics: { a: "publish", b: "publish" } }, "sns.${AWS_REGION}.amazonaws.com:443"],
      [{ queues: { jobs: "send" } }, "sqs.${AWS_REGION}.amazonaws.com:443"],
      [
        { tables: { orders: "read" } },
        "dynamodb.${AWS_REGION}.amazonaws.com:443,*.ddb.${AWS_REGION}.amazonaws.com:443",
      ],
    ] as const
  ) {
    assertEquals(read({ uses }).hosts.join(), line);
  }
  const { hosts } = read({ secrets: ["KEY", "OTHER"] });
  assertEquals(hosts, ["ssm.${AWS_REGION}.amazonaws.com:443"]);
});

Deno.test("codeOf() names the services of statements that the local platform answers", () => {
  const hosts = (...services: string[]) =>
    services.map((service) => `${service}.\${AWS_REGION}.amazonaws.com:443`).join(",");
  for (
    const [Effect, Action, line] of [
      ["Allow", "events:PutEvents", hosts("events")],
      ["Allow", ["SQS:SendMessage", "lambda:InvokeFunction"], hosts("sqs", "lambda")],
      ["Allow", "s3:GetObject", hosts("s3", "*.s3")],
      ["Allow", "*", hosts("s3", "*.s3", "sns", "sqs", "events", "lambda", "dynamodb", "*.ddb")],
      ["Allow", "dynamodb:GetItem", hosts("dynamodb", "*.ddb")],
      ["Allow", "ses:SendEmail", ""],
      ["Deny", "sns:Publish", ""],
    ] as const
  ) {
    const statements = [{ Effect, Action, Resource: "*" }];
    assertEquals(read({ statements }).hosts.join(), line);
  }
});
