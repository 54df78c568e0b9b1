import {
  type BuildContext,
  type BuildOptions,
  type BuildResult,
  context,
  type Message,
  stop,
} from "esbuild";
import { basename, dirname, resolve } from "node:path";
import { filesOfOthers, isInside, isPackageFile } from "./access.ts";
import { findCircles, restoreDeclarations } from "./circles.ts";
import { type Graph, readGraph } from "./graph.ts";
import { addonProblem, loaderOf } from "./loaders.ts";
import type { BundlerOptions, ModuleBundle, Output, Request } from "./messages.ts";
import { findAddon } from "./optional_imports.ts";
import { bundleOf, minify, SHARED } from "./output.ts";
import { denoPlugin } from "./plugin.ts";
import type { Resolutions } from "./resolver.ts";
import { stampOf, stampsOf } from "./stamps.ts";
import { transpile, tsconfigOf } from "./typescript.ts";

/** A module that is bundled again and again. esbuild keeps its modules in memory, so that the next build is faster. */
interface Build {
  readonly context: Promise<BuildContext<typeof OPTIONS>>;
  readonly resolutions: Resolutions;
  /** The module graph. It counts as long as the application has the same imports, and packages the same `package.json`. */
  graph?: Promise<Graph> | undefined;
  /** The imports of the application in the last bundle. */
  imports?: string;
  /** The files of the last bundle, with their times and sizes. */
  stamps: ReadonlyMap<string, string>;
  bundle?: ModuleBundle;
}

function forget(build: Build): void {
  build.graph = undefined;
  build.resolutions.clear();
}

/** The builds of one application. */
export class Builds {
  readonly #options: BundlerOptions;
  readonly #builds = new Map<string, Build>();

  constructor(options: BundlerOptions) {
    this.#options = options;
  }

