import { Bundler, type BundlerSettings, warnOnce } from "../bundler/bundler.ts";
import type { CopiedPackages, CopyRequest } from "../bundler/messages.ts";
import type { ModuleBundle, Style, Target } from "../packages/types.ts";
import { type Kept, keyOf } from "../../programs/kept.ts";
import { CHILD_VARIABLES } from "../../programs/find_program.ts";
import { type Configuration, readConfiguration } from "./configuration.ts";
import {
  areEqual,
  areSame,
  FileStates,
  isFile,
  type Stamps,
  timeAndSizeOf,
} from "./file_states.ts";
import { KeptBundles, type StampedBundle } from "./kept_bundles.ts";
import { identifyTool } from "../../programs/identify_tool.ts";

/** How the modules of an application are bundled. */
export interface BundlesOptions extends Omit<BundlerSettings, "application" | "confine"> {
  /** Whether names and white space are shortened. */
  readonly isMinified?: boolean | undefined;
  /** The results of earlier runs. Without them, every module is bundled. */
  readonly kept?: Kept | undefined;
  /** The time without a new bundle after which the last ones are kept, in milliseconds; 2 s by default. */
  readonly quiet?: number | undefined;
  /** Identifies the tool; by default this one. */
  readonly tool?: string | undefined;
  /** Is called when the bundler begins with a module, because no earlier bundle of it is kept. */
  readonly onBundling?: (() => void) | undefined;
}

/** A bundle of this run. */
interface Made extends StampedBundle {
  /** Whether the bundler may go on from this build if nothing has changed but the content of files. */
  readonly canGoOn: boolean;
  /** Whether the bundle has the content that the stamps tell. If a file changed while it was bundled, nobody knows. */
  readonly isSure: boolean;
}

/** The last bundle of a module, and the state of what it was made of now. */
interface Former {
  readonly made: Made;
  readonly now: Stamps;
}

/** A module, and how it is bundled. */
export interface Wanted extends Kind {
  readonly path: string;
}

type Kind = Pick<Style, "target" | "packages">;

const idOf = ({ path, target, packages }: Wanted) => `${target} ${packages} ${path}`;

/**
 * The bundles of the modules of one application. Here alone is decided whether a bundle still holds: it does as long as everything
 * that it was made of is as it was when it was made.
 */
export class Bundles implements AsyncDisposable {
  readonly #options: BundlesOptions;
  readonly #kept: KeptBundles | undefined;
  readonly #made = new Map<string, Made>();
  /** Those of them that are not kept for later runs yet. */
  readonly #unkept = new Map<string, Wanted>();
  #bundler: Promise<Bundler> | undefined;
  /** The configuration that the bundler was started with. */
  #started = "";
  /** The first bundle, if it was begun early. */
  #beginning = Promise.resolve();
  #configuration: Configuration | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #keeping = Promise.resolve();

  constructor(options: BundlesOptions) {
    this.#options = options;
    this.#kept = options.kept && new KeptBundles(options.kept);
  }

  /**
   * Returns the bundles of modules, in the same order. It is the same object as the last time if nothing has changed. A module
   * that cannot be bundled gets an error.
   *
   * @param target What the bundles run on.
   * @param packages The packages that are left out of the bundles.
   */
  async take(
    paths: readonly string[],
    target: Target = "deno",
    packages: readonly string[] = [],
  ): Promise<(ModuleBundle | Error)[]> {
    await this.#beginning;
    const found = await this.#take(paths, { target, packages });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keepSoon(true), this.#options.quiet ?? 2_000);
    return found;
  }

