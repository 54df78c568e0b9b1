import {
  build as buildOnce,
  type BuildContext,
  type BuildOptions,
  type BuildResult,
  context,
  type Message,
  type Metafile,
  stop,
} from "esbuild";
import { basename, dirname, join, resolve } from "node:path";
import { filesOfOthers, isInside, isPackageFile } from "./access.ts";
import { Copy } from "./natives/copy.ts";
import { Externals } from "./natives/externals.ts";
import { findCircles, restoreDeclarations } from "./circles.ts";
import { checkDeno } from "./at_import.ts";
import { DENO, withDeno } from "./deno_uses.ts";
import { readGraph } from "./graph.ts";
import { addonProblem, loaderOf } from "./loaders.ts";
import { inputsOf } from "./inputs.ts";
import type {
  BundlerOptions,
  CopyRequest,
  ModuleBundle,
  Output,
  Request,
  Result,
  Style,
  Target,
} from "./messages.ts";
import { findAddon } from "./optional_imports.ts";
import { bundleOf, minify, SHARED } from "./output.ts";
import { denoPlugin } from "./plugin.ts";
import type { Reading } from "./resolver.ts";
import { stampOf, stampsOf } from "./stamps.ts";
import { transpile, tsconfigOf } from "./typescript.ts";

/** A module that is bundled again and again. */
interface Build {
  /** From the second bundle on, esbuild keeps the modules in memory, so that the next build is faster. */
  context?: Promise<BuildContext<InMemory>>;
  /** It counts as long as the application has the same imports, and packages the same `package.json`. */
  reading?: Reading | undefined;
  /** The imports of the application in the last bundle. */
  imports?: string;
  /** The files of the last bundle, with their times and sizes. */
  stamps: ReadonlyMap<string, string>;
  bundle?: ModuleBundle;
}

/** The largest number of modules of one build. The names of all of them are one argument of Deno. */
const MOST = 100;

/** The builds of one application. */
export class Builds {
  readonly #options: BundlerOptions;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #builds = new Map<string, Build>();

  /** @param environment The variables for Deno, which downloads modules. */
  constructor(options: BundlerOptions, environment: Readonly<Record<string, string>>) {
    this.#options = options;
    this.#environment = environment;
  }

  /** Bundles modules. Those that were not bundled before are bundled together, so that what they share is read once. */
  async run({ entries, style }: Request): Promise<Result[]> {
    const fresh = entries.filter((entry) => !this.#builds.has(keyOf(entry, style)));
    for (let from = 0; fresh.length > 1 && from < fresh.length; from += MOST) {
      await this.#bundleTogether(fresh.slice(from, from + MOST), style);
    }
    return await Promise.all(
      entries.map((entry) =>
        this.#bundle(entry, style, fresh.includes(entry)).then(
          (bundle) => ({ bundle }),
          ({ message }: Error) => ({ problem: message }),
        )
      ),
    );
  }

  /** Finds the files of native packages, with what these need at run time. */
  copy({ natives, platform, target }: CopyRequest): Copy {
    return new Copy(natives, { platform, target }, this.#options);
  }

  /** Bundles a module. Returns `undefined` if no file has changed since the last bundle that the caller has. */
  async #bundle(
    entry: string,
    style: Style,
    isFresh: boolean,
  ): Promise<ModuleBundle | undefined> {
    const build = this.#buildOf(entry, style);
    const { bundle, stamps } = build;
    const changed = [...stamps].filter(([file, stamp]) => stampOf(file) !== stamp);
    if (bundle && changed.length === 0) return isFresh ? bundle : undefined;
    delete build.bundle;
    if (changed.some(([file]) => basename(file) === "package.json")) build.reading = undefined;
    try {
      return build.bundle = await this.#rebuild(build, entry, style);
    } catch (error) {
      const { errors } = error as { errors?: readonly Message[] };
      throw errors === undefined
        ? error
        : new Error(errors.map(describe).join("\n"), { cause: error });
    }
  }

