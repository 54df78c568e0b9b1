import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { detectIsolation, plainFolders } from "../platform/isolation/isolation.ts";
import { parseManifest } from "../manifest/manifest.ts";
import { makeApp } from "../testdata/bundle.ts";
import type { ArchiveFile } from "./archive.ts";
import { functionFiles } from "./function_files.ts";
import { layerFiles } from "./layer_files.ts";
import { ownArchitecture } from "./pinned_deno.ts";
import { warmFunctions } from "./warm_functions.ts";

const architecture = ownArchitecture();
const isolation = architecture && await detectIsolation();
const hasNamespace = isolation !== undefined && isolation.kind !== "plain folders";
if (!hasNamespace) console.error("NOT RUN: the warm-up in a namespace, which this machine lacks");

const MODULES = {
  "good.ts": `import { deflateSync } from "node:zlib";
    if (!Deno.env.get("NEEDED")) throw new Error("NEEDED is not set");
    export const handler = () => deflateSync("x").length;`,
  "bad.ts": `throw new RangeError("not today"); export const handler = 1;`,
};
const FUNCTIONS = {
  good: { module: "good.ts", environment: { NEEDED: "1" } },
  bad: { module: "bad.ts" },
};

/** Bundles the functions, and warms them up with the Deno that runs this. */
async function warm(
  way: NonNullable<typeof isolation>,
  target = architecture!,
  [modules, settings]: Parameters<typeof makeApp> = [MODULES, FUNCTIONS],
  signal?: AbortSignal,
) {
  await using app = await makeApp(modules, settings);
  const manifest = parseManifest(await Deno.readTextFile(app.manifest), app.manifest);
  const functions = new Map<string, ArchiveFile[]>();
  for (const [name, settings] of Object.entries(manifest.functions)) {
    functions.set(name, await functionFiles(app.manifest, name, settings));
  }
  const layer = [...await layerFiles(target), {
    path: "bin/deno",
    data: await Deno.readFile(Deno.execPath()),
    isExecutable: true,
  }];
  const problems = await warmFunctions(manifest, functions, target, layer, way, signal);
  return { functions, problems };
}

Deno.test({
  name: "warmFunctions() adds a cache that V8 takes, the same bytes each time",
  ignore: !hasNamespace,
  async fn() {
    const { functions, problems } = await warm(isolation!);
    // It is checked there that Deno finds the cache read-only, and that V8 takes it.
    assertEquals(problems.length, 1);
    assertMatch(
      problems[0]!,
      /^The function "bad" does not start here, so it has no code cache, and may not start on Lambda: RangeError: not today$/,
    );
    assertEquals(functions.get("bad")!.map(({ path }) => path), ["index.js", "mate/net"]);
    const paths = functions.get("good")!.map(({ path }) => path);
    assertEquals(paths.includes(`mate/cache-${architecture}/v8_code_cache_v2-shm`), true);
    assertEquals((await warm(isolation!)).functions.get("good"), functions.get("good"));
  },
});

Deno.test({
  name: "warmFunctions() makes a cache in plain folders as well, for Lambda's paths",
  ignore: architecture === undefined,
  async fn() {
    const { functions } = await warm(plainFolders("a test wants it so"));
    const cache = functions.get("good")!.find(({ path }) => path.endsWith("/v8_code_cache_v2"));
    const text = new TextDecoder("latin1").decode(cache?.data);
    assertMatch(text, /file:\/\/\/opt\/mate\/bootstrap\.js/);
    assertMatch(text, /file:\/\/\/var\/task\/index\.js/);
  },
});

for (
  const way of architecture === undefined ? [] : [isolation!, plainFolders("a test wants it so")]
) {
  Deno.test(`warmFunctions() leaves neither folder nor process when ended early: ${way.kind}`, async () => {
    const module =
      "Deno.connect({ port: Number(Deno.env.get('PORT')) }); await new Promise((f) => setTimeout(f, 1e9)); export function handler() {}";
    using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    const port = `${listener.addr.port}`;
    const controller = new AbortController();
    const before = await folders();
    const result = warm(way, architecture, [{ "one.ts": module }, {
      one: { module: "one.ts", environment: { PORT: port }, permissions: { net: ["*"] } },
    }], controller.signal);
    using connection = await listener.accept(); // it has started
    controller.abort();
    await assertRejects(() => result, DOMException);
    assertEquals(await connection.read(new Uint8Array(1)), null, "it has ended");
    assertEquals(await folders(), before);
  });
}

const folders = async () =>
  (await Array.fromAsync(Deno.readDir(Deno.env.get("TMPDIR") ?? "/tmp")))
    .filter(({ name, isDirectory }) => isDirectory && name.startsWith("mate-warm-"))
    .map(({ name }) => name).sort();

Deno.test({
  name: "warmFunctions() is not kept by what is left of a run that was killed, nor by another run",
  ignore: architecture === undefined,
  async fn() {
    const path = `${Deno.env.get("TMPDIR") ?? "/tmp"}/mate-warm-${Deno.uid()}`;
    await Deno.mkdir(`${path}/good/tmp`, { recursive: true });
    const way = plainFolders("a test wants it so");
    const [first, second] = await Promise.all([warm(way), warm(way)]);
    assertEquals(first.functions.get("good")!.length > 2, true);
    assertEquals(first.functions.get("good"), second.functions.get("good"));
  },
});

Deno.test({
  name: "warmFunctions() starts CommonJS, and refuses it without the handler",
  ignore: architecture === undefined,
  async fn() {
    const modules = { "one.cjs": "exports.handler = () => 1;" };
    const settings = { module: "one.cjs" };
    const { problems } = await warm(isolation!, architecture, [modules, { one: settings }]);
    assertEquals(problems, []);
    const wrong = { one: { ...settings, handler: "main" } };
    const error = await assertRejects(() => warm(isolation!, architecture, [modules, wrong]));
    assertMatch(
      (error as Error).message,
      /^Cannot bundle the function "one": .* exports no "main"$/,
    );
  },
});

Deno.test({
  name: "warmFunctions() refuses a handler that is no function, or takes a callback",
  ignore: architecture === undefined,
  async fn() {
    for (
      const [value, type] of [
        ["1", "HandlerNotFound"],
        ["(event, context, done) => done()", "CallbackHandlerDeprecated"],
      ]
    ) {
      const modules = { "one.ts": `export const handler = ${value};` };
      const functions = { one: { module: "one.ts" } };
      const error = await assertRejects(() => warm(isolation!, architecture, [modules, functions]));
      assertMatch(
        (error as Error).message,
        new RegExp(`^Cannot bundle the function "one": Runtime\\.${type}: `),
      );
    }
  },
});

Deno.test({
  name: "warmFunctions() says so where the architecture is not this machine's",
  ignore: architecture === undefined,
  async fn() {
    const other = architecture === "arm64" ? "x86_64" : "arm64";
    const { functions, problems } = await warm(isolation!, other);
    assertMatch(problems.join(), new RegExp(`^No code cache for ${other}: this machine is `));
    assertEquals(functions.get("good")!.length, 2);
  },
});
