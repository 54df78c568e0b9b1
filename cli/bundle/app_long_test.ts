import { assertEquals, assertRejects } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import { makeApp, makeDenoPackage, serve } from "../testdata/bundle.ts";
import { bundleApp } from "./app.ts";

Deno.test("bundleApp() replaces no file if a zip is too large", async () => {
  const large = new Uint8Array(51 * 1024 * 1024);
  for (let at = 0; at < large.length; at += 65_536) {
    crypto.getRandomValues(large.subarray(at, at + 65_536)); // cannot be compressed
  }
  const { tarball, package_ } = await makeDenoPackage([["package/deno", large]]);
  await using server = serve(() => new Response(tarball));
  await using app = await makeApp(
    { "one.ts": "export const handler = () => 1;", "out/one.zip": "as it was" },
    { one: { module: "one.ts" } },
  );
  const out = `${app.folder}/out`;
  const bundling = bundleApp(app.manifest, {
    out,
    architectures: ["arm64"],
    hasCache: false,
    packages: { x86_64: package_, arm64: package_ },
    source: { registry: server.url, cache: `${temporaryFolder()}/cache` },
    warn() {},
  });
  const problem = "the layer for arm64 has 51.0 MB zipped: expected at most 50.0 MB";
  await assertRejects(() => bundling, RangeError, problem);
  assertEquals((await Array.fromAsync(Deno.readDir(out))).map(({ name }) => name), ["one.zip"]);
  assertEquals(await Deno.readTextFile(`${out}/one.zip`), "as it was");
});