  /** Bundles a module. Returns `undefined` if no file has changed since the last bundle. */
  async run({ entry, isMinified }: Request): Promise<ModuleBundle | undefined> {
    const build = this.#buildOf(entry, isMinified);
    const { bundle, stamps } = build;
    const changed = [...stamps].filter(([file, stamp]) => stampOf(file) !== stamp);
    if (bundle && changed.length === 0) return undefined;
    delete build.bundle;
    if (changed.some(([file]) => basename(file) === "package.json")) forget(build);
    try {
      const made = await this.#rebuild(build, entry, isMinified);
      const own = [...build.stamps.keys()].filter((file) => !isPackageFile(file, this.#options));
      const folders = new Set(own.map((file) => dirname(file)));
      const { folder } = this.#options;
      const foldersElsewhere = [...folders].filter((path) => !isInside(path, folder));
      return build.bundle = { ...made, foldersElsewhere };
    } catch (error) {
      const { errors } = error as { errors?: readonly Message[] };
      throw errors === undefined
        ? error
        : new Error(errors.map(describe).join("\n"), { cause: error });
    }
  }

  #buildOf(entry: string, isMinified: boolean): Build {
    const key = `${entry} ${isMinified}`;
    const build = this.#builds.get(key) ?? this.#open(entry, isMinified);
    this.#builds.set(key, build);
    return build;
  }

  async #rebuild(build: Build, entry: string, isMinified: boolean): Promise<Output> {
    const context = await build.context;
    const begin = Date.now();
    const isGraphNew = build.graph === undefined;
    let result = await context.rebuild().catch((error) => {
      if (isGraphNew && build.resolutions.size === 0) throw error;
      forget(build); // A file may have been added or removed, or a package installed anew.
      return context.rebuild();
    });
    if (!isGraphNew && this.#importsOf(result) !== build.imports) {
      build.graph = undefined;
      result = await context.rebuild();
    }
    build.imports = this.#importsOf(result);
    this.#check(result);
    await this.#refuseAddon(build, result);
    build.stamps = stampsOf(result.metafile, this.#options.folder, begin);
    const circles = findCircles(result.metafile, (input) => this.#isOwn(input));
    if (circles.size === 0) return bundleOf(result);
    if (isMinified) {
      return await minify(await this.#rebuild(this.#buildOf(entry, false), entry, false));
    }
    const bundle = bundleOf(result);
    return { ...bundle, code: await this.#restore(bundle, circles) };
  }

  /** Describes the imports of the application. */
  #importsOf({ metafile }: BuildResult<typeof OPTIONS>): string {
    return JSON.stringify(
      Object.entries(metafile.inputs).filter(([input]) => this.#isOwn(input))
        .map(([input, { imports }]) => [input, imports]),
    );
  }

  /** Whether a module is a file of the application. */
  #isOwn(input: string): boolean {
    return !/^\w+:/.test(input) &&
      !isPackageFile(resolve(this.#options.folder, input), this.#options);
  }

  async #restore({ code, map }: Output, circles: ReadonlySet<string>): Promise<string> {
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

  #open(entry: string, isMinified: boolean): Build {
    const { folder, flags, compilerOptions, tsconfig } = this.#options;
    const resolutions: Resolutions = new Map();
    const graphOf = () => build.graph ??= readGraph(entry, { cwd: folder, flags });
    const opened = context({
      ...OPTIONS,
      absWorkingDir: folder,
      entryPoints: { index: entry },
      outdir: folder,
      minify: isMinified,
      ...(compilerOptions
        ? { tsconfigRaw: tsconfigOf(compilerOptions) }
        : tsconfig && { tsconfig }),
      plugins: [
        denoPlugin(
          this.#options,
          resolutions,
          graphOf,
          compilerOptions?.emitDecoratorMetadata === true
            ? (file) => transpile(file, folder)
            : undefined,
        ),
      ],
    });
    const build: Build = { context: opened, resolutions, stamps: new Map() };
    return build;
  }

  /** Checks that the application itself imports each of its files, because esbuild resolves `require("./" + name)` alone. */
  #check({ metafile }: BuildResult<typeof OPTIONS>): void {
    const { folder } = this.#options;
    const [file] = filesOfOthers(metafile, folder, (input) => this.#isOwn(input));
    if (file === undefined) return;
    throw new Error(
      `Cannot bundle ${JSON.stringify(resolve(folder, file))}: ` +
        "a package must not import files of the application, also not by a computed name",
    );
  }

  /** Refuses a package that does not work without its native add-on. */
  async #refuseAddon(build: Build, { metafile }: BuildResult<typeof OPTIONS>): Promise<void> {
    const { npmPackages = {} } = await build.graph!;
    const fileOf = (input: string) => {
      const [, id, path] = /^npm:((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(input) ?? [];
      return id === undefined
        ? resolve(this.#options.folder, input)
        : resolve(npmPackages[id]!.localPath, path!);
    };
    const addon = await findAddon(metafile, async (input) => {
      const file = fileOf(input.replace(/ with \{.*$/, ""));
      const loader = loaderOf(file);
      return /^https?:/.test(input) || loader === undefined
        ? undefined
        : { contents: await Deno.readFile(file), loader };
    });
    if (addon === undefined) return;
    const { input, place } = addon;
    const text = addonProblem(fileOf(input));
    throw new Error(describe({ text, location: { ...place, file: input } }));
  }
}

const OPTIONS = {
  ...SHARED,
  bundle: true,
  define: { __dirname: "import.meta.dirname", __filename: "import.meta.filename" },
  mainFields: ["module", "main"],
  conditions: ["deno"],
  metafile: true,
  write: false,
} as const satisfies BuildOptions;

interface Problem {
  readonly text: string;
  readonly location:
    | { readonly file: string; readonly line: number; readonly column: number }
    | null;
}

/** Describes a problem with its place in the author's file. */
function describe({ text, location }: Problem): string {
  if (location === null) return text;
  return `${text}\n    at ${location.file}:${location.line}:${location.column + 1}`;
}
