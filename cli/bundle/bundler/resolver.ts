import type { OnResolveArgs, OnResolveResult, PluginBuild } from "esbuild";
import { isBuiltin } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Folders, isPackageFile, realPath, refusal } from "../packages/access.ts";
import type { Externals } from "../externals/externals.ts";
import { type Graph, type GraphModule, urlOf } from "../packages/graph.ts";
import { loaderOf } from "./loaders.ts";
import { isOptional, uncaughtImport } from "../packages/optional_imports.ts";
import { BY_ESBUILD, type Packages } from "../packages/packages.ts";

/** A module graph, and what was found with it. */
export interface Reading {
  readonly graph: Graph;
  readonly packages: Packages;
  /** The imports that esbuild must not resolve by itself. */
  readonly asked: RegExp;
  /** The imports of packages that were resolved, by the importer and the imported path. Packages rarely change. */
  readonly resolutions: Map<string, OnResolveResult>;
  /** The imports of packages that are left out of the bundle, if there may be any. */
  readonly externals: Externals | undefined;
}

/** The namespace of packages that are not installed. */
export const MISSING = "missing";

/** Resolves the imports of one build. */
export class Resolver {
  readonly #build: PluginBuild;
  readonly #reading: Reading;
  readonly #folders: Folders;
  readonly #modules: ReadonlyMap<string, GraphModule>;
  /** The specifiers of the files that were resolved. */
  readonly #specifiers = new Map<string, string>();

  constructor(build: PluginBuild, reading: Reading, folders: Folders) {
    this.#build = build;
    this.#reading = reading;
    this.#folders = folders;
    this.#modules = new Map(reading.graph.modules.map((module) => [module.specifier, module]));
  }

  async resolve(args: OnResolveArgs): Promise<OnResolveResult | undefined> {
    const { path, kind, importer } = args;
    if (!this.#isOfPackage(args)) return await this.#resolve(args);
    const key = `${kind} ${importer} ${path}`;
    const known = this.#reading.resolutions.get(key);
    if (known !== undefined) return known;
    const result = await this.#resolve(args);
    if (result?.path !== undefined) this.#reading.resolutions.set(key, result);
    return result;
  }

  /** Whether a module of a package imports. */
  #isOfPackage({ importer, namespace }: OnResolveArgs): boolean {
    return namespace === "file" && importer !== "" && isPackageFile(importer, this.#folders);
  }

  async #resolve(args: OnResolveArgs): Promise<OnResolveResult | undefined> {
    const { path, kind, importer, namespace, resolveDir } = args;
    const builtin = path.startsWith("node:") ? path : `node:${path}`;
    if (isBuiltin(builtin)) return { path: builtin, external: true };
    if (kind === "entry-point") return await this.#follow(urlOf(path), args);
    const isInCache = namespace === "file" && this.#reading.packages.idOf(importer) !== undefined;
    if (isInCache && !/^[./#]/.test(path)) {
      const [id, subpath] = this.#reading.packages.findImported(path, importer) ?? [];
      return id === undefined
        ? await this.#miss(args, problem(`Could not resolve ${JSON.stringify(path)}`))
        : await this.#enter(id, subpath!, args);
    }
    const specifier = (args.pluginData as GraphModule | undefined)?.specifier ??
      this.#specifiers.get(importer) ?? pathToFileURL(importer).href;
    const module = this.#modules.get(specifier);
    const code = module?.dependencies?.find((dependency) => dependency.specifier === path)?.code;
    if (code?.error !== undefined) {
      const missing = /^Import (".*") not a dependency/.exec(code.error)?.[1];
      const isNode = this.#folders.hasSloppyImports;
      const remedy = isNode
        ? `run "npm install ${nameOf(path)}"`
        : "add it to deno.json or package.json";
      const text = isNode ? code.error.replaceAll("`deno install`", "`npm install`") : code.error;
      return missing === undefined ? problem(text) : await this.#miss(
        args,
        problem(`Import ${missing} not a dependency: ${remedy}`),
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
    while (specifier in this.#reading.graph.redirects) {
      specifier = this.#reading.graph.redirects[specifier]!;
    }
    if (specifier.startsWith("node:")) return { path: specifier, external: true };
    const module = this.#modules.get(specifier);
    if (specifier.startsWith("file:")) {
      return await this.#takeFile(fileURLToPath(specifier), args, { specifier });
    }
    if (module?.error !== undefined) return problem(module.error);
    if (module?.npmPackage !== undefined) {
      const subpath = specifier.replace(/^npm:\/?(@[^/]+\/)?[^/]+/, "");
      return await this.#enter(module.npmPackage, subpath, args, specifier);
    }
    const [, namespace, path] = /^(https?):(.*)$/.exec(specifier) ?? [];
    if (namespace !== undefined) return { path: path!, namespace, pluginData: module };
    return problem(`Cannot bundle ${JSON.stringify(specifier)}`);
  }

  /** Enters a package in Deno's cache. */
  async #enter(
    id: string,
    subpath: string,
    args: OnResolveArgs,
    meaning?: string,
  ): Promise<OnResolveResult> {
    const { conditions = [] } = this.#build.initialOptions;
    const found = this.#reading.packages.find(id, subpath, args.kind, conditions);
    return found === undefined
      ? await this.#take(
        await this.#reading.packages.enter(this.#build, id, subpath, args.kind),
        args,
        meaning,
      )
      : await this.#takeFile(found.file, args, { meaning, sideEffects: found.sideEffects });
  }

