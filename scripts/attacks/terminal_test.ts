import { assertEquals, assertMatch } from "@std/assert";
import { Command } from "../../cli/testdata/command.ts";
import { makeApp } from "../../cli/testdata/bundle.ts";
import { send } from "../../cli/testdata/platform.ts";

/** It would clear the screen, set the title of the window, and clear the screen by a C1 control character. */
const ESCAPES = "\x1b[2J\x1b]0;title\x07\x9b2J";

const SERVICES = [
  ["AmazonSQS.SendMessage", "sqs"],
  ["AWSEvents.PutEvents", "events"],
  ["DynamoDB_20120810.GetItem", "dynamodb"],
  ["", "sns"],
  ["", "s3"],
  ["", "lambda"],
];

Deno.test("no client and no function can control the terminal of mate dev", async () => {
  await using app = await makeApp({
    "one.ts": `export const handler = ({ body }) => {
      console.log(atob(body));
      console.error(atob(body));
      throw new Error(atob(body));
    };`,
  }, {
    one: {
      module: "one.ts",
      triggers: {
        routes: [{ method: "ANY", path: "/one" }],
        topics: [{ name: "news" }],
        buckets: [{ name: "files", events: ["s3:ObjectCreated:*"] }],
      },
    },
  });
  await using command = new Command(["--port", "0", "app.json"], app.folder);
  const [, port] = await command.find(/Start page\s+http:\/\/127\.0\.0\.1:(\d+)\/\n[^]*Ctrl-C/);
  const [, services] = /aws s3 ls --endpoint-url http:\/\/127\.0\.0\.1:(\d+)/.exec(command.output)!;
  const body = `${ESCAPES}{`;
  for (
    const path of [
      "/v0/one",
      "/requests",
      "/2015-03-31/functions/one/invocations",
      "/2015-03-31/functions/%1b%5b2J/invocations",
      "/topics/news",
      "/events",
      "/buckets/files/%1b%5b2J",
      `/${ESCAPES}`,
    ]
  ) {
    for (const method of ["POST", "PUT"]) {
      for (const type of ["application/json", "text/plain", ESCAPES]) {
        await send(Number(port), { method, path, headers: [["Content-Type", type]], body });
      }
    }
  }
  for (const [target, service] of SERVICES) {
    const credential = `Credential=me/20260101/us-east-1/${service}/aws4_request`;
    for (const [method, path] of [["POST", "/"], ["PUT", "/files/a"], ["POST", "/files?delete"]]) {
      for (const type of ["application/x-amz-json-1.0", "application/x-www-form-urlencoded"]) {
        await send(Number(services), {
          method: method!,
          path: path!,
          headers: [
            ["Authorization", `AWS4-HMAC-SHA256 ${credential}`],
            ["X-Amz-Target", target!],
            ["Content-Type", type],
          ],
          body: type.includes("form") ? `Action=${encodeURIComponent(ESCAPES)}&${body}` : body,
        });
      }
    }
  }
  command.kill("SIGINT");
  await command.status();
  assertMatch(command.output, /␛\[2J␛\]0;title␇/, "the text is there, and it is visible");
  const all = command.output + await command.errors;
  assertEquals(/(?!\n|\t)\p{Cc}/u.exec(all)?.[0], undefined, JSON.stringify(all.slice(-3_000)));
});
