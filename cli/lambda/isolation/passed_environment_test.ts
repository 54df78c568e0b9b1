import { assertEquals, assertMatch } from "@std/assert";
import { isolation, startApp } from "../../testdata/sandbox.ts";
import { plainFolders } from "./isolation.ts";
import { passEnvironment, PROXY_VARIABLES, takeEnvironment } from "./passed_environment.ts";

Deno.test("takeEnvironment() sets the variables that passEnvironment() has put into one", () => {
  // Tests that run at the same time share the environment, so these names must be harmless.
  const environment = { MATE_TEST_GREETING: "a=b\n'ü'", MATE_TEST_EMPTY: "" };
  const [[name, value] = [], ...others] = Object.entries(passEnvironment(environment));
  assertEquals([name, others], ["_MATE_ENVIRONMENT", []]);
  Deno.env.set(name!, value!);
  assertEquals(takeEnvironment(), true);
  const names = Object.keys(environment);
  assertEquals(names.map((key) => Deno.env.get(key)), Object.values(environment));
  assertEquals(Deno.env.get(name!), undefined);
  for (const key of names) Deno.env.delete(key);
  assertEquals(takeEnvironment(), false); // as on AWS Lambda, where the variables are set already
  assertEquals(names.map((key) => Deno.env.get(key)), [undefined, undefined]);
});

/** A function that reads and sets the variables in each way. It returns what it got, and its errors. */
const EACH_WAY = `
import { env } from "node:process";
const WAYS = {
  get: (name) => Deno.env.get(name),
  has: (name) => Deno.env.has(name),
  toObject: (name) => Deno.env.toObject()[name],
  process: (name) => process.env[name],
  import: (name) => env[name],
  in: (name) => name in process.env,
  hasOwn: (name) => Object.hasOwn(process.env, name),
  spread: (name) => ({ ...process.env })[name],
  keys: (name) => Object.keys(process.env).includes(name),
};
const CHANGES = {
  set: (name) => Deno.env.set(name, "http://evil.example"),
  delete: (name) => Deno.env.delete(name),
  process: (name) => process.env[name] = "http://evil.example",
  define: (name) => Object.defineProperty(
    process.env, name, { value: "evil", enumerable: true, configurable: true, writable: true }),
};
const attempt = (change, name) => {
  try {
    change(name);
  } catch ({ name, message }) {
    return name + ": " + message;
  }
};
export const handler = (names) => Object.fromEntries(names.map((name) => [name, {
  problems: Object.values(CHANGES).map((change) => attempt(change, name)),
  values: Object.values(WAYS).map((way) => way(name) ?? null),
}]));
`;

Deno.test({
  name: "a function reads the manifest's proxies in each way, and no way sets a proxy",
  ignore: Deno.build.os === "windows",
  async fn() {
    const environment = { HTTP_PROXY: "http://127.0.0.1:9 '$x", no_proxy: "" };
    for (const chosen of new Set([isolation!, plainFolders("of the test")])) {
      await using app = await startApp(EACH_WAY, { environment }, {}, chosen);
      const { json } = await app.invoke([...PROXY_VARIABLES, "OTHER"]);
      const { OTHER: other, ...found } = json as Record<string, Found>;
      assertEquals(Object.keys(found).length, 8);
      for (const [name, { problems, values }] of Object.entries(found)) {
        const value = (environment as Record<string, string>)[name] ?? null;
        const isThere = value !== null;
        const expected = [value, isThere, value, value, value, isThere, isThere, value, isThere];
        assertEquals(values, expected, `${name} ${chosen.kind}`);
        for (const problem of problems) {
          assertMatch(problem!, new RegExp(`^NotCapable: Cannot \\w+ "${name}": `));
        }
      }
      assertEquals(other!.problems, [null, null, null, null], "any other variable can be set");
    }
  },
});

interface Found {
  readonly problems: readonly (string | null)[];
  readonly values: readonly unknown[];
}
