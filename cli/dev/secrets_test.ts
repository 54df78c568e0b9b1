import { assertEquals, assertStringIncludes } from "@std/assert";
import { makeApp } from "../testdata/bundle.ts";
import { Log } from "../lambda/log.ts";
import type { Manifest } from "../manifest/types.ts";
import { TestHost } from "../testdata/platform.ts";
import { startPlatform } from "./platform.ts";

const MODULE = `const found = ["KEY", "OTHER"].map((name) => process.env[name] ?? "absent");
  export const handler = () => found;`;

Deno.test("startPlatform() gives a function its own secrets only, and names those without a value", async () => {
  const functions = {
    one: { module: "one.ts", secrets: ["KEY", "OTHER"] },
    two: { module: "one.ts" },
  };
  await using app = await makeApp({ "one.ts": MODULE, ".env": "KEY=sesame\n" }, functions);
  const log = new Log();
  await using platform = await startPlatform(app.manifest, { log });
  const invoke = async (name: string) => {
    const url = `${platform.controlUrl}/2015-03-31/functions/${name}/invocations`;
    return await (await fetch(url, { method: "POST", body: "{}" })).json();
  };
  assertEquals(await invoke("one"), ["sesame", "absent"]);
  assertEquals(await invoke("two"), ["absent", "absent"]);
  const texts = log.after(0).map(({ text }) => text).join("\n");
  assertStringIncludes(texts, 'The secret OTHER of "one" has no value on this machine');
  assertEquals(texts.includes("sesame"), false);

  const secrets = { KEY: "given", OTHER: "given, too" };
  let given: Readonly<Record<string, string>> = {};
  const host = (local: Manifest) => {
    given = local.functions.one!.environment;
    return Promise.resolve(new TestHost(() => "{}"));
  };
  await using _other = await startPlatform(app.manifest, { secrets, host });
  assertEquals([given.KEY, given.OTHER], ["given", "given, too"]);
});

Deno.test("a variable without a value on this machine is absent and named, and no placeholder is a value", async () => {
  const environment = {
    JWT: "${infra.jwt_secret}",
    HOST: "api-${infra.id}.example",
    SET: "${infra.set}",
    REGION: "${region}",
  };
  const net = ["${HOST}:443", "${REGION}.example"];
  const code = `const names = ["JWT", "HOST", "SET", "REGION"];
    const values = names.map((name) => process.env[name] ?? "absent");
    export const handler = () => values;`;
  const functions = {
    one: { module: "one.ts", environment, permissions: { net } },
    two: { module: "one.ts", environment: { JWT: environment.JWT } },
  };
  await using app = await makeApp({ "one.ts": code, ".env": "SET=here\n" }, functions);
  const log = new Log();
  await using platform = await startPlatform(app.manifest, { log });
  const url = `${platform.controlUrl}/2015-03-31/functions/one/invocations`;
  const response = await fetch(url, { method: "POST", body: "{}" });
  assertEquals(await response.json(), ["absent", "absent", "here", "us-east-1"]);
  const texts = log.after(0).map(({ text }) => text).filter((text) => /no value/.test(text));
  const rest = "has no value on this machine, so it is absent: add it to the file .env";
  assertEquals(texts, [
    `The variable JWT of "one", "two" ${rest}`,
    `The variable HOST of "one" ${rest}`,
  ]);
});
