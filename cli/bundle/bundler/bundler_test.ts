import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { relative } from "node:path";
import config from "../../deno.json" with { type: "json" };
import { ownProcesses } from "../../../testdata/own_effects.ts";
import { makeApp } from "../../testdata/bundle.ts";
import { bundleModule } from "../modules/module_bundle.ts";
import { Bundler } from "./bundler.ts";
import { askForEsbuild, ESBUILD, lookInCache } from "./find_esbuild.ts";

Deno.test("the bundler runs the esbuild of its own package", () => {
  assertEquals(ESBUILD, config.imports.esbuild);
});

Deno.test("esbuild is found in the cache without asking Deno, and never below the current folder", async () => {
  const asked = await askForEsbuild(undefined);
  assertEquals(await lookInCache(), asked);
  const former = Deno.env.get("DENO_DIR");
  try {
    Deno.env.set("DENO_DIR", relative(Deno.cwd(), asked.denoDir));
    await assertRejects(() => lookInCache(), Error, "absolute");
  } finally {
    if (former === undefined) Deno.env.delete("DENO_DIR");
    else Deno.env.set("DENO_DIR", former);
  }
});

/** Waits until a file has another time than a file that is written now. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

Deno.test("Bundler.bundle() makes a new bundle only if a file has changed, the same as from the start", async () => {
  await using app = await makeApp({
    "package.json": `{ "dependencies": { "a": "1.0.0" } }`,
    "one.ts": `import a from "a"; import text from "./lib/a.txt" with { type: "text" };
      import data from "./lib/a.json" with { type: "json" }; import { lib } from "./lib/a.ts";
      export const handler = () => [a, text, data, lib];`,
    "lib/a.ts": "export const lib = 1;",
    "lib/a.txt": "text",
    "lib/a.json": "{}",
    "node_modules/a/package.json": `{ "name": "a", "version": "1.0.0", "main": "old.js" }`,
    "node_modules/a/old.js": "module.exports = 1;",
    "node_modules/a/main.js": `module.exports = "another main";`,
    "lib/b.ts": `export const b = "a new import";`,
  }, {});
  const module = `${app.folder}/one.ts`;
  await using bundler = await Bundler.open({ folder: app.folder });
  let bundle = await bundler.bundle(module);
  for (
    const [path, text, expected] of [
      ["lib/a.ts", "export const lib = 12345;", /12345/],
      ["lib/a.txt", "another text", /another text/],
      ["lib/a.json", `{ "key": "another key" }`, /another key/],
      ["node_modules/a/old.js", `module.exports = "patched";`, /patched/],
      ["lib/a.ts", "export const lib = 54321;", /54321/], // of the same size
      ["lib/a.ts", `export { b as lib } from "./b.ts";`, /a new import/],
      ["lib/b.ts", `import { sep } from "node:path"; export const b = sep + "/b";`, /node:path/],
      ["node_modules/a/package.json", `{ "name": "a", "main": "main.js" }`, /another main/],
    ] as const
  ) {
    await pause();
    await Deno.writeTextFile(`${app.folder}/${path}`, text);
    const next = await bundler.bundle(module);
    assertMatch(next.code, expected);
    assertEquals(next, await bundleModule(module), path);
    bundle = next;
  }
  await pause();
  bundle = await bundler.bundle(module); // All files are older than this bundle.
  assert(bundle === await bundler.bundle(module), "nothing has changed");

  await Deno.remove(`${app.folder}/node_modules/a/old.js`);
  await Deno.writeTextFile(`${app.folder}/node_modules/a/new.js`, `module.exports = "new one";`);
  await Deno.writeTextFile(`${app.folder}/node_modules/a/package.json`, `{ "main": "new.js" }`);
  assertMatch((await bundler.bundle(module)).code, /new one/);

  await Deno.writeTextFile(`${app.folder}/lib/a.ts`, "export const lib = (");
  await assertRejects(() => bundler.bundle(module), Error, "Unexpected end of file");
  await Deno.writeTextFile(`${app.folder}/lib/a.ts`, "export const lib = 777;");
  assertMatch((await bundler.bundle(module)).code, /777/);

  await Deno.writeTextFile(module, `export { handler } from "./lib/c.ts";`);
  const { message } = await assertRejects(() => bundleModule(module), Error);
  await assertRejects(() => bundler.bundle(module), Error, message.replace(/^.*?": /, ""));
  await Deno.writeTextFile(`${app.folder}/lib/c.ts`, "export const handler = 888;");
  assertMatch((await bundler.bundle(module)).code, /888/);
});

Deno.test({
  name: "esbuild gets no key of a registry and no proxy",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using app = await makeApp({ "one.ts": "export const handler = 1;" }, {});
    const variables = { NPM_TOKEN: "SECRET", no_proxy: "SECRET.example" };
    for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
    try {
      await using bundler = await Bundler.open({ folder: app.folder });
      await bundler.bundle(`${app.folder}/one.ts`);
      const environments = ownProcesses()
        .filter((pid) => Deno.readTextFileSync(`/proc/${pid}/cmdline`).includes("--service="))
        .map((pid) => Deno.readTextFileSync(`/proc/${pid}/environ`));
      assert(environments.length > 0);
      for (const text of environments) assertEquals(text.match(/\bPATH=|SECRET/g), ["PATH="]);
    } finally {
      for (const name of Object.keys(variables)) Deno.env.delete(name);
    }
  },
});

Deno.test("Bundler.isCurrent() is false if a file of the configuration or the folder is another one", async () => {
  for (
    const [path, text] of [
      ["app/deno.json", `{ "imports": { "b": "./b.ts" } }`],
      ["app/package.json", "{}"],
      ["deno.json", `{ "workspace": ["./app"] }`],
      ["app/maps/imports.json", `{ "imports": {} }`],
    ] as const
  ) {
    await using app = await makeApp({
      "app/deno.json": `{ "importMap": "./maps/imports.json" }`,
      "app/maps/imports.json": `{ "imports": { "b": "./c.ts" } }`,
    }, {});
    await using bundler = await Bundler.open({ folder: `${app.folder}/app` });
    assertEquals(await bundler.isCurrent(), true);
    await Deno.writeTextFile(`${app.folder}/${path}`, text);
    assertEquals(await bundler.isCurrent(), false, path);
  }
  await using app = await makeApp({ "app/one.ts": "" }, {});
  await using bundler = await Bundler.open({ folder: `${app.folder}/app` });
  await Deno.rename(`${app.folder}/app`, `${app.folder}/old`);
  await Deno.mkdir(`${app.folder}/app`);
  assertEquals(await bundler.isCurrent(), false);
});

Deno.test("the bundler says once that this machine cannot confine it", async () => {
  await using app = await makeApp({ "one.ts": "export const handler = 1;" }, {});
  const warnings: string[] = [];
  const problem = "mount: /usr/lib: permission denied";
  for (const _ of [1, 2]) {
    await using bundler = await Bundler.open({
      folder: app.folder,
      confine: ([path, ...args]) => Promise.resolve({ path, args, problem }),
      warn: (text) => warnings.push(text),
    });
    await bundler.bundle(`${app.folder}/one.ts`);
  }
  assertEquals(warnings.length, 1);
  assertMatch(
    warnings[0]!,
    /^WARN Only Deno's permissions .* cannot confine it: mount: \/usr\/lib/,
  );
});

/** A function below a project of Node.js. */
const BELOW = {
  "package.json": '{ "type": "module" }',
  "node_modules/only-here/package.json":
    '{ "name": "only-here", "version": "1.0.0", "type": "module", "exports": "./mod.js" }',
  "node_modules/only-here/mod.js": 'export const text = "from above";',
  "functions/one.js": 'import { text } from "only-here"; export const handler = () => text;',
};

