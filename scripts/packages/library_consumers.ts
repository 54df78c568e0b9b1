/**
 * Packs `npm/`, installs it in an empty project, and uses it as consumers do: on each runtime, with the compilers and
 * with the linters of packages. `deno task test:npm` runs this file after `deno task build:npm`.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { StubApi } from "../../benchmarks/runtime_loop/stub_api.ts";
import { run, startProgram, succeed, temporaryFolder } from "../../testdata/programs.ts";
import { bundleLibraryTests, DIFFERENCES } from "./testdata/library_tests.ts";
import { install, writeProject } from "./testdata/consumers.ts";
import { DOCUMENTS, ENTRY_POINTS, MODULES, OUTPUT, packageMetadata, ROOT } from "./metadata.ts";
import { Registry } from "./registry.ts";

/** The runtimes as npm packages that contain the program: the oldest, the newest, and some between. */
const RUNTIMES = ["node@20.16.0", "node@22.4.0", "node@24.21.0", "node@25.9.0", "bun@1.4.5"]
  .concat("deno@2.1.0", "deno@2.9.6");

/** Runtimes between others, on which only the entry points and `serve()` are tried. */
const BETWEEN = ["node@22.4.0", "node@24.21.0", "deno@2.9.6"];

/** The arguments before the file. */
const ARGUMENTS: Record<string, string[]> = {
  node: ["--enable-source-maps"],
  bun: [],
  deno: ["run", "--allow-all"],
};

const COMPILERS = ["typescript@5.2.2", "typescript@7.0.2"];
const LINTERS = ["publint@0.3.25", "@arethetypeswrong/cli@0.18.5"];

/** The limit of the packed size, in bytes. */
const MAX_SIZE = 200_000;

const temporary = await Deno.realPath(temporaryFolder());
await using registry = await Registry.open();
const { tarball, size, paths } = await registry.pack(OUTPUT, temporary);
const project = await makeProject("project", tarball, "@types/node@20.19.25");
const installed = `${project}/node_modules/${config.name}`;

Deno.test("the package is small", () => assert(size < MAX_SIZE, `${size} bytes`));

Deno.test("package.json describes the package and every entry point", async () => {
  const { exports, ...rest } = JSON.parse(await Deno.readTextFile(`${installed}/package.json`));
  assertEquals(Object.keys(exports), [...Object.keys(ENTRY_POINTS), "./package.json"]);
  assertEquals(rest, packageMetadata());
});

Deno.test("the package holds code, declarations and documents, and every file that these import", async () => {
  for (const name of DOCUMENTS) {
    const original = await Deno.readTextFile(new URL(name, ROOT));
    assertEquals(await Deno.readTextFile(`${installed}/${name}`), original);
  }
  for (const path of paths) {
    if (path === "package.json" || DOCUMENTS.includes(path)) continue;
    assert(/\.(js|d\.ts)$/.test(path), path);
    assert(!/_test|testdata|fixture|bench|mock|stand_in/i.test(path), path);
    const text = await Deno.readTextFile(`${installed}/${path}`);
    for (const [, specifier] of text.matchAll(/\b(?:from|import)\s*\(?"(\.[^"]+)"/g)) {
      const file = new URL(specifier!, `file:///${path}`).pathname.slice(1);
      const target = path.endsWith(".d.ts") ? file.replace(/\.js$/, ".d.ts") : file;
      assert(paths.includes(target), `${path} imports ${specifier}, which is missing`);
    }
  }
});

Deno.test("the package names no path of the machine that built it", async () => {
  for (const file of paths) {
    const text = await Deno.readTextFile(`${installed}/${file}`);
    for (const path of [ROOT.pathname, "file:///", /\/tmp\/[\da-f]{8}/, "sourceMappingURL"]) {
      assertEquals(text.split(path).length, 1, `${file} holds ${path}`);
    }
  }
});

const tests = await bundleLibraryTests(`${project}/library_tests.js`);
await install(project, tarball, ...tests.packages);
const names = MODULES.map(([name]) => config.name + name.slice(1));
await writeProject(project, {
  "exports.js": `for (const name of ${JSON.stringify(names)}) {
    console.log(JSON.stringify(Object.keys(await import(name)).sort()));
  }`,
  "uncaught.js": `import { FnEvent } from "@mate/core/function";
  new FnEvent(null);`,
  "serve.js": `import { serve } from "@mate/core/runtime";
  serve((event, { awsRequestId }) => ({ ...event, awsRequestId }));`,
});

