import { assertEquals, assertMatch } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import type { Isolation } from "../lambda/isolation/isolation.ts";
import { layerFiles } from "../bundle/modules/own_modules.ts";
import { Kept } from "../programs/kept.ts";
import { hasNamespace, isolation } from "../testdata/sandbox.ts";
import { architecture, bundle, FILES, ONE, warm } from "./testdata/code_caches.ts";

const IN_NAMESPACE = { ignore: !hasNamespace };

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
    // A bundler of its own names sources relative to the folder of the application.
    const add = await bundle(modules, settings, {});
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
  name: "addCodeCaches() makes no cache for a Deno that does not keep compiled code",
  ...IN_NAMESPACE,
  async fn() {
    // A Deno of the future might keep its cache elsewhere.
    const script = '#!/bin/sh\nDENO_DIR=/tmp/elsewhere exec "$0-real" "$@"\n';
    const deno = `${temporaryFolder()}/deno`;
    await Deno.writeTextFile(deno, script, { mode: 0o755 });
    const data = await Deno.readFile(Deno.execPath());
    const module = "export const handler = () => 1;";
    const { warnings, paths } = await warm({ "one.ts": module }, ONE, {
      files: [
        ...await layerFiles(architecture, { kept: new Kept(console.warn) }),
        { path: "bin/deno-real", data, isExecutable: true },
      ],
      deno: () => Promise.resolve(deno),
    });
    assertMatch(warnings.join(), /: Deno keeps no compiled code\. The bundles are correct but /);
    assertEquals(paths("one"), FILES);
  },
});
