import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { plainFolders } from "../lambda/isolation/isolation.ts";
import { ownArchitecture } from "../programs/pinned_packages.ts";
import { Kept } from "../programs/kept.ts";
import { bundles, makeApp, serve } from "../testdata/bundle.ts";
import { hasNamespace, isolation, NODE_RUNTIMES } from "../testdata/sandbox.ts";
import { temporaryFolder } from "../../testdata/programs.ts";
import { bundleFunctions } from "../bundle/functions.ts";
import { type NodeStartOptions, startOnNode } from "./node_start.ts";

const architecture = ownArchitecture()!;

/** Bundles functions. The result starts some of them. */
async function bundle(
  modules: Readonly<Record<string, string>>,
  functions: Readonly<Record<string, unknown>>,
) {
  await using app = await makeApp(modules, functions);
  const application = await app.read();
  const bundled = await bundleFunctions(app.manifest, application, { bundles });
  assertEquals(bundled.problems, new Map());
  return (names: readonly string[], options: Partial<NodeStartOptions> = {}) => {
    const files = new Map(names.map((name) => [name, bundled.functions.get(name)!]));
    return startOnNode(application, files, { architecture, isolation, ...options });
  };
}

for (const runtime of NODE_RUNTIMES) {
  const IN_NAMESPACE = { ignore: !hasNamespace || architecture === undefined };
  const one = { module: "one.ts", runtime };

  Deno.test({
    name:
      `${runtime}: startOnNode() refuses a module that throws, and a handler that Node.js does not find`,
    ...IN_NAMESPACE,
    async fn() {
      const remedy = /exports no function "main": export it, or name another one in "handler"$/;
      const throwing =
        /: the module "throwing\.ts" throws when it is imported: RangeError: not today\n {4}at fail \([^/]+\/fail\.ts:2:9\)\nIf it needs an environment variable, add the variable to "environment" or "secrets" in the manifest$/;
      const cases = {
        "throwing.ts": [
          'import { fail } from "./fail.ts"; fail(); export const main = () => 1;',
          throwing,
        ],
        "missing.cjs": ["exports.handler = () => 1;", remedy],
        "number.ts": ["export const main = 1;", remedy],
        "callback.ts": [
          "export const main = (event, context, done) => done();",
          runtime === "nodejs22.x" ? undefined : /: Runtime\.CallbackHandlerDeprecated: /,
        ],
      } as const;
      const entries = Object.entries(cases).map(([module, [code, message]]) => ({
        name: module.split(".")[0]!,
        settings: { module, runtime, handler: "main" },
        code,
        message,
      }));
      const start = await bundle({
        "fail.ts": "export const fail = () => {\n  throw new RangeError('not today');\n};",
        ...Object.fromEntries(entries.map(({ settings, code }) => [settings.module, code])),
      }, Object.fromEntries(entries.map(({ name, settings }) => [name, settings])));
      for (const { name, code, message } of entries) {
        if (message === undefined) {
          assertEquals(await start([name]), []);
          continue;
        }
        const error = await assertRejects(() => start([name]), Error);
        assertMatch(error.message, new RegExp(`^Cannot bundle the function "${name}": `));
        assertMatch(error.message, message, code);
      }
    },
  });

  Deno.test({
    name: `${runtime}: startOnNode() starts functions without a network, and warns if one needs it`,
    ...IN_NAMESPACE,
    async fn() {
      const requests: string[] = [];
      await using server = serve(({ url }) => {
        requests.push(url);
        return new Response("token");
      });
      const { port } = new URL(server.url);
      const modules = {
        "quiet.ts": `import { connect, createServer } from "node:net";
          await fetch("${server.url}/fetch").catch(() => {});
          await new Promise((resolve) => connect(${port}).on("error", resolve).on("connect", () => process.exit(1)));
          await new Promise((resolve) => createServer().listen(0, resolve));
          if (process.env._MATE_START !== undefined) throw new Error("a variable is left");
          export const handler = () => 1;`,
        "needs.ts":
          `try { await fetch("${server.url}/needs"); } catch { throw new Error("no token"); }
          export const handler = () => 1;`,
        "gone.cjs": `fetch("${server.url}/gone").catch(() => {}); exports.other = 1;`,
      };
      const start = await bundle(modules, {
        quiet: { ...one, module: "quiet.ts" },
        needs: { ...one, module: "needs.ts" },
        gone: { ...one, module: "gone.cjs" },
      });
      const [warning, ...others] = await start(["quiet", "needs"]);
      assertMatch(
        warning!,
        /^The function "needs" may not start on Lambda: it has no network while it is bundled: Error: no token\n {4}at <anonymous> \([^/]+\/needs\.ts:1:68\)$/,
      );
      assertEquals(others, []);
      await assertRejects(() => start(["gone"]), Error, "exports no function");
      assertEquals(requests, []);
    },
  });

  Deno.test({
    name: `${runtime}: startOnNode() starts functions as the account does, and each one once`,
    ...IN_NAMESPACE,
    async fn() {
      const code = `import { readFileSync } from "node:fs";
        const { NEEDED, KEY, HOME, _HANDLER } = process.env;
        const found = [NEEDED, KEY, HOME, _HANDLER].join();
        if (found !== "a,unknown,/tmp,index.handler") throw new Error(found);
        let isSeen = true;
        try { readFileSync("/etc/shadow"); } catch { isSeen = false; }
        if (isSeen) throw new Error("outside of the sandbox");
        console.error(await new Promise((resolve) => setTimeout(resolve, 10, "started")));
        export const handler = () => 1;`;
      const modules = {
        "one.ts": code,
        "cloud.ts": `throw new Error(process.env.HOST); export const handler = () => 1;`,
        "exit.ts": `process.exit(3); export const handler = () => 1;`,
        "deno.ts": "throw 1; export const handler = () => 1;",
      };
      const functions = {
        one: { ...one, environment: { NEEDED: "a" }, secrets: ["KEY"] },
        cloud: { ...one, module: "cloud.ts", environment: { HOST: "${infra.host}" } },
        exit: { ...one, module: "exit.ts" },
        deno: { module: "deno.ts" },
      };
      const kept = new Kept((text) => assertEquals(text, ""), temporaryFolder());
      const start = await bundle(modules, functions);
      for (const _ of [1, 2]) {
        const warnings = await start(Object.keys(functions), { kept });
        assertEquals(warnings.map((text) => text.split("\n")[0]), [
          'The function "cloud" may not start on Lambda: Error: unknown',
          'The function "exit" may not start on Lambda: it ends with the status 3: ',
        ]);
      }
    },
  });
}

Deno.test("startOnNode() starts nothing without a sandbox, and names the functions", async () => {
  const modules = { "one.ts": "throw 1; export const handler = 1;" };
  const one = { module: "one.ts", runtime: "nodejs24.x" };
  const functions = { one, other: { ...one, runtime: "nodejs22.x" }, deno: { module: "one.ts" } };
  const start = await bundle(modules, functions);
  const plain = { isolation: plainFolders("a test asks for it") };
  for (
    const [names, expected] of [
      [["one"], /^It is not known whether the function "one" starts: functions run in plain /],
      [
        ["one", "other", "deno"],
        /^It is not known whether the functions "one", "other" start: functions run in plain /,
      ],
    ] as const
  ) {
    const [text, ...others] = await start(names, plain);
    assertMatch(text!, expected);
    assertEquals(others, []);
  }
  const cache = temporaryFolder();
  const source = { cache, registry: "http://127.0.0.1:1" };
  const without = await start(["one"], { source });
  if (hasNamespace) {
    assertMatch(
      without.join(),
      /: Cannot run nodejs24\.x .*Cannot download the package ".*" from "http/,
    );
  }
});