for (const name of RUNTIMES) {
  const [command] = name.split("@") as [string];
  const folder = await makeProject(name, name);
  const program = `${folder}/node_modules/.bin/${command}`;
  const start = (file: string) =>
    run(program, [...ARGUMENTS[command]!, file], { cwd: project, env: { NO_COLOR: "1" } });

  Deno.test(`each entry point has the exports of its source on ${name}`, async () => {
    const expected = MODULES.map(async ([, path]) =>
      JSON.stringify(Object.keys(await import(new URL(path, ROOT).href)).sort())
    );
    const { stdout } = await start("exports.js");
    assertEquals(stdout.trim().split("\n"), await Promise.all(expected));
  });

  Deno.test(`the library's own tests pass with the package on ${name}`, {
    ignore: BETWEEN.includes(name),
    timeout: 1_800_000, // These are all tests of the library.
  }, async () => {
    const { code, stdout, stderr } = await start("library_tests.js");
    assertEquals(code, 0, stderr);
    const { names, failures } = JSON.parse(stdout.trim().split("\n").at(-1)!);
    assert(names.length > tests.files.length);
    const known = DIFFERENCES.flatMap(([, , tests]) => tests);
    assertEquals(known.filter((test) => !names.includes(test)), [], "these tests do not exist");
    const different = DIFFERENCES.flatMap(([runtime, , tests]) => runtime.test(name) ? tests : []);
    assertEquals(failures.filter((test: string) => !different.includes(test)), [], stderr);
  });

  Deno.test(`an uncaught error shows a short line of code on ${name}`, async () => {
    const { stderr } = await start("uncaught.js");
    assert(stderr.includes("TypeError"), stderr);
    assert(stderr.split("\n").every((line) => line.length < 300), stderr);
  });

  Deno.test(`serve() answers the Runtime API on ${name}`, async () => {
    using api = new StubApi(1, () => '{"name":"tea"}');
    const answer = new Promise<string>((resolve) => api.onAnswer = resolve);
    const env = { AWS_LAMBDA_RUNTIME_API: api.api };
    await using child = startProgram(program, {
      args: [...ARGUMENTS[command]!, "serve.js"],
      cwd: project,
      env,
    });
    const awsRequestId = "8476a536-e9f4-11e8-9739-000000000000";
    const ended = child.status.then(({ code }) => `"The program has ended with ${code}"`);
    assertEquals(JSON.parse(await Promise.race([answer, ended])), { name: "tea", awsRequestId });
  });
}

const NODE = { module: "nodenext", moduleResolution: "nodenext", lib: ["es2022"], types: ["node"] };
const OPTIONS = {
  "nodenext, with the types of Node.js": NODE,
  "bundler, with the types of the web": {
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["es2022", "dom"],
    types: [],
  },
  "nodenext, as strict as possible": {
    ...NODE,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    isolatedModules: true,
    verbatimModuleSyntax: true,
  },
};

for (const compiler of COMPILERS) {
  Deno.test(`${compiler} accepts the declarations`, async (t) => {
    const tsc = `${await makeProject(compiler, compiler)}/node_modules/.bin/tsc`;
    await Deno.copyFile(new URL("testdata/types.ts", import.meta.url), `${project}/types.ts`);
    const shared = { strict: true, noEmit: true, skipLibCheck: false, target: "es2022" };
    for (const [name, options] of Object.entries(OPTIONS)) {
      await t.step(name, async () => {
        const settings = { compilerOptions: { ...shared, ...options }, files: ["types.ts"] };
        await Deno.writeTextFile(`${project}/tsconfig.json`, JSON.stringify(settings));
        await succeed(tsc, [], { cwd: project });
      });
    }
  });
}

Deno.test("the linters of packages find nothing", async () => {
  const folder = await makeProject("linters", ...LINTERS);
  for (
    const [name, ...args] of [
      ["publint", "run", OUTPUT.pathname, "--strict"],
      ["attw", "--profile", "esm-only", "--format", "ascii", tarball],
    ] as const
  ) {
    await succeed(`${folder}/node_modules/.bin/${name}`, args, { cwd: folder });
  }
});

/** Makes an empty project with these packages installed. */
async function makeProject(name: string, ...packages: string[]): Promise<string> {
  const folder = `${temporary}/${name}`;
  await writeProject(folder, { "package.json": '{ "type": "module" }' });
  await install(folder, ...packages);
  return folder;
}
