import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { relative } from "node:path";
import config from "../../../.ci/deno.json" with { type: "json" };
import { ownProcesses } from "../../../testdata/own_effects.ts";
import { within } from "../../../testdata/waiting.ts";
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

Deno.test("a bundler ends when nobody needs it any more, also while it bundles", async () => {
  await using app = await makeApp({ "one.ts": "export const handler = 1;" }, {});
  for (const delay of [0, 150, 300, 600]) {
    const bundler = await Bundler.open({ folder: app.folder });
    const bundling = bundler.bundle(`${app.folder}/one.ts`).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, delay));
    await within("the end of the bundler", bundler[Symbol.asyncDispose]());
    await within("the answer", bundling);
  }
});

Deno.test("a function imports a package from a folder in links of deno.json", async () => {
  await using app = await makeApp({
    "shop/deno.json": `{ "imports": { "@tea/core": "jsr:@tea/core@1" }, "links": ["../core"] }`,
    "shop/one.ts": `export { handler } from "@tea/core";`,
    "core/deno.json": `{ "name": "@tea/core", "version": "1.0.0", "exports": "./mod.ts" }`,
    "core/mod.ts": `export const handler = () => "green tea";`,
  }, {});
  assertMatch((await bundleModule(`${app.folder}/shop/one.ts`)).code, /green tea/);
});

Deno.test("a package of package.json that is not installed is named with the command of its project", async () => {
  for (
    const [files, command] of [
      [{}, "npm install"],
      [{ "deno.json": "{}" }, "deno install"],
    ] as const
  ) {
    await using app = await makeApp({
      ...files,
      "package.json": '{ "dependencies": { "not-installed": "1" } }',
      "one.ts": 'import "not-installed";',
    }, {});
    await using bundler = await Bundler.open({ folder: app.folder });
    const bundling = bundler.bundle(`${app.folder}/one.ts`, { target: "nodejs24.x" });
    const { message } = await assertRejects(() => bundling, Error, '"not-installed"');
    assertStringIncludes(message, `\`${command}\``);
  }
});
