import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { detectIsolation, plainFolders } from "../isolation/isolation.ts";
import { parseManifest } from "../manifest.ts";
import { makeApp } from "./_testing.ts";
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
  const problems = await warmFunctions(manifest, functions, target, layer, way);
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

Deno.test({
  name: "warmFunctions() refuses a handler that is no function",
  ignore: architecture === undefined,
  async fn() {
    const error = await assertRejects(
      () =>
        warm(isolation!, architecture, [{ "one.ts": "export const handler = 1;" }, {
          one: { module: "one.ts" },
        }]),
      Error,
    );
    assertMatch(error.message, /^Cannot bundle the function "one": Runtime\.HandlerNotFound: /);
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