  /** Takes a result of esbuild. */
  async #take(
    result: Awaited<ReturnType<PluginBuild["resolve"]>>,
    args: OnResolveArgs,
    meaning?: string,
  ): Promise<OnResolveResult> {
    const { errors, warnings } = result;
    if (errors.length > 0) return await this.#miss(args, { errors, warnings });
    if (result.external || result.namespace !== "file") return result;
    const { sideEffects, suffix } = result;
    return await this.#takeFile(result.path, args, { meaning, sideEffects, suffix });
  }

  /** Takes a file if the importer may import it. */
  async #takeFile(
    file: string,
    args: OnResolveArgs,
    { meaning = args.path, specifier, ...rest }: {
      /** What the import means if that is not what is written, such as `npm:/NAME@RANGE`. */
      readonly meaning?: string | undefined;
      readonly specifier?: string;
      readonly sideEffects?: boolean;
      readonly suffix?: string;
    },
  ): Promise<OnResolveResult> {
    const { importer, namespace } = args;
    // TypeScript names the JavaScript that it makes, also in "imports" of a package.json.
    const path = realPath(file) ??
      (this.#folders.hasSloppyImports ? realPath(sourceOf(file)) : undefined);
    const from = namespace === "file" || importer === ""
      ? importer || undefined
      : this.#folders.npmCache; // A remote module may import what a package may.
    const reason = refusal(path ?? targetOf(file), from, this.#folders);
    if (reason !== undefined) return problem(reason);
    if (path === undefined || Deno.statSync(path).isDirectory) {
      const remedy = this.#isOfPackage(args) ? "" : remedyFor(file, args.path);
      return await this.#miss(args, problem(`Module not found ${JSON.stringify(file)}${remedy}`));
    }
    const external = await this.#findExternal(path, meaning, args);
    if (external !== undefined) return external;
    if (specifier !== undefined) this.#specifiers.set(path, specifier);
    return { ...rest, path };
  }

  /** Lets an import of a package stay as it is if the package is copied beside the bundle. */
  async #findExternal(
    file: string,
    meaning: string,
    args: OnResolveArgs,
  ): Promise<OnResolveResult | undefined> {
    if (this.#reading.externals === undefined || args.kind === "entry-point") return undefined;
    if (/^(text|bytes)$/.test(args.with["type"] ?? "")) return undefined;
    // Nothing of a copied package is in the bundle, so a file beside another file of a package is of no such package.
    if (this.#isOfPackage(args) && /^\.\.?(\/|$)/.test(args.path)) return undefined;
    try {
      const isCaught = () => this.#isCaught(args);
      const path = await this.#reading.externals.find(
        {
          file,
          id: this.#reading.packages.idOf(file),
          meaning,
          from: args.resolveDir || dirname(args.importer),
        },
        isCaught,
      );
      return path === undefined ? undefined : { path, external: true };
    } catch (error) {
      return problem((error as Error).message);
    }
  }

  /**
   * Leaves an import that leads to nothing as it is, if its module catches that. If the package of the module works without it, the
   * import throws when it is reached. Otherwise it is an error.
   */
  async #miss(args: OnResolveArgs, error: OnResolveResult): Promise<OnResolveResult> {
    if (await this.#isCaught(args)) return { path: args.path, external: true };
    return await this.#isOptional(args) ? { path: args.path, namespace: MISSING } : error;
  }

  /** Whether a package works without a package that one of its modules imports. */
  async #isOptional(args: OnResolveArgs): Promise<boolean> {
    const loader = loaderOf(args.importer);
    if (loader === undefined || !this.#isOfPackage(args)) return false;
    const manifest = this.#reading.packages.manifestAbove(args.importer);
    const source = { contents: await Deno.readFile(args.importer), loader };
    return await isOptional(args.path, source, manifest);
  }

  /** Whether a module works without one of its imports. */
  async #isCaught({ path, importer, namespace }: OnResolveArgs): Promise<boolean> {
    const loader = loaderOf(importer);
    if (namespace !== "file" || importer === "" || loader === undefined) return false;
    const source = { contents: await Deno.readFile(importer), loader };
    return await uncaughtImport(source, path) === undefined;
  }
}

/** The TypeScript that a compiler makes a file of. */
function sourceOf(path: string): string {
  return path.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
}

/** Returns the remedy if TypeScript finds a file for an import, and Deno does not. */
function remedyFor(file: string, specifier: string): string {
  const endings = [".ts", ".tsx", ".js", "/index.ts", "/index.js"];
  const found = [sourceOf(file), ...endings.map((ending) => file + ending)]
    .find((path) => path !== file && realPath(path));
  if (found === undefined) return "";
  if (!/^\.\.?\//.test(specifier)) {
    return `: name ${JSON.stringify(found)} in "imports" of deno.json or package.json`;
  }
  const name = found === sourceOf(file)
    ? sourceOf(specifier)
    : specifier + found.slice(file.length);
  return `: import ${JSON.stringify(name)}, or set "moduleResolution": "bundler" in tsconfig.json`;
}

/** Returns the path that a link names, or the path itself. */
function targetOf(file: string): string {
  try {
    return resolve(dirname(file), Deno.readLinkSync(file));
  } catch {
    return file;
  }
}

/** The name of the package in an import. */
function nameOf(specifier: string): string {
  return /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}

function problem(text: string): OnResolveResult {
  return { errors: [{ text }] };
}
