import { assertEquals, assertMatch } from "@std/assert";
import { formatRecord } from "../../../cli/dev/terminal.ts";
import { manifestWith, startTestPlatform } from "../../../cli/testdata/platform.ts";
import { tellOfFailures } from "./failures.ts";

Deno.test("tellOfFailures() shows why a function or an authorizer failed, and nothing if all is well", async () => {
  const route = (path: string, others = {}) => ({ routes: [{ method: "GET", path, ...others }] });
  const manifest = manifestWith({
    well: { module: "f.ts", triggers: route("/well") },
    broken: { module: "f.ts", triggers: { ...route("/broken"), url: { auth: "none" } } },
    guard: { module: "f.ts" },
    guarded: { module: "f.ts", triggers: route("/guarded", { authorizer: "guard" }) },
    worker: { module: "f.ts", triggers: { queues: [{ name: "jobs" }] } },
    reader: { module: "f.ts", triggers: { topics: [{ name: "news" }] } },
  }, { jobs: { retries: 0 } });
  const payload = new TextEncoder().encode(`{ "errorMessage": "no soup" }`);
  await using test = await startTestPlatform(
    ({ name }) => name === "well" ? `{ "statusCode": 200 }` : { failure: "error", payload },
    { manifest, time: "skip" },
  );
  const host = (name: string) => `${name}:${test.platform.port}`;
  let seen = 0;
  for (
    const [method, name, path, reason] of [
      ["GET", "localhost", "/v0/well", undefined],
      ["GET", "localhost", "/v0/none", undefined],
      ["GET", "localhost", "/v0/broken", /GET \/v0\/broken: 502, because /],
      ["GET", "broken.localhost", "/", /: 502, because /],
      ["GET", "localhost", "/v0/guarded", /: 500, because the authorizer "guard" failed/],
      ["POST", "127.0.0.1", "/queues/jobs", /Gave up the message /],
      ["POST", "127.0.0.1", "/topics/news", /Gave up the event of "reader" /],
    ] as const
  ) {
    const shown: string[] = [];
    const take = tellOfFailures((text) => shown.push(text));
    const body = method === "POST" ? "{}" : "";
    await test.send({
      method,
      path,
      headers: [["Host", host(name)], ["Content-Type", "text/plain"]],
      body,
    });
    await test.platform.settled();
    take("A function is reloaded if its code changes");
    for (const record of test.log.after(seen)) {
      seen = record.number;
      take(formatRecord(record, false));
    }
    assertEquals(shown.length, reason === undefined ? 0 : 1, `${name} ${path}`);
    if (reason !== undefined) assertMatch(shown[0]!, reason);
  }
});
