import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { plainFolders } from "../lambda/isolation/isolation.ts";
import { ownFolders } from "../../testdata/own_effects.ts";
import { hasNamespace } from "../testdata/sandbox.ts";
import { architecture, bundle, FILES, ONE, warm } from "./testdata/code_caches.ts";

const other = architecture === "arm64" ? "x86_64" : "arm64";
const IN_NAMESPACE = { ignore: !hasNamespace };

Deno.test({
  name: "addCodeCaches() lets no function write to the cache or to the machine's files",
  ...IN_NAMESPACE,
  async fn() {
    const victim = await Deno.makeTempFile({ prefix: "mate-victim-" });
    await Deno.writeTextFile(victim, "intact");
    const attacks = [
      `Deno.writeTextFileSync("/tmp/deno/v8_code_cache_v2", "x")`,
      `fs.writeFileSync("/tmp/deno/new_cache_v1", "x")`,
      `fs.appendFileSync("/tmp/deno/v8_code_cache_v2-wal", "x")`,
      `fs.symlinkSync("${victim}", "/tmp/deno/v8_code_cache_v9")`,
      `fs.linkSync("/tmp/deno/v8_code_cache_v2", "/tmp/mine")`,
      `Deno.renameSync("/tmp/deno", "/tmp/elsewhere")`,
      `new DatabaseSync("/tmp/deno/v8_code_cache_v2").exec("CREATE TABLE t (x)")`,
      `new DatabaseSync("/tmp/mine").exec("ATTACH '/tmp/deno/v8_code_cache_v2' AS a; CREATE TABLE a.t (x)")`,
      `new DatabaseSync("/tmp/mine").exec("ATTACH '${victim}' AS a; CREATE TABLE a.t (x)")`,
      `Deno.removeSync("/tmp", { recursive: true })`,
      `fs.rmSync("/tmp/deno", { recursive: true })`,
    ];
    const module = `import fs from "node:fs"; import { DatabaseSync } from "node:sqlite";
      const done = [];
      ${
      attacks.map((code) => `try { ${code}; done.push(${JSON.stringify(code)}); } catch {}`).join(
        "\n",
      )
    }
      if (done.length > 0) throw new Error("done: " + done);
      export const handler = () => 1;`;
    try {
      const { warnings, paths } = await warm({ "one.ts": module }, ONE);
      assertEquals(warnings, []);
      assertEquals(paths("one").length, 4 + 9);
      assertEquals(await Deno.readTextFile(victim), "intact");
    } finally {
      await Deno.remove(victim);
    }
  },
});

Deno.test({
  name: "addCodeCaches() hides its folder from other users, and removes it when ended early",
  ...IN_NAMESPACE,
  async fn() {
    const module = `Deno.connect({ port: Number(Deno.env.get("PORT")) });
      await new Promise((resolve) => setTimeout(resolve, 1e9)); export function handler() {}`;
    using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    const settings = {
      module: "one.ts",
      environment: { PORT: `${listener.addr.port}` },
      permissions: { net: ["*"] },
    };
    const controller = new AbortController();
    const result = warm({ "one.ts": module }, { one: settings }, { signal: controller.signal });
    const ended = result.then((warmed) => Promise.reject(new Error(JSON.stringify(warmed))));
    using connection = await Promise.race([listener.accept(), ended]); // the function has started
    const made = ownFolders().findLast((path) => /mate-start-[^/]+$/.test(path))!;
    const { mode, uid } = await Deno.stat(made);
    assertEquals([mode! & 0o777, uid], [0o700, Deno.uid()]);
    controller.abort();
    await assertRejects(() => result, DOMException);
    assertEquals(await connection.read(new Uint8Array(1)), null, "the function has ended");
    await assertRejects(() => Deno.stat(made), Deno.errors.NotFound);
  },
});

Deno.test({
  name: "addCodeCaches() refuses a handler that is missing or invalid, and a module that throws",
  ...IN_NAMESPACE,
  async fn() {
    const cases = {
      missing: [
        { "missing.cjs": "exports.main = () => 1;" },
        /exports no "handler"$/,
      ],
      number: [
        { "number.ts": "export const handler = 1;" },
        /: Runtime\.HandlerNotFound: /,
      ],
      callback: [
        { "callback.ts": "export const handler = (event, context, done) => done()" },
        /: Runtime\.CallbackHandlerDeprecated: /,
      ],
      throwing: [
        {
          "throwing.ts": `import { fail } from "./fail.ts"; fail(); export const handler = 1;`,
          "fail.ts": `export const fail = () => {\n  throw new RangeError("not today");\n};`,
        },
        /^Cannot bundle the function "throwing": the module "throwing\.ts" throws when it is imported: RangeError: not today\n {4}at fail \([^/]+\/fail\.ts:2:9\)\nIf it needs an environment variable, add the variable to "environment" or "secrets" in the manifest$/,
      ],
      deno: [
        {
          "deno.ts":
            `import { readFileSync } from "node:fs";\nreadFileSync("/no/file");\nexport const handler = 1;`,
        },
        /\n {4}at [^/]+\/deno\.ts:2:1\nIf /, // the author's line, although Deno itself throws
      ],
    } as const;
    const modules = Object.assign({}, ...Object.values(cases).map(([modules]) => modules));
    const settings = Object.entries(cases).map(([name, [modules]]) =>
      [name, { module: Object.keys(modules)[0] }] as const
    );
    const add = await bundle(modules, Object.fromEntries(settings));
    for (const [name, [, message]] of Object.entries(cases)) {
      const error = await assertRejects(() => add([name]), Error);
      assertMatch(error.message, new RegExp(`^Cannot bundle the function "${name}": `));
      assertMatch(error.message, message);
    }
    const message = cases.throwing[1];
    const error = await assertRejects(() => add(["throwing"], { architecture: other }), Error);
    assertMatch(error.message, message, "for every architecture");
  },
});

Deno.test({
  name: "addCodeCaches() makes no cache for another architecture or in plain folders, and says so",
  ...IN_NAMESPACE,
  async fn() {
    const modules = {
      "one.ts": "export const handler = () => 1;",
      "bad.ts": "throw 1; export const handler = 1;",
    };
    const add = await bundle(modules, { ...ONE, bad: { module: "bad.ts" } });
    const plain = plainFolders("a test asks for it");
    for (
      const [name, options, message] of [
        ["one", { architecture: other }, `^No code cache for ${other}: this machine is [^,]*$`],
        ["bad", { isolation: plain }, "^No code cache: functions run in plain "], // It is not started.
      ] as const
    ) {
      const { warnings, paths } = await add([name], options);
      assertMatch(warnings.join(), new RegExp(message));
      assertEquals(paths(name), FILES);
    }
  },
});
