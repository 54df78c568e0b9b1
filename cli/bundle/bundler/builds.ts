import {
  build as buildOnce,
  type BuildContext,
  type BuildFailure,
  context,
  stop,
  transform,
} from "esbuild";
import { resolve } from "node:path";
import { buildOptionsOf, type InMemory } from "./build_options.ts";
import { Externals } from "../externals/externals.ts";
import { importsToResolve } from "./filters.ts";
import { readGraph } from "../packages/graph.ts";
import { noLoader } from "./loaders.ts";
import type { BundlerOptions, ModuleBundle, Style } from "../packages/types.ts";
import type { BundleRequest, BundleResult } from "./messages.ts";
import { describe, metafileOf, ModuleResult, partOf } from "./module_result.ts";
import { minify, type Part } from "./output.ts";
import { Packages } from "../packages/packages.ts";
import type { Reading } from "./resolver.ts";

/** A module that is bundled again and again. Whether this still counts is what the requests say. */
interface Build {
  /** From the second bundle on, esbuild keeps the modules in memory, so that the next build is faster. */
  context?: Promise<BuildContext<InMemory>>;
  /** The imports that esbuild asks about in the context. */
  asked?: string;
  /** The module graph, as long as the application has the same imports. */
  reading?: Promise<Reading> | undefined;
  /** The imports of the application in the last bundle. */
  imports?: string;
}

/** The largest number of modules of one build. The names of all of them are one argument of Deno. */
const MOST = 100;

/** The builds of one application, and what is kept open between them. */
export class Builds {
  readonly #options: BundlerOptions;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #builds = new Map<string, Build>();
  #running: Promise<BundleResult[]> = Promise.resolve([]);

  /** @param environment The variables for Deno, which downloads modules. */
  constructor(options: BundlerOptions, environment: Readonly<Record<string, string>>) {
    this.#options = options;
    this.#environment = environment;
  }

  /** Bundles modules. Those that were not bundled before are bundled together, so that what they share is read once. */
  run(request: BundleRequest): Promise<BundleResult[]> {
    // One after the other, because a context of esbuild has one build at a time.
    return this.#running = this.#running.catch(() => []).then(() => this.#run(request));
  }

  async #run({ entries, style, anew = [] }: BundleRequest): Promise<BundleResult[]> {
    for (const entry of anew) await this.#forget(keyOf(entry, style));
    const fresh = entries.filter((entry) => !this.#builds.has(keyOf(entry, style)));
    const made = new Map<string, ModuleBundle>();
    for (let from = 0; fresh.length > 1 && from < fresh.length; from += MOST) {
      await this.#bundleTogether(fresh.slice(from, from + MOST), style, made);
    }
    return await Promise.all(
      entries.map(async (entry) => {
        try {
          const key = keyOf(entry, style);
          const build = this.#builds.get(key) ?? {};
          this.#builds.set(key, build);
          return { bundle: made.get(entry) ?? await this.#rebuild(build, entry, style) };
        } catch (error) {
          return { problem: (error as Error).message };
        }
      }),
    );
  }

  async #forget(key: string): Promise<void> {
    const build = this.#builds.get(key);
    this.#builds.delete(key);
    await (await build?.context?.catch(() => undefined))?.dispose(); // The build has reported its error.
  }

  /**
   * Bundles modules in one build of esbuild. A module that has a problem, or that needs more than esbuild, gets no bundle
   * here: it is then bundled alone.
   */
  async #bundleTogether(
    entries: readonly string[],
    style: Style,
    bundles: Map<string, ModuleBundle>,
  ): Promise<void> {
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
      const made = new ModuleResult(entry, own, this.#options);
      if (made.circles.size > 0) continue;
      try {
        bundles.set(entry, await made.complete(made.output, await reading, style.target));
      } catch {
        continue;
      }
      this.#builds.set(keyOf(entry, style), { reading, imports: made.imports });
    }
  }

  async #rebuild(build: Build, entry: string, style: Style): Promise<ModuleBundle> {
    const isGraphNew = build.reading === undefined;
    const make = async () =>
      new ModuleResult(entry, await this.#make(build, entry, style), this.#options);
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
    const output = made.circles.size === 0
      ? made.output
      : style.isMinified
      ? await this.#minify(build, entry, style)
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
  async #minify({ reading }: Build, entry: string, style: Style) {
    const inFull: Build = { reading };
    const full = await this.#rebuild(inFull, entry, { ...style, isMinified: false });
    await (await inFull.context)?.dispose();
    return { ...await minify(full), warnings: full.warnings };
  }

  async #read(entries: readonly string[], style: Style): Promise<Reading> {
    const { folder, flags } = this.#options;
    const options = { cwd: folder, flags, env: { ...this.#environment } };
    // esbuild starts while Deno reads.
    const [graph] = await Promise.all([readGraph(entries, options), transform("")]);
    return {
      graph,
      packages: new Packages(graph, this.#options),
      asked: importsToResolve(graph, this.#options),
      resolutions: new Map(),
      externals: style.target === "deno" && style.packages.length === 0
        ? undefined
        : new Externals(this.#options, graph.npmPackages ?? {}, style),
    };
  }

  /** Ends esbuild after the last build, which would start it again. */
  async stop(): Promise<void> {
    await this.#running.catch(() => {}); // Its caller gets the error.
    await stop();
  }
}

function keyOf(entry: string, { target, isMinified, packages }: Style): string {
  return JSON.stringify([entry, target, isMinified, packages]);
}
