import { assertEquals, assertMatch } from "@std/assert";
import { Command } from "../../cli/testdata/command.ts";
import { makeApp } from "../../cli/testdata/bundle.ts";
import { send } from "../../cli/testdata/platform.ts";

/** It would clear the screen, set the title of the window, clear the screen by a C1 control character, and turn the text. */
const ESCAPES = "\x1b[2J\x1b]0;title\x07\x9b2J\u202e\u2066";

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
    "one.ts": `export const handler = ({ body, isBase64Encoded }) => {
      const bytes = isBase64Encoded ? Uint8Array.fromBase64(body) : new TextEncoder().encode(body);
      const text = new TextDecoder().decode(bytes);
      console.log(text);
      console.error(text);
      throw new Error(text);
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
  const [, port, root] = await command.find(
    /Start page\s+http:\/\/127\.0\.0\.1:(\d+)(\/\w+)\/\n[^]*Ctrl-C/,
  );
  const [, services] = /aws s3 ls --endpoint-url http:\/\/127\.0\.0\.1:(\d+)/.exec(command.output)!;
  const body = `${ESCAPES}{`;
  for (
    const path of [
      "/v0/one",
      `${root}/requests`,
      `${root}/2015-03-31/functions/one/invocations`,
      `${root}/2015-03-31/functions/%1b%5b2J/invocations`,
      `${root}/topics/news`,
      `${root}/events`,
      `${root}/buckets/files/%1b%5b2J`,
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
          path: root + path!,
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
  assertMatch(
    command.output,
    /␛\[2J␛\]0;title␇␡2J<U\+202E><U\+2066>/,
    "the text is there, and it is visible",
  );
  const all = command.output + await command.errors;
  const hidden = /(?!\n|\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.exec(all)?.[0];
  assertEquals(hidden, undefined, JSON.stringify(all.slice(-3_000)));
});
