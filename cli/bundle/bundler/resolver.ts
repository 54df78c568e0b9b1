import type { OnResolveArgs, OnResolveResult, PluginBuild } from "esbuild";
import { isBuiltin } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Folders, isInside, isPackageFile, refusal } from "./access.ts";
import type { Externals } from "./natives/externals.ts";
import { type Graph, type GraphModule, urlOf } from "./graph.ts";
import { loaderOf } from "./loaders.ts";
import { uncaughtImport } from "./optional_imports.ts";
import { BY_ESBUILD, type FoundModule, type PackageModule, Packages } from "./packages.ts";

/** The imports of packages that were resolved, by the importer and the imported path. Packages rarely change. */
export type Resolutions = Map<string, OnResolveResult>;

/** A module graph, and what was found with it. */
export interface Reading {
  readonly graph: Promise<Graph>;
  readonly resolutions: Resolutions;
  /** The imports of native packages, for a runtime that can load these. */
  readonly externals: Promise<Externals | undefined>;
}

/** Resolves the imports of one build. */
export class Resolver {
  readonly #resolutions: Resolutions;
  readonly #build: PluginBuild;
  readonly #folders: Folders;
  readonly #graph: Graph;
  readonly #modules: ReadonlyMap<string, GraphModule>;
  readonly #packages: Packages;
  readonly #externals: Externals | undefined;
  /** The specifiers of the files that were resolved. */
  readonly #specifiers = new Map<string, string>();

  constructor(
    build: PluginBuild,
    graph: Graph,
    folders: Folders,
    resolutions: Resolutions,
    externals: Externals | undefined,
  ) {
    this.#resolutions = resolutions;
    this.#externals = externals;
    this.#build = build;
    this.#graph = graph;
    this.#folders = folders;
    this.#modules = new Map(graph.modules.map((module) => [module.specifier, module]));
    this.#packages = new Packages(build, graph);
  }

  async resolve(args: OnResolveArgs): Promise<OnResolveResult | undefined> {
    const { path, kind, importer, namespace } = args;
    if (!this.#isOfPackage(args)) return await this.#resolve(args);
    const key = `${namespace} ${kind} ${importer} ${path}`;
    const known = this.#resolutions.get(key);
    if (known !== undefined) return known;
    const result = await this.#resolve(args);
    if (result?.path !== undefined) this.#resolutions.set(key, result);
    return result;
  }

  /** Whether a module of a package imports. */
  #isOfPackage({ importer, namespace }: OnResolveArgs): boolean {
    return namespace === "npm" ||
      namespace === "file" && importer !== "" && isPackageFile(importer, this.#folders);
  }

  async #resolve(args: OnResolveArgs): Promise<OnResolveResult | undefined> {
    const { path, kind, importer, namespace, resolveDir } = args;
    const builtin = path.startsWith("node:") ? path : `node:${path}`;
    if (isBuiltin(builtin)) return { path: builtin, external: true };
    if (kind === "entry-point") return await this.#follow(urlOf(path), args);
    if (namespace === "npm") {
      const known = await this.#takeFound(this.#packages.find(path, args.pluginData, kind), args);
      if (known !== undefined) return known;
      const found = await this.#packages.resolve(path, args.pluginData, kind);
      return found && await this.#take(found.result, args, found.id);
    }
    const { specifier = this.#specifiers.get(importer) }: Partial<GraphModule> = args.pluginData ??
      {};
    const module = this.#modules.get(specifier!);
    const code = module?.dependencies?.find((dependency) => dependency.specifier === path)?.code;
    if (code?.error !== undefined) {
      const missing = /^Import (".*") not a dependency/.exec(code.error)?.[1];
      return missing === undefined ? problem(code.error) : await this.#miss(
        args,
        problem(`Import ${missing} not a dependency: add it to deno.json or package.json`),
      );
    }
    const byEsbuild = () =>
      this.#build.resolve(path, { resolveDir, kind, importer, pluginData: BY_ESBUILD });
    if (code?.specifier !== undefined) {
      const other = this.#isChosenByDeno(path, code.specifier) ? await byEsbuild() : undefined;
      return other?.errors.length === 0
        ? await this.#take(other, args)
        : await this.#follow(code.specifier, args);
    }
    return await this.#take(await byEsbuild(), args);
  }

