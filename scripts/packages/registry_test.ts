import { assertEquals, assertStringIncludes } from "@std/assert";
import { run, temporaryFolder } from "../../testdata/programs.ts";
import { Registry } from "./registry.ts";

const FILES = {
  "deno.json": JSON.stringify({
    name: "@try/it",
    version: "1.2.3",
    exports: "./mod.ts",
    license: "MIT",
  }),
  "mod.ts": `import data from "./data.json" with { type: "json" };
export const sum: number = data.reduce((a: number, b: number) => a + b, 0);
export const load = (): Promise<unknown> => import("./data.json", { with: { type: "json" } });
`,
  "data.json": "[1, 2]",
};

Deno.test("Registry takes what deno publish uploads, once, and Deno runs it", async () => {
  await using registry = await Registry.open();
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries(FILES)) {
    await Deno.writeTextFile(`${cwd}/${name}`, text);
  }
  const env = { JSR_URL: registry.url, DENO_DIR: temporaryFolder(), NO_COLOR: "1" };
  const publish = () =>
    run(Deno.execPath(), ["publish", "--no-check", "--token=any"], { cwd, env });
  const published = await publish();
  assertEquals(published.code, 0, published.stderr);
  const meta = await (await fetch(`${registry.url}@try/it/1.2.3_meta.json`)).json();
  assertEquals(meta.exports, { ".": "./mod.ts" });
  assertEquals(Object.keys(meta.manifest), ["/data.json", "/deno.json", "/mod.ts"]);
  const user = `import { load, sum } from "jsr:@try/it@1"; await load(); console.log(sum);`;
  const used = await run(Deno.execPath(), ["eval", user], { env, cwd: temporaryFolder() });
  assertEquals([used.code, used.stdout], [0, "3\n"], used.stderr);
  assertStringIncludes((await publish()).stderr, "already published");

  registry.files.set("/@try/it/1.2.3/mod.ts", new TextEncoder().encode("export const sum = 4;"));
  const other = { env: { ...env, DENO_DIR: temporaryFolder() }, cwd: temporaryFolder() };
  const changed = await run(Deno.execPath(), ["eval", user], other);
  assertEquals(changed.code, 10); // Deno has this status for a package that was changed
  assertStringIncludes(changed.stderr, "Integrity check failed");
});

Deno.test("Registry passes on what its upstream says about the packages that it lacks", async () => {
  const folder = temporaryFolder();
  await Deno.mkdir(`${folder}/@try/it/1.0.0`, { recursive: true });
  await Deno.writeTextFile(`${folder}/@try/it/1.0.0/mod.ts`, "export {};");
  await Deno.writeTextFile(`${folder}/@try/it/1.0.0/.exports.json`, '{ ".": "./mod.ts" }');
  await using upstream = await Registry.open(folder);
  await using registry = await Registry.open(undefined, upstream.url);
  for (const [path, status] of [["@try/it/1.0.0/mod.ts", 200], ["@try/it/lost.ts", 404]] as const) {
    const [other, own] = await Promise.all(
      [upstream, registry].map(({ url }) => fetch(url + path)),
    );
    const expected = [status, other!.headers.get("content-type"), await other!.text()];
    assertEquals([own!.status, own!.headers.get("content-type"), await own!.text()], expected);
  }
});
