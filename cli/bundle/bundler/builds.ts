import {
  type BuildContext,
  type BuildOptions,
  type BuildResult,
  context,
  type Message,
  stop,
  transform,
  type TransformOptions,
} from "esbuild";
import { resolve } from "node:path";
import { isPackageFile, refusal } from "./access.ts";
import { findCircles, restoreDeclarations } from "./circles.ts";
import { readGraph } from "./graph.ts";
import type { BundlerOptions, ModuleBundle, Request } from "./messages.ts";
import { denoPlugin } from "./plugin.ts";

/** The builds of one application. esbuild keeps the modules of a build in memory, so that the next build is faster. */
export class Builds {
  readonly #options: BundlerOptions;
  readonly #contexts = new Map<string, Promise<BuildContext<typeof OPTIONS>>>();

  constructor(options: BundlerOptions) {
    this.#options = options;
  }

  /** Bundles a module. */
  async run(request: Request): Promise<ModuleBundle> {
    const { entry, isMinified } = request;
    const key = `${entry} ${isMinified}`;
    let opened = this.#contexts.get(key);
    if (opened === undefined) {
      this.#contexts.set(key, opened = this.#open(entry, isMinified));
    }
    try {
      const result = await (await opened).rebuild();
      this.#check(result);
      const circles = findCircles(result.metafile, (input) => this.#isOwn(input));
      if (circles.size === 0) return bundleOf(result);
      if (isMinified) return await minify(await this.run({ ...request, isMinified: false }));
      const bundle = bundleOf(result);
      return { ...bundle, code: await this.#restore(bundle, circles) };
    } catch (error) {
      const { errors } = error as { errors?: readonly Message[] };
      throw errors === undefined
        ? error
        : new Error(errors.map(describe).join("\n"), { cause: error });
    }
  }

  /** Whether a module is a file of the application. */
  #isOwn(input: string): boolean {
    return !/^\w+:/.test(input) &&
      !isPackageFile(resolve(this.#options.folder, input), this.#options);
  }

  async #restore({ code, map }: ModuleBundle, circles: ReadonlySet<string>): Promise<string> {
    const texts = new Map(
      await Promise.all(
        [...circles].map(async (input) =>
          [input, await Deno.readTextFile(resolve(this.#options.folder, input))] as const
        ),
      ),
    );
    return restoreDeclarations(code, map, (source) => texts.get(source));
  }

  async stop(): Promise<void> {
    await stop();
  }

  async #open(entry: string, isMinified: boolean) {
    const { folder, flags, compilerOptions } = this.#options;
    return await context({
      ...OPTIONS,
      absWorkingDir: folder,
      entryPoints: { index: entry },
      outdir: folder,
      minify: isMinified,
      ...(compilerOptions === undefined ? {} : { tsconfigRaw: tsconfigOf(compilerOptions) }),
      plugins: [
        denoPlugin(
          this.#options,
          () => readGraph(entry, { cwd: folder, flags }),
          compilerOptions?.emitDecoratorMetadata === true
            ? (file) => transpile(file, folder)
            : undefined,
        ),
      ],
    });
  }

  /** Checks every import, also those that esbuild resolves itself, such as `require("./" + name)`. */
  #check({ metafile }: BuildResult<typeof OPTIONS>): void {
    const { folder } = this.#options;
    const fileOf = (input: string) =>
      input.startsWith("npm:") ? this.#options.npmCache : resolve(folder, input);
    for (const [input, { imports }] of Object.entries(metafile.inputs)) {
      for (const { path, external } of imports) {
        if (external || /^\w+:/.test(path) || !(path in metafile.inputs)) continue;
        const problem = refusal(fileOf(path), fileOf(input), this.#options);
        if (problem !== undefined) throw new Error(`${problem}\n    at ${input}`);
      }
    }
  }
}

const SHARED = {
  format: "esm",
  platform: "node",
  target: "esnext",
  // V8 has no decorators.
  supported: { decorators: false },
  keepNames: true,
  sourcemap: "external",
  sourcesContent: false,
  logLevel: "silent",
  charset: "utf8",
} as const satisfies BuildOptions & TransformOptions;

const OPTIONS = {
  ...SHARED,
  bundle: true,
  define: { __dirname: "import.meta.dirname", __filename: "import.meta.filename" },
  mainFields: ["module", "main"],
  conditions: ["deno"],
  metafile: true,
  write: false,
} as const satisfies BuildOptions;

/** The options that decide what a program does. The others are about types, or about where files are. */
function tsconfigOf({
  jsx,
  jsxFactory,
  jsxFragmentFactory,
  jsxImportSource,
  experimentalDecorators,
  verbatimModuleSyntax,
}: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    compilerOptions: {
      jsx: jsx === "precompile" ? "react-jsx" : jsx, // "precompile" makes the same elements faster.
      jsxFactory,
      jsxFragmentFactory,
      jsxImportSource,
      experimentalDecorators,
      verbatimModuleSyntax,
    },
  });
}

function bundleOf({ outputFiles, metafile }: BuildResult<typeof OPTIONS>): ModuleBundle {
  const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))!.text;
  const [, output] = Object.entries(metafile.outputs).find(([path]) => path.endsWith(".js"))!;
  const bundle = withRequire(asNodeImports(textOf(".js")), textOf(".js.map"));
  const isCommonJs = metafile.inputs[output.entryPoint!]?.format === "cjs";
  return isCommonJs ? bundle : { ...bundle, exports: output.exports };
}

/**
 * Lets the default import of a CommonJS module be its `module.exports`, as in Deno and in Node.js. esbuild would take
 * `exports.default` of modules that a compiler made. The length stays the same for the source map.
 */
function asNodeImports(code: string): string {
  return code.replace(
    /\w+\s*\|\|\s*!(\w+)\s*\|\|\s*!\1\.__esModule\s*\?/,
    (condition) => `${"1".padEnd(condition.length - 1)}?`,
  );
}

/** Adds `require` for CommonJS modules that load modules of Node.js. */
function withRequire(code: string, map: string): { code: string; map: string } {
  if (!code.includes("Dynamic require of")) return { code, map };
  const line = 'import{createRequire as __createRequire}from"node:module";' +
    "var require=__createRequire(import.meta.url);";
  return { code: `${line}\n${code}`, map: map.replace('"mappings": "', '"mappings": ";') };
}

/** Minifies a bundle that must keep its declarations. */
async function minify({ code, map, exports }: ModuleBundle): Promise<ModuleBundle> {
  const comment = `//# sourceMappingURL=data:application/json;base64,${
    new TextEncoder().encode(map).toBase64()
  }`;
  const result = await transform(`${code}\n${comment}`, {
    ...SHARED,
    minify: true,
    keepNames: false, // The names are kept already.
    legalComments: "eof",
  });
  return { code: result.code, map: result.map, ...(exports && { exports }) };
}

/** Describes a problem with its place in the author's file. */
function describe({ text, location }: Message): string {
  if (location === null) return text;
  return `${text}\n    at ${location.file}:${location.line}:${location.column + 1}`;
}

/** Makes JavaScript with the types of decorated members, which esbuild does not know. */
async function transpile(file: string, cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["transpile", "--quiet", "--source-map=inline", file],
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (success) return new TextDecoder().decode(stdout);
  throw new Error(new TextDecoder().decode(stderr).trim().replace(/^error: /, ""));
}