  /** Whether Deno has chosen a file of a package in `node_modules` by its own conditions, and the bundle has others. */
  #isChosenByDeno(path: string, specifier: string): boolean {
    return !this.#build.initialOptions.conditions?.includes("deno") &&
      specifier.startsWith("file:") && !/^([./]|\w+:)/.test(path) &&
      isPackageFile(fileURLToPath(specifier), this.#folders);
  }

  /** Follows a specifier that Deno has resolved. */
  async #follow(target: string, args: OnResolveArgs): Promise<OnResolveResult> {
    let specifier = target;
    while (specifier in this.#graph.redirects) specifier = this.#graph.redirects[specifier]!;
    if (specifier.startsWith("node:")) return { path: specifier, external: true };
    const module = this.#modules.get(specifier);
    if (specifier.startsWith("file:")) {
      return await this.#takeFile(fileURLToPath(specifier), args, { specifier });
    }
    if (module?.error !== undefined) return problem(module.error);
    if (module?.npmPackage !== undefined) {
      const id = module.npmPackage;
      const subpath = specifier.replace(/^npm:\/?(@[^/]+\/)?[^/]+/, "");
      const known = await this.#takeFound(
        this.#packages.findEntry(id, subpath, args.kind),
        args,
        specifier,
      );
      if (known !== undefined) return known;
      const found = await this.#packages.enter(id, subpath, args.kind);
      return await this.#take(found, args, id, specifier);
    }
    const [, namespace, path] = /^(https?):(.*)$/.exec(specifier) ?? [];
    if (namespace !== undefined) return { path: path!, namespace, pluginData: module };
    return problem(`Cannot bundle ${JSON.stringify(specifier)}`);
  }

  /** Takes a result of esbuild. */
  async #take(
    result: Awaited<ReturnType<PluginBuild["resolve"]>>,
    args: OnResolveArgs,
    id?: string,
    meaning = args.path,
  ): Promise<OnResolveResult> {
    const { errors, warnings } = result;
    if (errors.length > 0) return await this.#miss(args, { errors, warnings });
    if (result.external || result.namespace !== "file") return result;
    const { sideEffects, suffix } = result;
    return await this.#takeFile(result.path, args, { id, meaning, sideEffects, suffix });
  }

  /** Takes a file if the importer may import it. */
  async #takeFile(
    file: string,
    args: OnResolveArgs,
    { id, meaning = args.path, specifier, ...rest }: {
      readonly id?: string | undefined;
      /** What the import means if that is not what is written, such as `npm:/NAME@RANGE`. */
      readonly meaning?: string;
      readonly specifier?: string;
      readonly sideEffects?: boolean;
      readonly suffix?: string;
    },
  ): Promise<OnResolveResult> {
    const { importer, namespace, pluginData } = args;
    const path = realPath(file);
    const from = namespace === "npm"
      ? (pluginData as PackageModule).file
      : namespace === "file" || importer === ""
      ? importer || undefined
      : this.#folders.npmCache; // A remote module may import what a package may.
    const reason = refusal(path ?? targetOf(file), from, this.#folders);
    if (reason !== undefined) return problem(reason);
    if (path === undefined || Deno.statSync(path).isDirectory) {
      const remedy = namespace === "file" ? remedyFor(file, args.path) : "";
      return await this.#miss(args, problem(`Module not found ${JSON.stringify(file)}${remedy}`));
    }
    const external = await this.#findExternal(path, id, meaning, args);
    if (external !== undefined) return external;
    if (id !== undefined && isInside(path, this.#folders.npmCache)) {
      return this.#takeModule({ id, file: path }, rest);
    }
    this.#specifiers.set(path, specifier ?? pathToFileURL(path).href);
    return { ...rest, path };
  }

  /** Takes a module of a package in Deno's cache. */
  async #takeFound(
    found: FoundModule | undefined,
    args: OnResolveArgs,
    meaning = args.path,
  ): Promise<OnResolveResult | undefined> {
    if (!found || !isInside(found.module.file, this.#folders.npmCache)) return undefined;
    const { module: { file, id }, sideEffects } = found;
    const external = await this.#findExternal(file, id, meaning, args);
    return external ?? this.#takeModule(found.module, { sideEffects });
  }

  #takeModule(module: PackageModule, rest: OnResolveResult): OnResolveResult {
    return { ...rest, path: this.#packages.nameOf(module), namespace: "npm", pluginData: module };
  }

  /** Lets an import of a native package stay as it is, because the package is copied beside the bundle. */
  async #findExternal(
    file: string,
    id: string | undefined,
    meaning: string,
    args: OnResolveArgs,
  ): Promise<OnResolveResult | undefined> {
    if (this.#externals === undefined || args.kind === "entry-point") return undefined;
    if (/^(text|bytes)$/.test(args.with["type"] ?? "")) return undefined;
    // Nothing of a native package is in the bundle, so a file beside another file of a package is of no native one.
    if (this.#isOfPackage(args) && /^\.\.?(\/|$)/.test(args.path)) return undefined;
    try {
      const isCaught = () => this.#isCaught(args);
      const path = await this.#externals.find(
        { file, id, meaning, from: folderOf(args) },
        isCaught,
      );
      return path === undefined ? undefined : { path, external: true };
    } catch (error) {
      return problem((error as Error).message);
    }
  }

  /** Leaves an import that leads to nothing as it is, if its module catches that. Otherwise it is an error. */
  async #miss(args: OnResolveArgs, error: OnResolveResult): Promise<OnResolveResult> {
    return await this.#isCaught(args) ? { path: args.path, external: true } : error;
  }

  /** Whether a module works without one of its imports. */
  async #isCaught({ path, importer, namespace, pluginData }: OnResolveArgs): Promise<boolean> {
    const file = namespace === "npm" ? (pluginData as PackageModule).file : importer;
    const loader = loaderOf(file);
    if (!/^(npm|file)$/.test(namespace) || file === "" || loader === undefined) return false;
    const source = { contents: await Deno.readFile(file), loader };
    return await uncaughtImport(source, path) === undefined;
  }
}

