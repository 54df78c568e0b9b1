import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { plainFolders } from "../lambda/isolation/isolation.ts";
import { ownArchitecture } from "../programs/pinned_packages.ts";
import { Kept } from "../programs/kept.ts";
import { makeApp, serve } from "../testdata/bundle.ts";
import { hasNamespace, isolation, NODE_RUNTIMES } from "../testdata/sandbox.ts";
import { temporaryFolder } from "../../testdata/programs.ts";
import { bundleFunctions } from "./functions.ts";
import { type NodeStartOptions, startOnNode } from "./node_start.ts";

const architecture = ownArchitecture()!;

/** Bundles functions and starts them. */
async function start(
  modules: Readonly<Record<string, string>>,
  functions: Readonly<Record<string, unknown>>,
  options: Partial<NodeStartOptions> = {},
) {
  await using app = await makeApp(modules, functions);
  const application = await app.read();
  const bundled = await bundleFunctions(app.manifest, application);
  assertEquals(bundled.problems, new Map());
  return await startOnNode(application, bundled.functions, { architecture, isolation, ...options });
}

for (const runtime of NODE_RUNTIMES) {
  const IN_NAMESPACE = { ignore: !hasNamespace || architecture === undefined };
  const one = { module: "one.ts", runtime };

  Deno.test({
    name: `${runtime}: startOnNode() refuses a module that throws when it is imported`,
    ...IN_NAMESPACE,
    async fn() {
      const message = (place: string) =>
        'Cannot bundle the function "one": the module "one.ts" throws when it is imported: ' +
        `RangeError: not today\n    at ${place}\n` +
        'If it needs an environment variable, add the variable to "environment" or "secrets" in the manifest';
      const fail = "export const fail = () => {\n  throw new RangeError('not today');\n};";
      const call = 'import { fail } from "./fail.ts"; fail(); export const handler = () => 1;';
      const error = await assertRejects(() =>
        start({ "one.ts": call, "fail.ts": fail }, { one })
      ) as Error;
      assertEquals(error.message, message("fail (fail.ts:2:9)"));
    },
  });

  Deno.test({
    name: `${runtime}: startOnNode() refuses a handler that Node.js does not find`,
    ...IN_NAMESPACE,
    async fn() {
      const remedy = /exports no function "main": export it, or name another one in "handler"$/;
      for (
        const [file, code, message] of [
          ["one.cjs", "exports.handler = () => 1;", remedy],
          ["one.ts", "export const main = 1;", remedy],
          [
            "one.ts",
            "export const main = (event, context, done) => done();",
            runtime === "nodejs22.x" ? undefined : /: Runtime\.CallbackHandlerDeprecated: /,
          ],
        ] as const
      ) {
        const starting = start({ [file]: code }, {
          one: { ...one, module: file, handler: "main" },
        });
        if (message === undefined) {
          assertEquals(await starting, []);
          continue;
        }
        const error = await assertRejects(() => starting, Error);
        assertMatch(error.message, /^Cannot bundle the function "one": /);
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
      };
      const functions = {
        quiet: { ...one, module: "quiet.ts" },
        needs: { ...one, module: "needs.ts" },
      };
      assertEquals(await start(modules, functions), [
        'The function "needs" may not start on Lambda: it has no network while it is bundled: ' +
        "Error: no token\n    at <anonymous> (needs.ts:1:68)",
      ]);
      const gone = { gone: { ...one, module: "gone.cjs" } };
      const code = `fetch("${server.url}/gone").catch(() => {}); exports.other = 1;`;
      await assertRejects(() => start({ "gone.cjs": code }, gone), Error, "exports no function");
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
      for (const _ of [1, 2]) {
        const warnings = await start(modules, functions, { kept });
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
  const plain = { isolation: plainFolders("a test asks for it") };
  for (
    const [functions, expected] of [
      [{ one }, /^It is not known whether the function "one" starts: functions run in plain /],
      [
        { one, other: { ...one, runtime: "nodejs22.x" }, deno: { module: "one.ts" } },
        /^It is not known whether the functions "one", "other" start: functions run in plain /,
      ],
    ] as const
  ) {
    const [text, ...others] = await start(modules, functions, plain);
    assertMatch(text!, expected);
    assertEquals(others, []);
  }
  const cache = temporaryFolder();
  const source = { cache, registry: "http://127.0.0.1:1" };
  const without = await start(modules, { one }, { source });
  if (hasNamespace) {
    assertMatch(
      without.join(),
      /: Cannot run nodejs24\.x .*Cannot download the package ".*" from "http/,
    );
  }
});