Deno.test("a function below a project of Node.js imports the packages of the project", async () => {
  await using app = await makeApp(BELOW, {});
  const { code } = await bundleModule(`${app.folder}/functions/one.js`, {
    folder: `${app.folder}/functions`,
  });
  assertStringIncludes(code, "from above");
});

Deno.test("a project of Node.js names the JavaScript that TypeScript makes, as nodenext wants it", async () => {
  const one = `import { a } from "./lib/store.js"; import type { T } from "./types.js";
    import b from "./index.mjs"; export { c } from "./both.js";
    export const handler = (): T => [a, b];`;
  const modules = {
    "one.ts": one,
    "lib/store.ts": `export { a } from "./more.js";`,
    "lib/more.tsx": `export const a: string = "a typed a";`,
    "index.mts": `export default "a typed b" as string;`,
    "both.js": `export const c = "a plain c";`,
    "both.ts": `export const c = "never";`,
    "types.ts": "export type T = string[];",
  };
  const config = `{ "compilerOptions": { "module": "nodenext" } }`;
  await using app = await makeApp({
    ...modules,
    "package.json": '{ "type": "module" }',
    "tsconfig.json": config,
  }, {});
  const { code } = await bundleModule(`${app.folder}/one.ts`);
  const found = code.match(/a (typed|plain) \w/g)?.sort();
  assertEquals(found, ["a plain c", "a typed a", "a typed b"]);
  // Deno itself does not do so, and names the remedy.
  await using other = await makeApp({ ...modules, "deno.json": "{}" }, {});
  await assertRejects(
    () => bundleModule(`${other.folder}/one.ts`),
    Error,
    `import "./lib/store.ts"`,
  );
});