/** The folder of the module that imports. */
function folderOf({ resolveDir, importer, namespace, pluginData }: OnResolveArgs): string {
  return resolveDir || dirname(namespace === "npm" ? (pluginData as PackageModule).file : importer);
}

export function realPath(file: string): string | undefined {
  try {
    return Deno.realPathSync(file);
  } catch {
    return undefined; // The file does not exist, or this process cannot see it.
  }
}

/** Returns the remedy if TypeScript finds a file for an import, and Deno does not. */
function remedyFor(file: string, specifier: string): string {
  const endings = [".ts", ".tsx", ".js", "/index.ts", "/index.js"];
  const toSource = (path: string) => path.replace(/\.([cm]?)js$/, ".$1ts");
  const names = [[toSource(file), toSource(specifier)]]
    .concat(endings.map((ending) => [file + ending, specifier + ending]));
  const [, name] = names.find(([path]) => path !== file && realPath(path!)) ?? [];
  return name === undefined
    ? ""
    : `: import ${JSON.stringify(name)}, or set "moduleResolution": "bundler" in tsconfig.json`;
}

/** Returns the path that a link names, or the path itself. */
function targetOf(file: string): string {
  try {
    return resolve(dirname(file), Deno.readLinkSync(file));
  } catch {
    return file;
  }
}

function problem(text: string): OnResolveResult {
  return { errors: [{ text }] };
}
