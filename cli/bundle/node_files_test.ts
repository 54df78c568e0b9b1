import { assertEquals, assertMatch } from "@std/assert";
import { basename } from "node:path";
import { bundles, makeApp, minified, serve } from "../testdata/bundle.ts";
import { NODE_RUNTIMES, startApp } from "../testdata/sandbox.ts";
import { succeed } from "../../testdata/programs.ts";
import { findNode } from "../programs/find_node.ts";
import { writeFiles } from "../archives/archive.ts";
import { Kept } from "../programs/kept.ts";
import { bundleFunctions } from "./functions.ts";
import { Bundles } from "./modules/bundles.ts";

const names = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path);

const SOURCES = ["../../other.ts", "../../../missing.ts"];
const MAP = JSON.stringify({ version: 3, sources: SOURCES, names: [], mappings: "AAAA;ACAA" });

/** An application with packages. It has one bundler, because the start of one takes longer than a bundle. */
const project = await makeApp({
  "package.json": JSON.stringify({
    type: "module",
    dependencies: { which: "1.0.0", evil: "1.0.0" },
  }),
  "node_modules/which/package.json": JSON.stringify({
    name: "which",
    version: "1.0.0",
    type: "module",
    exports: { ".": { deno: "./deno.js", node: "./node.js", default: "./x.js" } },
  }),
  "node_modules/which/deno.js": 'export const which = "for Deno";',
  "node_modules/which/node.js": 'export const which = "for Node.js";',
  "node_modules/which/x.js": 'export const which = "for neither";',
  "which.ts": 'export { which as handler } from "which";',
  "node_modules/evil/package.json": '{ "name": "evil", "main": "index.mjs" }',
  "node_modules/evil/index.mjs":
    "console.log(() => Deno.cwd());\nconsole.log(() => Deno.cwd());\n" +
    `//# sourceMappingURL=data:application/json;base64,${btoa(MAP)}\n`,
  "evil.ts": 'import "evil"; export const handler = () => 1;',
  "other.ts": "Deno.cwd();",
}, {
  d: { module: "which.ts" },
  n: { module: "which.ts", runtime: "nodejs22.x" },
  reads: { module: "evil.ts", runtime: "nodejs24.x" },
});
const ofProject = new Bundles({ folder: project.folder, quiet: 0 });

Deno.test("bundleFunctions() bundles a module for each runtime that uses it, with the conditions of the runtime", async () => {
  const { functions, problems } = await bundleFunctions(project.manifest, await project.read(), {
    names: ["d", "n"],
    bundles: ofProject,
  });
  assertEquals(problems, new Map());
  const code = (name: string) => new TextDecoder().decode(functions.get(name)![0]!.data);
  assertMatch(code("d"), /for Deno/);
  assertMatch(code("n"), /for Node\.js/);
  assertEquals(names(functions.get("d")!).slice(0, 3), ["index.mjs", "index.mjs.map", "mate/net"]);
  assertEquals(names(functions.get("n")!), ["index.mjs", "index.mjs.map"]);
});

Deno.test("bundleFunctions() warns of Deno in a function for Node.js, and not where a module asks for it", async () => {
  await using app = await makeApp({
    "one.ts": 'import "./careful.ts";\nimport "./own.ts";\nimport "./bad.ts";\n' +
      'export const handler = () => "Deno.env";',
    "careful.ts": 'if (typeof Deno !== "undefined") console.log(Deno.version);',
    "own.ts": "const Deno = { env: 1 }; console.log(Deno.env); // Deno.env",
    "bad.ts": 'const text: string = "";\nexport const home = () => Deno.env.get("HOME") + text;\n' +
      "console.log(home, () => Deno);",
  }, {
    d: { module: "one.ts" },
    n: { module: "one.ts", runtime: "nodejs24.x" },
    m: { module: "one.ts", runtime: "nodejs24.x", handler: "handler" },
  });
  const warnings: string[] = [];
  const warn = (text: string) => warnings.push(text);
  const application = await app.read();
  const { functions } = await bundleFunctions(app.manifest, application, {
    warn,
    bundles: minified,
  });
  const own = warnings.filter((text) => text.includes("uses"));
  const problem =
    'uses "Deno", and Node.js has none: use a module of Node.js, or the runtime "deno"';
  assertEquals(own, [`The functions "n", "m": ${basename(app.folder)}/bad.ts:2 ${problem}`]);
  const code = new TextDecoder().decode(functions.get("n")![0]!.data);
  assertMatch(code, /Deno\.env\.get\("HOME"\)/);
  assertEquals(/[^\p{ASCII}]/u.test(code), false);
});