  async #take(paths: readonly string[], kind: Kind): Promise<(ModuleBundle | Error)[]> {
    const states = new FileStates();
    const configuration = await this.#configure(states);
    const found = new Map<string, ModuleBundle | Error>();
    const missing = new Map<string, Former | undefined>();
    for (const path of new Set(paths)) {
      const wanted = { path, ...kind };
      const made = this.#made.get(idOf(wanted));
      const now = made && states.stampsOf(made.bundle.inputs);
      const last = made?.isSure && areSame(now, made.stamps) ? made.bundle : undefined;
      const bundle = made ? last : await this.#find(wanted, configuration, states);
      if (bundle !== undefined) found.set(path, bundle);
      else missing.set(path, made && now && { made, now });
    }
    if (missing.size > 0) {
      const results = await this.#bundle(missing, kind, configuration, states);
      results.forEach((result, path) => found.set(path, result));
    }
    return paths.map((path) => found.get(path)!);
  }

  /**
   * Begins to bundle the first module that will be needed. If no module was ever bundled, waits until the bundler has started. A
   * later {@linkcode take} waits for the bundle, and gets the errors.
   *
   * @param modules All modules of the application.
   */
  async begin(modules: readonly Wanted[], first: Wanted | undefined): Promise<void> {
    const configuration = await this.#configure(new FileStates());
    const recipes = modules.map((wanted) => this.#recipeOf(wanted, configuration));
    const lists = await Promise.all(
      recipes.map((recipe) => recipe ? this.#kept!.listsOf(recipe) : []),
    );
    if (lists.every((list) => list.length === 0)) {
      await this.#openBundler(configuration).catch(() => {});
    }
    if (first === undefined) return;
    this.#beginning = this.#take([first.path], first).then(() => {}, () => {});
  }

  /** Copies packages, as {@linkcode Bundler.copy} does. */
  async copy(request: CopyRequest): Promise<CopiedPackages> {
    const configuration = this.#configuration ?? await this.#configure(new FileStates());
    return await (await this.#openBundler(configuration)).copy(request);
  }

  /** Reads the configuration if it has changed. Then all bundles of before are forgotten. */
  async #configure(states: FileStates): Promise<Configuration> {
    const former = this.#configuration;
    const { folder, warn } = this.#options;
    const configuration = await readConfiguration(folder, states, former);
    if (configuration.key !== former?.key) {
      this.#made.clear();
      this.#unkept.clear();
    }
    for (const path of configuration.application?.linked ?? []) {
      if (warn) warnOnce(`"links" of deno.json adds the folder "${path}" to the application`, warn);
    }
    return this.#configuration = configuration;
  }

  /** Finds the bundle of an earlier run. */
  async #find(
    wanted: Wanted,
    configuration: Configuration,
    states: FileStates,
  ): Promise<ModuleBundle | undefined> {
    const recipe = configuration.isSure ? this.#recipeOf(wanted, configuration) : undefined;
    const found = recipe && await this.#kept!.find(recipe, states);
    if (!found) return undefined;
    const isSure = states.areFilesOlder(found.bundle.inputs, states.time);
    this.#made.set(idOf(wanted), { ...found, isSure, canGoOn: false });
    return found.bundle;
  }

  /** Bundles modules, and finds out what their bundles were made of. */
  async #bundle(
    missing: ReadonlyMap<string, Former | undefined>,
    { target, packages }: Kind,
    configuration: Configuration,
    before: FileStates,
  ): Promise<Map<string, ModuleBundle | Error>> {
    const { isMinified, onBundling } = this.#options;
    const paths = [...missing.keys()];
    const bundler = await this.#openBundler(configuration);
    onBundling?.();
    const anew = paths.filter((path) => {
      const { made, now } = missing.get(path) ?? {};
      return !made?.canGoOn || !isVisible(made, now!);
    });
    const style = { target, packages, isMinified };
    const results = await bundler.bundleAll(paths, style, anew).catch((error) => {
      if (this.#options.signal?.aborted) throw error;
      return paths.map(() => error as Error); // The process has ended.
    });
    const after = new FileStates();
    const isConfigured = configuration.isSure &&
      areSame(after.stampsOf(configuration.inputs), configuration.stamps);
    return new Map(paths.map((path, index): [string, ModuleBundle | Error] => {
      const wanted = { path, target, packages };
      const bundle = results[index]!;
      const { made, now } = missing.get(path) ?? {};
      this.#made.delete(idOf(wanted));
      if (bundle instanceof Error) return [path, bundle];
      const { inputs } = bundle;
      const stamps = after.stampsOf(inputs); // A deployment may not read some files.
      if (stamps === undefined) return [path, bundle];
      const isSameList = keyOf(made?.bundle.inputs) === keyOf(inputs);
      const arePlacesSure = isConfigured &&
        (isSameList && areEqual(now!.places, stamps.places) ||
          after.arePlacesOlder(inputs, before.time));
      const isSame = isSameList && made!.bundle.code === bundle.code &&
        made!.bundle.map === bundle.map;
      const next = {
        bundle: isSame ? made!.bundle : bundle,
        stamps,
        canGoOn: arePlacesSure && after.areTimesTrue(inputs, before.time),
        isSure: arePlacesSure && after.areFilesOlder(inputs, before.time),
      };
      this.#made.set(idOf(wanted), next);
      this.#unkept.set(idOf(wanted), wanted);
      return [path, next.bundle];
    }));
  }

  /** Returns the bundler, or a new one if the configuration of the application has changed. */
  async #openBundler({ ofProcess, application }: Configuration): Promise<Bundler> {
    const former = await this.#bundler?.catch(() => undefined);
    if (former !== undefined && !former.isOver && this.#started === ofProcess) return former;
    this.#started = ofProcess;
    this.#bundler = Bundler.open({ ...this.#options, application });
    await former?.[Symbol.asyncDispose]();
    return await this.#bundler;
  }

  /** @param isQuiet Whether there is time to bundle those modules again whose files changed while they were bundled. */
  #keepSoon(isQuiet: boolean): void {
    clearTimeout(this.#timer);
    const unkept = [...this.#unkept.values()];
    this.#unkept.clear();
    this.#keeping = this.#keeping.then(async () => {
      for (const wanted of unkept) {
        const isSure = this.#made.get(idOf(wanted))?.isSure;
        if (isSure === false && isQuiet) await this.#take([wanted.path], wanted);
        const made = this.#made.get(idOf(wanted));
        this.#unkept.delete(idOf(wanted));
        const recipe = made?.isSure && this.#recipeOf(wanted, this.#configuration!);
        if (recipe) await this.#kept!.keep(recipe, made);
      }
    }).catch(() => {}); // The next take() gets the error.
  }

  /** Identifies everything that decides a bundle before its inputs are known. */
  #recipeOf(
    { path, target, packages }: Wanted,
    { key, stamps }: Configuration,
  ): string | undefined {
    const { folder, host, isMinified = false } = this.#options;
    const tool = this.#kept && stamps && (this.#options.tool ?? identifyTool());
    if (tool === undefined) return undefined;
    const environment = CHILD_VARIABLES.filter((name) => SETTINGS.test(name))
      .map((name) => Deno.env.get(name));
    return keyOf(tool, target, packages, isMinified, path, folder, host, environment, key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#beginning;
    this.#keepSoon(false);
    await this.#keeping; // It may be bundling.
    const bundler = await this.#bundler?.catch(() => undefined);
    await bundler?.[Symbol.asyncDispose]();
  }
}

/** The variables that decide which packages Deno finds. */
const SETTINGS = /^(DENO_DIR|JSR_URL|HOME|XDG_CACHE_HOME|npm_config_registry)$/i;

/**
 * Whether the bundler may go on from its last build: only the content of modules has changed, and esbuild sees that by their
 * times and sizes.
 */
function isVisible({ bundle, stamps }: Made, now: Stamps): boolean {
  return areEqual(now.places, stamps.places) && bundle.inputs.files.every((file, index) => {
    const former = stamps.files[index]!;
    const stamp = now.files[index]!;
    if (former === stamp) return true;
    if (/[\\/](deno|package|[^\\/]*tsconfig[^\\/]*)\.jsonc?$/.test(file)) return false;
    return isFile(former) && isFile(stamp) && timeAndSizeOf(former) !== timeAndSizeOf(stamp);
  });
}
