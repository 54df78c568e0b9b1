import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type Isolation, plainFolders } from "../lambda/isolation/isolation.ts";
import { ownFolders } from "../../testdata/own_effects.ts";
import { makeApp } from "../testdata/bundle.ts";
import { hasNamespace, isolation } from "../testdata/sandbox.ts";
import { bundleFunctions } from "../bundle/functions.ts";
import { layerFiles } from "../bundle/modules/own_modules.ts";
import { ownArchitecture } from "../programs/pinned_packages.ts";
import { addCodeCaches, type CodeCacheOptions } from "./code_cache.ts";

const architecture = ownArchitecture()!;
const other = architecture === "arm64" ? "x86_64" : "arm64";
const IN_NAMESPACE = { ignore: !hasNamespace };

let layer: ReturnType<typeof layerFiles> | undefined;

/** Bundles functions. The result makes the caches of some of them with the Deno that runs this test. */
async function bundle(
  modules: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, unknown>>,
) {
  await using app = await makeApp(modules, settings);
  const application = await app.read();
  const bundled = await bundleFunctions(app.manifest, application);
  return async (names: readonly string[], options: Partial<CodeCacheOptions> = {}) => {
    const functions = new Map(names.map((name) => [name, [...bundled.functions.get(name)!]]));
    const warnings = await addCodeCaches(application, functions, {
      architecture,
      id: "layer",
      files: await (layer ??= layerFiles(architecture)),
      deno: () => Promise.resolve(Deno.execPath()),
      isolation,
      ...options,
    });
    const paths = (name: string) => functions.get(name)!.map(({ path }) => path);
    return { functions, warnings, paths };
  };
}

/** Bundles functions, and makes the caches of all of them. */
async function warm(
  modules: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, unknown>>,
  options: Partial<CodeCacheOptions> = {},
) {
  return await (await bundle(modules, settings))(Object.keys(settings), options);
}

const FILES = ["index.mjs", "index.mjs.map", "mate/net", "mate/uses"];
const ONE = { one: { module: "one.ts" } };

Deno.test({
  name: "addCodeCaches() adds a cache that V8 takes, the same bytes each time",
  ...IN_NAMESPACE,
  async fn() {
    const modules = {
      "good.ts": `import { deflateSync } from "node:zlib";
        if (!Deno.env.get("NEEDED")) throw new Error("NEEDED is not set");
        export const handler = () => deflateSync("x").length;`,
      "secret.ts": `const { length } = Deno.env.get("KEY"); export const handler = () => length;`,
      "pem.ts": `if (!Deno.env.get("KEY").startsWith("---")) throw new Error("KEY is no PEM");
        export const handler = 1;`,
      "bad.ts": `throw new RangeError("not today"); export const handler = 1;`,
      "layer.cjs": "exports.handler = () => 1;",
    };
    const settings = {
      good: {
        module: "good.ts",
        environment: { NEEDED: "${infra.x}" },
        permissions: { net: ["${NEEDED}:443"] },
        uses: { buckets: { files: "read" } },
      },
      secret: { module: "secret.ts", secrets: ["KEY"] },
      pem: { module: "pem.ts", secrets: ["KEY"] },
      bad: { module: "bad.ts", environment: { HOST: "${infra.host}" } },
      layer: { module: "layer.cjs" },
    };
    const add = await bundle(modules, settings);
    const first = await add(Object.keys(settings)); // checks that Deno finds the code, and that V8 takes it
    assertEquals(first.warnings, [
      'No code cache for the function "pem", which may not start on Lambda either: Error: KEY is no PEM\n' +
      "    at pem.ts:1:51",
      'No code cache for the function "bad", which may not start on Lambda either: RangeError: not today\n' +
      "    at bad.ts:1:7",
    ]);
    const cache = `mate/cache-${architecture}`;
    assertEquals(first.paths("bad"), FILES);
    assertEquals(first.paths("pem"), [...FILES, "mate/secrets"]);
    for (const name of ["good", "layer", "secret"]) {
      assertEquals(first.paths(name).includes(`${cache}/v8_code_cache_v2-shm`), true, name);
    }
    const second = await add(["good"]);
    assertEquals(second.functions.get("good"), first.functions.get("good"));
  },
});

Deno.test({
  name: "addCodeCaches() counts the processor time of a start, not the time of a busy machine",
  ...IN_NAMESPACE,
  async fn() {
    const modules = { "one.ts": "for (let i = 0; i < Infinity; i++); export const handler = 1;" };
    const { warnings } = await warm(modules, ONE, { workLimit: 1 });
    assertEquals(warnings, [
      'No code cache for the function "one", which may not start on Lambda either: ' +
      "it takes more than 1 s of processor time",
    ]);
  },
});

Deno.test({
  name: "addCodeCaches() starts one function again, to see that Deno and V8 take the cache",
  ...IN_NAMESPACE,
  async fn() {
    let starts = 0;
    const counting: Isolation = {
      ...isolation!,
      command: (...args) => {
        starts++;
        return isolation!.command(...args);
      },
    };
    const module = "export const handler = () => 1;";
    const names = ["one", "two", "three", "four"];
    const modules = Object.fromEntries(names.map((name) => [`${name}.ts`, module]));
    const settings = Object.fromEntries(
      names.map((name) => [name, { module: `${name}.ts`, memory: name === "four" ? 256 : 128 }]),
    );
    const { warnings, paths } = await warm(modules, settings, { isolation: counting });
    assertEquals(warnings, []);
    for (const name of names) assertEquals(paths(name).length, 4 + 9);
    assertEquals(starts, 4 + 1);
  },
});

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
        /^Cannot bundle the function "throwing": the module "throwing\.ts" throws when it is imported: RangeError: not today\n {4}at fail \(fail\.ts:2:9\)\nIf it needs an environment variable, add the variable to "environment" or "secrets" in the manifest$/,
      ],
      deno: [
        {
          "deno.ts":
            `import { readFileSync } from "node:fs";\nreadFileSync("/no/file");\nexport const handler = 1;`,
        },
        /\n {4}at deno\.ts:2:1\nIf /, // the author's line, although Deno itself throws
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