Deno.test("bundleFunctions() refuses a module for Node.js that uses Deno when it is imported", async () => {
  const remedy = 'and Node.js has none: use a module of Node.js, or the runtime "deno"';
  const cases: readonly (readonly [file: string, code: string, line?: number])[] = [
    ["a.ts", "const one: number = 1;\n\nexport const home = [one, Deno.env.get('HOME')];", 3],
    ["b.ts", "class A { static home = Deno.cwd(); }\nconsole.log(A);", 1],
    ["c.ts", "interface A { a: 1 }\nawait (async () => {\n  await Deno.readFile('x');\n})();", 3],
    ["d.ts", "if (Deno.build.os) console.log(1);", 1],
    ["e.cjs", "exports.pid = Deno.pid;", 1],
    ["f.tsx", "console.log(<T,>(value: T) => value);\nDeno.serve(() => new Response());", 2],
    // These run later, or perhaps never.
    ["g.ts", "export const home = () => Deno.cwd(); console.log(home);"],
    ["h.ts", "export class A { home = Deno.cwd(); cwd() { return Deno.cwd(); } } console.log(A);"],
    ["i.ts", "if (import.meta.main) Deno.serve(() => new Response());"],
    ["j.ts", "try { Deno.cwd(); } catch { console.log('no'); }"],
    ["k.ts", "globalThis.Deno?.cwd();"],
    ["l.ts", "console.log(typeof Deno === 'undefined' ? 1 : Deno.pid);"],
  ];
  const functions = cases.map(([file]) =>
    [`f${file.at(0)}`, { module: `${file}.ts`, runtime: "nodejs24.x" }] as const
  );
  const modules = cases.flatMap(([file, code]) => [
    [file, code],
    [`${file}.ts`, `import "./${file}"; export const handler = () => 1;`],
  ]);
  await using app = await makeApp(Object.fromEntries(modules), Object.fromEntries(functions));
  const { problems } = await bundleFunctions(app.manifest, await app.read(), { bundles });
  const expected = cases.filter(([, , line]) => line !== undefined).map(([file, , line]) => [
    `f${file.at(0)}`,
    `${basename(app.folder)}/${file}:${line} uses "Deno" when it is imported, ${remedy}`,
  ]);
  assertEquals([...problems].sort(), expected);
});

Deno.test("bundleFunctions() reads no file that only the source map of a package names", async () => {
  const warnings: string[] = [];
  const warn = (text: string) => warnings.push(text);
  const { problems } = await bundleFunctions(project.manifest, await project.read(), {
    names: ["reads"],
    bundles: ofProject,
    warn,
  });
  assertEquals([warnings.filter((text) => text.includes("uses")), [...problems]], [[], []]);
});

