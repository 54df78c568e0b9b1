/**
 * Builds the npm package of the tool in `npm/cli/`. Its modules are those of `cli/` as JavaScript, because Deno takes no
 * TypeScript in `node_modules`. So npm installs everything that the tool needs: its packages, `@mate/core` and Deno.
 *
 * @module
 */
import { build, type Plugin, stop } from "esbuild";
import { rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path/posix";
import ts from "typescript";
import ci from "../../.ci/package.json" with { type: "json" };
import config from "../../cli/deno.json" with { type: "json" };
import { packageMetadata, TOOL_OUTPUT, writePackageJson } from "./metadata.ts";
import { MODULES, packageOf, SOURCE, toolPackages } from "./tool_packages.ts";

const OUTPUT = TOOL_OUTPUT.pathname;
/** The modules of the package that run on Node.js. */
const ON_NODE = new URL("tool/", import.meta.url).pathname;
/** The types of a span, which the declarations of the module name. */
const SPAN = `${SOURCE}dev/traces/span.ts`;

await rm(TOOL_OUTPUT, { recursive: true, force: true });
await buildTool();
await buildEntryPoints();
await stop();
for (const name of ["README.md", "LICENSE"]) await Deno.copyFile(SOURCE + name, OUTPUT + name);
await writePackageJson(TOOL_OUTPUT, toolMetadata());

/** Translates each module of the tool, and copies the files that the modules import as data. */
async function buildTool(): Promise<void> {
  const data = new Set<string>();
  await build({
    absWorkingDir: SOURCE,
    entryPoints: [...MODULES],
    outdir: `${OUTPUT}tool`,
    outbase: ".",
    bundle: true, // each module by itself: all imports are external
    format: "esm",
    platform: "neutral",
    target: "esnext",
    legalComments: "none",
    logLevel: "error",
    plugins: [rewriteImports(data)],
  });
  for (const file of data) {
    const target = `${OUTPUT}tool/${file}`;
    await Deno.mkdir(dirname(target), { recursive: true });
    await Deno.copyFile(SOURCE + file, target);
  }
}

function rewriteImports(data: Set<string>): Plugin {
  return {
    name: "rewrite imports",
    setup(build) {
      build.onResolve({ filter: /./ }, ({ path, kind, resolveDir }) => {
        if (kind === "entry-point") return undefined;
        if (!path.startsWith(".")) return { path: packagePath(path), external: true };
        const file = relative(SOURCE, join(resolveDir, path));
        if (file === "deno.json") { // the name and version of the package
          const metadata = join(relative(resolveDir, SOURCE) || ".", "../package.json");
          return { path: metadata.startsWith(".") ? metadata : `./${metadata}`, external: true };
        }
        if (!file.endsWith(".ts")) data.add(file);
        return { path: path.replace(/\.ts$/, ".js"), external: true };
      });
    },
  };
}

/** The specifier of a package without the import map, such as `semver/functions/satisfies.js`. */
function packagePath(specifier: string): string {
  const target = packageOf(specifier) ?? specifier;
  return target.replace(/^npm:((?:@[^/]+\/)?[^@/]+)@[^/]+/, "$1");
}

/** Bundles the program and the module for Node.js, and writes the declarations of the module. */
async function buildEntryPoints(): Promise<void> {
  await build({
    absWorkingDir: ON_NODE,
    entryPoints: ["bin.ts", "platform.ts"],
    outdir: OUTPUT,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    legalComments: "none",
    logLevel: "error",
  });
  const bin = `${OUTPUT}bin.js`;
  await Deno.writeTextFile(bin, `#!/usr/bin/env node\n${await Deno.readTextFile(bin)}`);
  for (const [name, path] of [["platform", `${ON_NODE}platform.ts`], ["span", SPAN]] as const) {
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(
      await Deno.readTextFile(path),
      { fileName: `${name}.ts`, reportDiagnostics: true },
    );
    const problem = diagnostics[0];
    if (problem) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
    const text = outputText.replace(relative(ON_NODE, SPAN), "./span.js");
    await Deno.writeTextFile(`${OUTPUT}${name}.d.ts`, text);
  }
}

function toolMetadata() {
  const packages = toolPackages().map((target) => {
    const [, name, version] = /^npm:((?:@[^/]+\/)?[^@/]+)@([^/]+)/.exec(
      target,
    )!;
    return [name!, version!] as const;
  });
  const library = packageMetadata();
  const { sideEffects: _, ...shared } = library;
  return {
    ...shared,
    name: config.name,
    version: config.version,
    description: config.description,
    repository: { ...library.repository, directory: "cli" },
    bin: { mate: "./bin.js" },
    exports: { "./platform": { types: "./platform.d.ts", default: "./platform.js" } },
    dependencies: Object.fromEntries([
      ...packages,
      [library.name, library.version],
      ["deno", ci.devDependencies.deno],
    ].toSorted()),
    preferUnplugged: true, // Deno reads no archives
  };
}
