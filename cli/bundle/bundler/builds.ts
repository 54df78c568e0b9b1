import {
  build as buildOnce,
  type BuildContext,
  type BuildFailure,
  context,
  stop,
  transform,
} from "esbuild";
import { basename, resolve } from "node:path";
import { buildOptionsOf, type InMemory } from "./build_options.ts";
import { Copy } from "../natives/copy.ts";
import { Externals } from "../natives/externals.ts";
import { importsToResolve } from "./filters.ts";
import { readGraph } from "../packages/graph.ts";
import { noLoader } from "./loaders.ts";
import type {
  BundleRequest,
  BundleResult,
  BundlerOptions,
  CopyRequest,
  ModuleBundle,
  Style,
} from "../packages/messages.ts";
import { describe, metafileOf, ModuleResult, partOf } from "./module_result.ts";
import { minify, type Part } from "./output.ts";
import { Packages } from "../packages/packages.ts";
import type { Reading } from "./resolver.ts";
import { stampOf } from "./stamps.ts";

/** A module that is bundled again and again. */
interface Build {
  /** From the second bundle on, esbuild keeps the modules in memory, so that the next build is faster. */
  context?: Promise<BuildContext<InMemory>>;
  /** The imports that esbuild asks about in the context. */
  asked?: string;
  /** It counts as long as the application has the same imports, and packages the same `package.json`. */
  reading?: Promise<Reading> | undefined;
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
    if (bundle && isFresh && changed.length === 0) return bundle;
    // Without inputs, a module imports computed names, and a new file may have one of them.
    if (bundle?.inputs && changed.length === 0) return undefined;
    delete build.bundle;
    if (changed.some(([file]) => basename(file) === "package.json")) build.reading = undefined;
    const made = build.bundle = await this.#rebuild(build, entry, style);
    return !isFresh && made.code === bundle?.code && made.map === bundle.map ? undefined : made;
  }

  /**
   * Bundles modules in one build of esbuild. A module that has a problem, or that needs more than esbuild, gets no bundle
   * here: it is then bundled alone.
   */
  async #bundleTogether(entries: readonly string[], style: Style): Promise<void> {
    const begin = Date.now();
    const reading = this.#read(entries, style);
    const part = await reading.then(async (reading) =>
      partOf(
        await buildOnce({
          ...buildOptionsOf(this.#options, style, reading.asked, () => Promise.resolve(reading)),
          entryPoints: entries.map((entry, index) => ({ in: entry, out: `index-${index}` })),
        }),
        reading.packages,
      )
    ).catch(() => undefined); // The build of each module alone tells its problem.
    if (part === undefined) return;
    const { outputFiles, metafile } = part;
    for (const [index, entry] of entries.entries()) {
      const isOwn = ({ path }: { path: string }) =>
        new RegExp(`index-${index}\\.js(\\.map)?$`).test(path);
      const own = {
        outputFiles: outputFiles.filter(isOwn),
        metafile: metafileOf(metafile, `index-${index}.js`),
      };
      const made = new ModuleResult(own, this.#options, begin);
      if (made.circles.size > 0) continue;
      const { imports, stamps } = made;
      const build: Build = { reading, imports, stamps };
      try {
        await made.check(await reading, style.target);
        build.bundle = await made.complete(made.output, await reading, style.target);
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
    const make = async () =>
      new ModuleResult(await this.#make(build, entry, style), this.#options, begin);
    let made = await make().catch((error) => {
      if (isGraphNew) throw error;
      build.reading = undefined; // A file may have been added or removed, or a package installed anew.
      return make();
    });
    if (!isGraphNew && made.imports !== build.imports) {
      build.reading = undefined;
      made = await make();
    }
    build.imports = made.imports;
    const reading = await build.reading!;
    await made.check(reading, style.target);
    build.stamps = made.stamps;
    const output = made.circles.size === 0
      ? made.output
      : style.isMinified
      ? await this.#minify(entry, style)
      : await made.restored();
    return await made.complete(output, reading, style.target);
  }

  /** Lets esbuild bundle a module. It keeps the modules that it has read in memory. */
  async #make(build: Build, entry: string, style: Style): Promise<Part> {
    const { asked, packages } = await (build.reading ??= this.#read([entry], style));
    if (build.asked !== asked.source) {
      const former = build.context;
      build.asked = asked.source;
      build.context = context({ // before any pause, because the same module may be asked for twice
        ...buildOptionsOf(this.#options, style, asked, () => build.reading!),
        entryPoints: { index: entry },
      });
      await (await former)?.dispose();
    }
    const result = await (await build.context!).rebuild().catch((failure: BuildFailure) => {
      const problems = failure.errors.map(({ text, location }) => {
        const [, file] = /^No loader is configured for "[^"]*" files: (.*)$/.exec(text) ?? [];
        return describe({
          text: file === undefined
            ? text
            : noLoader(resolve(this.#options.folder, file), style.target === "deno"),
          location,
        });
      });
      throw new Error(packages.name(problems.join("\n")), { cause: failure });
    });
    return partOf(result, packages);
  }

  /** Minifies a bundle that must keep its declarations. */
  async #minify(entry: string, style: Style) {
    const inFull = { ...style, isMinified: false };
    const full = await this.#rebuild(this.#buildOf(entry, inFull), entry, inFull);
    return { ...await minify(full), warnings: full.warnings };
  }

  async #read(entries: readonly string[], { target }: Style): Promise<Reading> {
    const { folder, flags } = this.#options;
    const options = { cwd: folder, flags, env: { ...this.#environment } };
    // esbuild starts while Deno reads.
    const [graph] = await Promise.all([readGraph(entries, options), transform("")]);
    return {
      graph,
      packages: new Packages(graph, this.#options),
      asked: importsToResolve(graph, this.#options),
      resolutions: new Map(),
      externals: target === "deno"
        ? undefined
        : new Externals(this.#options, graph.npmPackages ?? {}),
    };
  }

  async stop(): Promise<void> {
    await stop();
  }
}

function keyOf(entry: string, { target, isMinified }: Style): string {
  return JSON.stringify([entry, target, isMinified]);
}
