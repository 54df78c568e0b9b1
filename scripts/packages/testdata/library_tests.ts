/**
 * Bundles the library's own tests so that they test the npm package on any runtime.
 *
 * A test imports files of the library. If the package exports a symbol of the file, the bundle takes the symbol from the
 * package. It takes other symbols, such as private functions, from the source. The imports of the source are treated in the
 * same way.
 *
 * @module
 */
import { build, type Plugin, stop } from "esbuild";
import { readdirSync } from "node:fs";
import map from "../../../.ci/deno.json" with { type: "json" };
import config from "../../../deno.json" with { type: "json" };
import { STAND_INS } from "../../std.ts";
import { FOLDERS, MODULES, ROOT } from "../metadata.ts";

/** APIs that {@linkcode RUNNER} does not have. */
const ONLY_DENO = /\bDeno\.(?!test\b)|\baddEventListener\(/;

/** Tests that depend on the runtime: the runtimes that differ, how they differ, and the tests. */
export const DIFFERENCES: readonly (readonly [runtime: RegExp, why: string, tests: string[]])[] = [
  [/./, "earlier tests in the same process have set the state of the logger", [
    "captureLog() returns the records as objects, and prints nothing",
    "captureLog() passes the error of the function on, and ends the capture",
  ]],
  [/node@20|bun/, "JSON.parse() gives no line, or no position", [
    "queryPayload() says where the JSON broke and never quotes the body",
  ]],
  [
    /deno@2\.1\./,
    "node:zlib has a zstd that does not work, and node:module has no SourceMap",
    [
      "encode() and encodeSoon() are undone by the decoder of each coding",
      "encodeStream() gives out each chunk at once, also before a failure",
      "stackMapper() translates the frames of each form, and nothing else",
      "stackMapper() maps at most 100 frames of one stack",
      "stackMapper() keeps the maps of 50 modules, and looks for a map once that cannot be read",
    ],
  ],
  [
    /bun|deno/,
    "no source maps, so a stack does not name the file of the test",
    [
      "buildHttpServerErrorResponse() logs one critical record with status, stack and causes",
      "proxyHandler() logs the thrown value as a cause, and no frames before those of its author",
      "each error class has its status and name, and its reason phrase unless it gets a message",
      "a large value leaves room for the other parts of a record",
      "describeFailure() gives the frames of the stack, and no line of the message",
    ],
  ],
  [
    /bun/,
    "a Response of text has no Content-Type, and Headers has toJSON()",
    [
      "fetchHandler() negotiates nothing but the coding",
      "proxyHandler() refuses a result that no response can carry",
      "proxyHandler() sends a standard Response with its status, headers and exact bytes",
      "a middleware answers by itself with anything that a route may return",
      "next() gives the answer negotiated, not compressed, with text, bytes and types",
    ],
  ],
  [
    /bun/,
    "another node:net, Request and JSON.stringify(), and no modules in data: URLs",
    [
      "IpAddress reads exactly the texts that node:net calls an address",
      "toRequest() refuses a method or header that a standard request cannot have, as a client error",
      "jsonTransformer() refuses a payload that JSON cannot carry",
      "writeJson() names a value that JSON would leave out or write as {}",
      "logger.redact hides the values of its keys, at any depth and in any case",
      "renderJson() renders values of every kind",
      "the error classes survive minifying, are known to another copy, and fall out if unused",
    ],
  ],
];

/** The test runner of the bundle: `Deno.test()` collects, `runAll()` runs. */
const RUNNER = `
const tests = [];
export function test(first, ...rest) {
  tests.push(typeof first === "string" ? { name: first, fn: rest.at(-1) } : first);
}
export async function runAll() {
  const failures = [];
  for (const { name, fn } of tests) {
    try {
      await fn();
    } catch (error) {
      failures.push(name);
      console.error("FAILED", name, error);
    }
  }
  console.log(JSON.stringify({ names: tests.map(({ name }) => name), failures }));
}
`;

/** The contents of the bundle. */
export interface LibraryTests {
  /** The test files in the bundle: those that do not need Deno. */
  readonly files: readonly string[];
  /** The npm packages that the bundle imports, such as `fast-check@4.10.2`. */
  readonly packages: readonly string[];
}

/** Bundles the tests into a file, which prints `{ names, failures }` of the tests as its last line. */
export async function bundleLibraryTests(output: string): Promise<LibraryTests> {
  const files = FOLDERS.flatMap((folder) =>
    (readdirSync(new URL(folder, ROOT), { recursive: true }) as string[])
      .filter((name) => name.endsWith("_test.ts")).map((name) => `${folder}/${name}`)
  ).filter((file) => !needsDeno(new URL(file, ROOT)));
  const packages = new Set<string>();
  await build({
    stdin: {
      contents: [
        `import { runAll } from "runner";`,
        ...files.map((file) => `import ${JSON.stringify(new URL(file, ROOT).pathname)};`),
        `await runAll();`,
      ].join("\n"),
      resolveDir: ROOT.pathname,
    },
    outfile: output,
    bundle: true,
    sourcemap: "inline", // some tests look for the name of their file in a stack
    format: "esm",
    target: "es2022",
    external: ["node:*"],
    define: { "Deno.test": "test" },
    inject: ["runner"],
    plugins: [await routeToPackage(packages)],
    logLevel: "error",
  });
  await stop();
  return { files, packages: [...packages] };
}

/** Whether a test, or a helper that it imports, uses APIs of Deno. */
function needsDeno(file: URL): boolean {
  const text = Deno.readTextFileSync(file);
  const helpers = [...text.matchAll(/ from "(\.[^"]*\/testdata\/[^"]*\.ts)"/g)];
  return ONLY_DENO.test(text) || helpers.some(([, path]) => needsDeno(new URL(path!, file)));
}

/** Resolves the files of the library to the package, and the packages of JSR to the stand-ins. */
async function routeToPackage(packages: Set<string>): Promise<Plugin> {
  const entries = await Promise.all(
    MODULES.map(async ([name, path]) =>
      [config.name + name.slice(1), await import(new URL(path, ROOT).href)] as const
    ),
  );
  const isSource = (path: string) =>
    FOLDERS.some((folder) => path.startsWith(`${ROOT.pathname}${folder}/`)) &&
    /(?<!_test)\.ts$/.test(path) && !path.includes("/testdata/");
  return {
    name: "route to the package",
    setup(build) {
      build.onResolve({ filter: /^runner$/ }, ({ path }) => ({ path, namespace: "runner" }));
      build.onLoad({ filter: /./, namespace: "runner" }, () => ({ contents: RUNNER }));
      build.onResolve({ filter: /^source:/ }, ({ path }) => ({
        path: path.slice("source:".length),
      }));
      build.onResolve({ filter: /^@mate\// }, ({ path }) => ({ path, external: true }));
      build.onResolve({ filter: /^@std\// }, ({ path }) => ({
        path: new URL(STAND_INS[path]!, ROOT).pathname,
      }));
      build.onResolve({ filter: /^(npm:|@?[a-z])/ }, ({ path }) => {
        if (path === "runner" || path.startsWith("node:")) return;
        const target = (map.imports as Record<string, string>)[path] ?? path;
        const [, name, version, rest = ""] = /^npm:(.[^@]*)@([^/]+)(\/.*)?$/
          .exec(target)!;
        packages.add(`${name}@${version}`);
        return { path: name + rest, external: true };
      });
      build.onResolve({ filter: /^\.\.?\// }, ({ path, importer, resolveDir }) => {
        const file = new URL(path, `file://${resolveDir}/`).pathname;
        return isSource(file) && importer !== file
          ? { path: file, namespace: "routed" }
          : undefined;
      });
      build.onLoad({ filter: /\.ts$/, namespace: "file" }, async ({ path }) => {
        const source = await Deno.readTextFile(path);
        const url = JSON.stringify(`file://${path}`); // a bundle has only one URL
        return { contents: source.replaceAll("import.meta.url", url), loader: "ts" };
      });
      build.onLoad({ filter: /./, namespace: "routed" }, async ({ path }) => {
        const lines = Object.entries(await import(`file://${path}`)).map(([name, value]) => {
          const entry = entries.find(([, module]) => module[name] === value)?.[0];
          return `export { ${name} } from ${JSON.stringify(entry ?? `source:${path}`)};`;
        });
        return { contents: lines.join("\n"), loader: "js" };
      });
    },
  };
}
