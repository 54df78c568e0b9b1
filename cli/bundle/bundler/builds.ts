import { build as buildOnce, type BuildContext, context, type Message, stop } from "esbuild";
import { basename } from "node:path";
import { buildOptionsOf, type InMemory } from "./build_options.ts";
import { Copy } from "./natives/copy.ts";
import { Externals } from "./natives/externals.ts";
import { readGraph } from "./graph.ts";
import type {
  BundleRequest,
  BundleResult,
  BundlerOptions,
  CopyRequest,
  ModuleBundle,
  Style,
} from "./messages.ts";
import { describe, ModuleResult, partOf } from "./module_result.ts";
import { minify } from "./output.ts";
import type { Reading } from "./resolver.ts";
import { stampOf } from "./stamps.ts";

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

/** The builds of one application, and what is kept open between them. */
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
  async run({ entries, style }: BundleRequest): Promise<BundleResult[]> {
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
      ...buildOptionsOf(this.#options, style, () => reading),
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
      const made = new ModuleResult(part, this.#options, begin);
      if (made.circles.size > 0) continue;
      const { imports, stamps } = made;
      const build: Build = { reading, imports, stamps };
      try {
        await made.check(reading, style.target);
        build.bundle = await made.complete(made.output, reading, style.target);
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
    const begin = Date.now();
    const isGraphNew = build.reading === undefined;
    build.reading ??= this.#read([entry], style); // Deno reads while esbuild starts.
    const context = await (build.context ??= this.#open(build, entry, style));
    const result = await context.rebuild().catch((error) => {
      if (isGraphNew) throw error;
      build.reading = undefined; // A file may have been added or removed, or a package installed anew.
      return context.rebuild();
    });
    let made = new ModuleResult(result, this.#options, begin);
    if (!isGraphNew && made.imports !== build.imports) {
      build.reading = undefined;
      made = new ModuleResult(await context.rebuild(), this.#options, begin);
    }
    build.imports = made.imports;
    await made.check(build.reading!, style.target);
    build.stamps = made.stamps;
    const output = made.circles.size === 0
      ? made.output
      : style.isMinified
      ? await this.#minify(entry, style)
      : await made.restored();
    return await made.complete(output, build.reading!, style.target);
  }

  /** Minifies a bundle that must keep its declarations. */
  async #minify(entry: string, style: Style) {
    const inFull = { ...style, isMinified: false };
    const full = await this.#rebuild(this.#buildOf(entry, inFull), entry, inFull);
    return { ...await minify(full), warnings: full.warnings };
  }

  #read(entries: readonly string[], { target }: Style): Reading {
    const { folder, flags } = this.#options;
    const graph = readGraph(entries, { cwd: folder, flags, env: { ...this.#environment } });
    graph.catch(() => {}); // It may fail while esbuild starts. The entry point reports the error.
    const externals = target === "deno"
      ? Promise.resolve(undefined)
      : graph.then(({ npmPackages = {} }) => new Externals(this.#options, npmPackages));
    externals.catch(() => {}); // The graph has the error.
    return { graph, resolutions: new Map(), externals };
  }

  async stop(): Promise<void> {
    await stop();
  }

  #open(build: Build, entry: string, style: Style) {
    return context({
      ...buildOptionsOf(this.#options, style, () => build.reading ??= this.#read([entry], style)),
      entryPoints: { index: entry },
    });
  }
}

function keyOf(entry: string, { target, isMinified }: Style): string {
  return JSON.stringify([entry, target, isMinified]);
}
