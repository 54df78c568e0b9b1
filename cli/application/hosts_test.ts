import { assertEquals } from "@std/assert";
import { parseManifest } from "../manifest/manifest.ts";
import { withF } from "../testdata/manifest.ts";
import { permittedHosts, usedHosts } from "./hosts.ts";

const read = (settings: Record<string, unknown>) =>
  parseManifest(
    withF(settings, { queues: { jobs: {} }, tables: { orders: { key: { id: "string" } } } }),
    "app.json",
  ).functions.f!;

Deno.test("permittedHosts() names the variables that stand for placeholders", () => {
  for (
    const [net, line] of [
      [[], "\n"],
      [["a.example", "b.example:443"], "a.example,b.example:443\n"],
      [["a.example", "*"], "*\n"],
      [["dynamodb.${region}.amazonaws.com"], "dynamodb.${AWS_REGION}.amazonaws.com\n"],
      [["${DB_HOST}:5432"], "${DB_HOST}:5432\n"],
    ] as const
  ) {
    assertEquals(
      permittedHosts(read({ permissions: { net }, environment: { DB_HOST: "x" } })),
      line,
    );
  }
});

Deno.test("usedHosts() names the endpoints of exactly the resources that a function uses", () => {
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
    assertEquals(usedHosts(read({ uses })), `${line}\n`);
  }
  const ssm = "ssm.${AWS_REGION}.amazonaws.com:443\n";
  assertEquals(usedHosts(read({ secrets: ["KEY", "OTHER"] })), ssm);
});

Deno.test("usedHosts() names the services of statements that the local platform answers", () => {
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
    assertEquals(usedHosts(read({ statements })), `${line}\n`);
  }
});
