/**
 * Packs `npm/`, installs it in an empty project, and uses it from there as consumers do: on each runtime, and with the
 * compiler and the linters of packages.
 *
 * Run by `deno task test:npm`, after `deno task build:npm`.
 *
 * @module
 */
import { assert, assertEquals, assertLess } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { install, makeProject, pack, run } from "./consumer.ts";
import { DOCUMENTS, ENTRY_POINTS, OUTPUT, ROOT } from "./metadata.ts";
import { checkCases, checkJsonLog, checkLoop, checkTextLog, type Runtime } from "./programs.ts";

/** The runtimes, as packages of npm that bring the program. */
const RUNTIMES = {
  "node@20.20.2": "node",
  "node@22.23.3": "node",
  "node@24.21.0": "node",
  "bun@1.4.5": "bun",
};

const TYPESCRIPT = "typescript@7.0.2";
const LINTERS = ["publint@0.3.25", "@arethetypeswrong/cli@0.18.5"];

/** The limit of the packed size, in bytes. */
const MAX_SIZE = 60_000;

const temporary = await Deno.realPath(await Deno.makeTempDir());
globalThis.addEventListener("unload", () => Deno.removeSync(temporary, { recursive: true }));

const tarball = await pack(temporary);
const project = `${temporary}/project`;
await makeProject(project, tarball);
const installed = `${project}/node_modules/${config.name}`;
const manifest = JSON.parse(await Deno.readTextFile(`${installed}/package.json`));
const specifiers = Object.keys(ENTRY_POINTS).map((name) => config.name + name.slice(1));

Deno.test("the package is small", () => {
  assertLess(tarball.size, MAX_SIZE, `${tarball.size} bytes, and may have less than ${MAX_SIZE}`);
});

Deno.test("the package says what it is", () => {
  const { name, version, description, keywords, license } = config;
  const { exports, ...rest } = manifest;
  assertEquals(Object.keys(exports), [...Object.keys(ENTRY_POINTS), "./package.json"]);
  assertEquals(rest, {
    name,
    version,
    description,
    keywords,
    license,
    repository: { type: "git", url: `git+${config.repository}.git` },
    bugs: { url: `${config.repository}/issues` },
    homepage: `${config.repository}#readme`,
    type: "module",
    sideEffects: false,
    engines: { node: "^20.16.0 || >=22.3.0" },
  });
});

Deno.test("the package holds code, declarations and documents, and what they name", async () => {
  const paths = new Set(tarball.files.map(({ path }) => path));
  for (const name of DOCUMENTS) {
    assert(paths.has(name), `${name} is missing`);
    assertEquals(
      await Deno.readTextFile(`${installed}/${name}`),
      await Deno.readTextFile(new URL(name, ROOT)),
    );
  }
  for (const path of paths) {
    if (path === "package.json" || DOCUMENTS.includes(path)) continue;
    assert(/\.(js|d\.ts)$/.test(path), `${path} is none of these`);
    assert(!/test|fixture|bench|mock|stand_in/i.test(path), `${path} is for tests`);
    const text = await Deno.readTextFile(`${installed}/${path}`);
    for (const [, specifier] of text.matchAll(/\b(?:from|import)\s*\(?"(\.[^"]+)"/g)) {
      const file = new URL(specifier!, `file:///${path}`).pathname.slice(1);
      const target = path.endsWith(".d.ts") ? file.replace(/\.js$/, ".d.ts") : file;
      assert(paths.has(target), `${path} names ${specifier}, which is missing`);
    }
  }
});

Deno.test("the package names no path of the machine that built it", async () => {
  for (const { path: file } of tarball.files) {
    const text = await Deno.readTextFile(`${installed}/${file}`);
    for (const path of [ROOT.pathname, "file://", /\/tmp\/[\da-f]{8}/, "sourceMappingURL"]) {
      assertEquals(text.split(path).length, 1, `${file} holds ${path}`);
    }
  }
});