  /**
   * Bundles modules in one build of esbuild. A module that has a problem, or that needs more than esbuild, gets no bundle
   * here: it is then bundled alone.
   */
  async #bundleTogether(entries: readonly string[], style: Style): Promise<void> {
    const begin = Date.now();
    const reading = this.#read(entries, style);
    const result = await buildOnce({
      ...this.#optionsOf(style, () => reading),
      entryPoints: entries.map((entry, index) => ({ in: entry, out: `index-${index}` })),
    }).catch(() => undefined); // The build of each module alone tells its problem.
    if (result === undefined) return;
    const { outputFiles, metafile } = result;
    for (const [index, entry] of entries.entries()) {
      const isOwn = ({ path }: { path: string }) =>
        new RegExp(`index-${index}\\.js(\\.map)?$`).test(path);
      const part = {
        outputFiles: outputFiles.filter(isOwn),
        metafile: partOf(metafile, `index-${index}.js`),
      };
      if (findCircles(part.metafile, (input) => this.#isOwn(input)).size > 0) continue;
      const build: Build = {
        reading,
        imports: this.#importsOf(part),
        stamps: stampsOf(part.metafile, this.#options.folder, begin),
      };
      try {
        this.#check(part);
        await this.#refuseAddon(reading, part, style);
        build.bundle = await this.#complete(build, bundleOf(part), part.metafile, style);
      } catch {
        continue;
      }
      this.#builds.set(keyOf(entry, style), build);
    }
  }

  #buildOf(entry: string, style: Style): Build {
    const key = keyOf(entry, style);
    const build = this.#builds.get(key) ?? { stamps: new Map() };
    this.#builds.set(key, build);
    return build;
  }

  async #rebuild(build: Build, entry: string, style: Style): Promise<ModuleBundle> {
    const context = await (build.context ??= this.#open(build, entry, style));
    const begin = Date.now();
    const isGraphNew = build.reading === undefined;
    let result = await context.rebuild().catch((error) => {
      if (isGraphNew) throw error;
      build.reading = undefined; // A file may have been added or removed, or a package installed anew.
      return context.rebuild();
    });
    if (!isGraphNew && this.#importsOf(result) !== build.imports) {
      build.reading = undefined;
      result = await context.rebuild();
    }
    build.imports = this.#importsOf(result);
    this.#check(result);
    await this.#refuseAddon(build.reading!, result, style);
    build.stamps = stampsOf(result.metafile, this.#options.folder, begin);
    const circles = findCircles(result.metafile, (input) => this.#isOwn(input));
    const bundle = bundleOf(result);
    const output = circles.size === 0
      ? bundle
      : style.isMinified
      ? await this.#minify(entry, style)
      : { ...bundle, code: await this.#restore(bundle, circles) };
    return await this.#complete(build, output, result.metafile, style);
  }

  /** Minifies a bundle that must keep its declarations. */
  async #minify(entry: string, style: Style) {
    const inFull = { ...style, isMinified: false };
    const full = await this.#rebuild(this.#buildOf(entry, inFull), entry, inFull);
    return { ...await minify(full), warnings: full.warnings };
  }

  async #complete(
    build: Build,
    output: Output & { readonly warnings?: readonly string[] | undefined },
    metafile: Metafile,
    { target }: Style,
  ): Promise<ModuleBundle> {
    const { folder } = this.#options;
    const own = [...build.stamps.keys()].filter((file) => !isPackageFile(file, this.#options));
    const folders = new Set(own.map((file) => dirname(file)));
    const foldersElsewhere = [...folders].filter((path) => !isInside(path, folder));
    const { graph, externals } = build.reading!;
    const [{ imports }] = Object.values(metafile.outputs).filter(({ entryPoint }) =>
      entryPoint
    ) as [
      Metafile["outputs"][string],
    ];
    const natives = (await externals)?.packagesOf(imports.map(({ path }) => path));
    const manifests = natives?.packages.map(({ folder }) => join(folder, "package.json")) ?? [];
    build.stamps = new Map([
      ...build.stamps,
      ...manifests.map((file) => [file, stampOf(file)] as const),
    ]);
    const inputs = inputsOf(metafile, await graph, this.#options, manifests);
    if (target === "deno") return { ...output, foldersElsewhere, inputs };
    const warnings = output.warnings ??
      await checkDeno(output, (source) => this.#isOwn(source), this.#options.folder);
    const code = withDeno(output.code);
    return {
      ...output,
      code,
      foldersElsewhere,
      inputs,
      ...warnings.length > 0 && { warnings },
      ...natives && { natives },
    };
  }

  #read(entries: readonly string[], { target }: Style): Reading {
    const { folder, flags } = this.#options;
    const graph = readGraph(entries, { cwd: folder, flags, env: { ...this.#environment } });
    const externals = target === "deno"
      ? Promise.resolve(undefined)
      : graph.then(({ npmPackages = {} }) => new Externals(this.#options, npmPackages));
    externals.catch(() => {}); // The graph has the error.
    return { graph, resolutions: new Map(), externals };
  }

  /** Describes the imports of the application. */
  #importsOf({ metafile }: Part): string {
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

  #open(build: Build, entry: string, style: Style) {
    return context({
      ...this.#optionsOf(style, () => build.reading ??= this.#read([entry], style)),
      entryPoints: { index: entry },
    });
  }

  #optionsOf({ target, isMinified }: Style, readingOf: () => Reading): InMemory {
    const { folder, compilerOptions, tsconfig } = this.#options;
    const transpiling = compilerOptions?.emitDecoratorMetadata === true
      ? (file: string) => transpile(file, folder)
      : undefined;
    return {
      ...OPTIONS,
      ...TARGETS[target],
      absWorkingDir: folder,
      outdir: folder,
      minify: isMinified,
      ...(compilerOptions
        ? { tsconfigRaw: tsconfigOf(compilerOptions) }
        : tsconfig && { tsconfig }),
      plugins: [denoPlugin(this.#options, readingOf, transpiling)],
    };
  }

  /** Checks that the application itself imports each of its files, because esbuild resolves `require("./" + name)` alone. */
  #check({ metafile }: Part): void {
    const { folder } = this.#options;
    const [file] = filesOfOthers(metafile, folder, (input) => this.#isOwn(input));
    if (file === undefined) return;
    throw new Error(
      `Cannot bundle ${JSON.stringify(resolve(folder, file))}: ` +
        "a package must not import files of the application, also not by a computed name",
    );
  }

  /** Refuses a package that does not work without its native add-on. */
  async #refuseAddon(
    { graph }: Reading,
    { metafile, outputFiles }: Part,
    { target }: Style,
  ): Promise<void> {
    const { npmPackages = {} } = await graph;
    const fileOf = (input: string) => {
      const [, id, path] = /^npm:((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(input) ?? [];
      return id === undefined
        ? resolve(this.#options.folder, input)
        : resolve(npmPackages[id]!.localPath, path!);
    };
    const code = outputFiles.find(({ path }) => path.endsWith(".js"))!.text;
    const addon = await findAddon(metafile, code, async (input) => {
      const file = fileOf(input.replace(/ with \{.*$/, ""));
      const loader = loaderOf(file);
      return /^https?:/.test(input) || loader === undefined
        ? undefined
        : { contents: await Deno.readFile(file), loader };
    });
    if (addon === undefined) return;
    const { input, place } = addon;
    const text = addonProblem(fileOf(input), target === "deno");
    throw new Error(describe({ text, location: { ...place, file: input } }));
  }
}

/** What one module takes of a result of esbuild. */
type Part = Pick<BuildResult<InMemory>, "metafile" | "outputFiles">;

/** Options that keep the result in memory. */
type InMemory = BuildOptions & { readonly metafile: true; readonly write: false };

function keyOf(entry: string, { target, isMinified }: Style): string {
  return JSON.stringify([entry, target, isMinified]);
}

/**
 * Takes what belongs to one output of several. Inputs that no output reaches belong to each of them: esbuild does not say which
 * module found them by a computed name.
 */
function partOf({ inputs, outputs }: Metafile, name: string): Metafile {
  const reachedFrom = (entries: readonly string[]) => {
    const reached = new Set<string>();
    for (const todo = [...entries]; todo.length > 0;) {
      const input = todo.pop()!;
      if (reached.has(input) || !(input in inputs)) continue;
      reached.add(input);
      todo.push(...inputs[input]!.imports.map(({ path }) => path));
    }
    return reached;
  };
  const entryOf = (path: string) => outputs[path]?.entryPoint;
  const all = reachedFrom(Object.keys(outputs).map(entryOf).filter((entry) => entry !== undefined));
  const [own] = Object.keys(outputs).filter((path) => path === name || path.endsWith(`/${name}`));
  const reached = reachedFrom([entryOf(own!)!]);
  return {
    inputs: Object.fromEntries(
      Object.entries(inputs).filter(([input]) => reached.has(input) || !all.has(input)),
    ),
    outputs: { [own!]: outputs[own!]! },
  };
}

const OPTIONS = {
  ...SHARED,
  bundle: true,
  define: { __dirname: "import.meta.dirname", __filename: "import.meta.filename" },
  mainFields: ["module", "main"],
  metafile: true,
  write: false,
} as const satisfies BuildOptions;

const FOR_NODE = { define: { ...OPTIONS.define, Deno: DENO } };

/** What differs between the runtimes: the syntax, and the conditions of `exports` in `package.json`. */
const TARGETS = {
  deno: { conditions: ["deno"] },
  "nodejs22.x": { ...FOR_NODE, target: "node22", conditions: ["node-addons"] },
  "nodejs24.x": { ...FOR_NODE, target: "node24", conditions: ["node-addons", "module-sync"] },
} satisfies Record<Target, BuildOptions>;

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