for (const runtime of NODE_RUNTIMES) {
  Deno.test(`${runtime}: a bundle has CommonJS, data and top-level await as on Deno`, async () => {
    await using app = await makeApp({
      "one.ts": `import { createRequire } from "node:module";
        import data from "./data.json" with { type: "json" };
        import text from "./text.txt" with { type: "text" };
        import bytes from "./text.txt" with { type: "bytes" };
        import wasm from "./add.wasm" with { type: "bytes" };
        import old from "./old.cjs";
        const later = await Promise.resolve("later");
        const { instance } = await WebAssembly.instantiate(wasm);
        export const handler = () => [data.a, text, bytes.length, instance.exports.add(2, 3), old.join, later,
          typeof createRequire, typeof import.meta.dirname];`,
      "data.json": '{ "a": 1 }',
      "text.txt": "text",
      "add.wasm": "",
      "old.cjs":
        `const { join } = require("node:path"); exports.join = join("a", typeof __dirname);`,
    }, { one: { module: "one.ts", runtime } });
    const add = "AGFzbQEAAAABBwFgAn9/AX8DAgEABwcBA2FkZAAACgkBBwAgACABags="; // (func (export "add") ... i32.add)
    await Deno.writeFile(`${app.folder}/add.wasm`, Uint8Array.fromBase64(add));
    const application = await app.read();
    const { functions, problems } = await bundleFunctions(app.manifest, application, { bundles });
    assertEquals(problems, new Map());
    await writeFiles(`${app.folder}/task`, functions.get("one")!);
    const { program } = await findNode(runtime);
    const script =
      `console.log(JSON.stringify((await import("${app.folder}/task/index.mjs")).handler()))`;
    const output = await succeed(program, ["--input-type=module", "-e", script]);
    const wanted = [1, "text", 4, 5, "a/string", "later", "function", "string"];
    assertEquals(JSON.parse(output), wanted);
  });

  Deno.test(`${runtime}: the log of the platform warns of Deno in a function`, async () => {
    const lines: string[] = [];
    await using app = await startApp(
      "export const handler = async (event: string) => event || Deno.pid;",
      { runtime },
      {
        log: ({ functionName, text }) => functionName === "" && lines.push(text),
      },
    );
    assertEquals((await app.invoke("works")).json, "works");
    const found = lines.filter((line) =>
      line.startsWith(
        `WARN The function "one": ${basename(app.folder)}/one.ts:1 uses "Deno", and Node.js has`,
      )
    );
    assertEquals(found.length, 1, lines.join("\n"));
  });

  Deno.test(`${runtime}: a CommonJS module exports its handler`, async () => {
    await using app = await startApp("", { runtime, module: "one.cjs" }, { bundling: "later" });
    await Deno.writeTextFile(`${app.folder}/one.cjs`, "exports.handler = async (event) => event;");
    assertEquals((await app.invoke({ a: 1 })).json, { a: 1 });
  });

  Deno.test(`${runtime}: a function reads its secrets before its module, unless they are set`, async () => {
    const asked: unknown[] = [];
    await using server = serve(async (request) => {
      asked.push((await request.json()).Names);
      return Response.json({ Parameters: [{ Name: "/test/v0/KEY", Value: "sesame" }] });
    });
    await using app = await makeApp(
      { "one.ts": "const { KEY } = process.env; export const handler = () => KEY;" },
      { one: { module: "one.ts", runtime, secrets: ["KEY"] } },
    );
    const application = await app.read();
    const options = { bundles, kept: new Kept(console.warn) };
    const { functions } = await bundleFunctions(app.manifest, application, options);
    const files = ["index.mjs", "function.mjs", "function.mjs.map", "secrets.mjs"];
    assertEquals(names(functions.get("one")!), files);
    await writeFiles(`${app.folder}/task`, functions.get("one")!);
    const { program } = await findNode(runtime);
    const script = `console.log((await import("${app.folder}/task/index.mjs")).handler())`;
    const env = {
      AWS_ENDPOINT_URL_SSM: server.url,
      AWS_REGION: "eu-west-1",
      AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
      AWS_SECRET_ACCESS_KEY: "x",
    };
    const run = (own: Record<string, string> = {}) =>
      succeed(program, ["--input-type=module", "-e", script], { env: { ...env, ...own } });
    assertEquals(await run({ KEY: "set" }), "set\n");
    assertEquals(asked, []);
    assertEquals(await run(), "sesame\n");
    assertEquals(asked, [["/test/v0/KEY"]]);
    const here = await bundleFunctions(app.manifest, application, { bundles, readsSecrets: false });
    assertEquals(names(here.functions.get("one")!), ["index.mjs", "index.mjs.map"]);
  });
}