for (const [name, command] of Object.entries(RUNTIMES)) {
  const program = await installRuntime(name, command);
  const missing = program === undefined;
  const runtime: Runtime = { program: program!, args: (name) => [`${project}/${name}.js`] };
  const suffix = `on ${name}${missing ? " (not run: it cannot be installed)" : ""}`;

  Deno.test({
    name: `each entry point has the exports of its source ${suffix}`,
    ignore: missing,
    async fn() {
      const code = `for (const name of ${JSON.stringify(specifiers)}) {
        console.log(JSON.stringify(Object.keys(await import(name)).sort()));
      }`;
      await Deno.writeTextFile(`${project}/imports.js`, code);
      const { code: status, stdout, output } = await run(project, program!, ["imports.js"]);
      assertEquals(status, 0, output);
      const exports = stdout.trim().split("\n").map((line) => JSON.parse(line));
      const expected = await Promise.all(
        Object.values(ENTRY_POINTS).map(async (path) => {
          return Object.keys(await import(new URL(path, ROOT).href)).sort();
        }),
      );
      assertEquals(exports, expected);
    },
  });
  for (
    const [title, check] of [
      ["the library behaves", checkCases],
      ["the logger writes text", checkTextLog],
      ["the logger writes JSON", checkJsonLog],
      ["the runtime's loop serves", checkLoop],
    ] as const
  ) {
    Deno.test({ name: `${title} ${suffix}`, ignore: missing, fn: () => check(runtime) });
  }
}

/** Installs a runtime; the path of its program, or `undefined` where this network does not have it. */
async function installRuntime(name: string, command: string): Promise<string | undefined> {
  const folder = `${temporary}/${name}`;
  const program = `${folder}/node_modules/.bin/${command}`;
  try {
    await Deno.mkdir(folder);
    await Deno.writeTextFile(`${folder}/package.json`, "{}");
    await install(folder, name);
    const { stdout } = await run(folder, program, ["--version"]);
    assertEquals(stdout.trim().replace("v", ""), name.split("@")[1]);
    return program;
  } catch (error) {
    console.error(`NOT RUN: the package on ${name}, which cannot be installed: ${error}`);
    return undefined;
  }
}

Deno.test("a consumer's compiler accepts the declarations", async (t) => {
  await install(project, TYPESCRIPT, "@types/node@20.19.25", tarball.path);
  const shared = { strict: true, noEmit: true, skipLibCheck: false, target: "es2022" };
  for (
    const [name, options] of Object.entries({
      "nodenext, with the types of Node.js": {
        module: "nodenext",
        moduleResolution: "nodenext",
        lib: ["es2022"],
        types: ["node"],
      },
      "bundler, with those of the web": {
        module: "esnext",
        moduleResolution: "bundler",
        lib: ["es2022", "dom", "dom.asynciterable"],
        types: [],
      },
      "nodenext, as exact as it gets": {
        module: "nodenext",
        moduleResolution: "nodenext",
        lib: ["es2022"],
        types: ["node"],
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        isolatedModules: true,
        verbatimModuleSyntax: true,
      },
    })
  ) {
    await t.step(name, async () => {
      const settings = { compilerOptions: { ...shared, ...options }, files: ["types.ts"] };
      await Deno.writeTextFile(`${project}/tsconfig.json`, JSON.stringify(settings));
      const { code, output } = await run(project, `${project}/node_modules/.bin/tsc`, []);
      assertEquals(code, 0, output);
    });
  }
});

Deno.test("the linters of packages find nothing", async (t) => {
  const folder = `${temporary}/linters`;
  await Deno.mkdir(folder);
  await Deno.writeTextFile(`${folder}/package.json`, "{}");
  await install(folder, ...LINTERS);
  for (
    const [name, ...args] of [
      ["publint", "run", OUTPUT.pathname, "--strict"],
      ["attw", "--profile", "esm-only", "--format", "ascii", tarball.path],
    ] as const
  ) {
    await t.step(name, async () => {
      const { code, output } = await run(folder, `${folder}/node_modules/.bin/${name}`, args);
      assertEquals(code, 0, output);
    });
  }
});
