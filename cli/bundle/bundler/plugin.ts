import type {
  Loader,
  OnLoadResult,
  OnResolveArgs,
  OnResolveResult,
  Plugin,
  PluginBuild,
} from "esbuild";
import { isBuiltin } from "node:module";
import { dirname, extname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Folders, isInside, isPackageFile, refusal } from "./access.ts";
import type { Graph, GraphModule } from "./graph.ts";
import { BY_ESBUILD, type PackageModule, Packages } from "./packages.ts";

/** The languages of files by their extensions. Other files need an import attribute. */
const LOADERS: Readonly<Record<string, Loader>> = {
  "": "js",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".json": "json",
};

/** The languages of remote modules by the names that Deno gives them. */
const MEDIA_TYPES: Readonly<Record<string, Loader>> = {
  JavaScript: "js",
  Mjs: "js",
  Cjs: "js",
  JSX: "jsx",
  TypeScript: "ts",
  Mts: "ts",
  Cts: "ts",
  TSX: "tsx",
  Json: "json",
};

/** The loaders of import attributes. */
const ATTRIBUTES: Readonly<Record<string, Loader>> = {
  json: "json",
  text: "text",
  bytes: "binary",
};

/**
 * Makes a plugin of esbuild that resolves imports as Deno does: with the module graph that Deno made, in which import maps,
 * workspaces, JSR and npm are resolved. No file is read that the folders do not allow.
 *
 * @param resolutions The imports of packages that earlier builds resolved.
 * @param graphOf Returns the module graph for the build that starts.
 * @param transpile Makes JavaScript of a file of the application, if esbuild cannot.
 */
export function denoPlugin(
  folders: Folders,
  resolutions: Resolutions,
  graphOf: () => Promise<Graph>,
  transpile?: (file: string) => Promise<string>,
): Plugin {
  return {
    name: "deno",
    setup(build) {
      let resolver: Promise<Resolver>;
      build.onStart(() => {
        resolver = graphOf().then((graph) => new Resolver(build, graph, folders, resolutions));
        resolver.catch(() => {}); // The entry point reports the error.
      });
      build.onResolve({ filter: /.*/ }, async (args) => {
        if (args.pluginData === BY_ESBUILD || args.path.startsWith("data:")) return undefined;
        return await (await resolver).resolve(args);
      });
      for (const namespace of ["http", "https"]) {
        build.onLoad({ filter: /.*/, namespace }, async ({ pluginData, with: { type } }) => {
          const module: GraphModule = pluginData;
          const bytes = await Deno.readFile(module.local!);
          const loader = ATTRIBUTES[type!] ?? MEDIA_TYPES[module.mediaType!] ?? "js";
          return { contents: withoutMetadata(bytes), loader, pluginData };
        });
      }
      build.onLoad({ filter: /.*/, namespace: "npm" }, ({ pluginData, with: { type } }) => {
        const { file }: PackageModule = pluginData;
        return { ...loadPackageFile(file, type), pluginData };
      });
      build.onLoad({ filter: /.*/, namespace: "file" }, async ({ path, with: { type } }) => {
        // esbuild itself resolves `require("./" + name)`. Whether the application imports the file is checked after the build.
        const problem = refusal(realPath(path) ?? path, undefined, folders);
        if (problem !== undefined) return { errors: [{ text: problem }] };
        const loader = loaderOf(path, type);
        if (typeof loader !== "string") return loader;
        const isOwn = !path.includes("node_modules");
        if (transpile !== undefined && isOwn && /^tsx?$/.test(loader)) {
          return { contents: await transpile(path), loader: "js" };
        }
        return type === undefined && extname(path) !== ""
          ? undefined // esbuild reads the file and knows its tsconfig.json.
          : { contents: await Deno.readFile(path), loader, resolveDir: dirname(path) };
      });
    },
  };
}

/** Deno adds a last line to the files in its cache. */
function withoutMetadata(bytes: Uint8Array): Uint8Array {
  const mark = new TextEncoder().encode("\n// denoCacheMetadata=");
  const end = bytes.length - Math.min(bytes.length, 100_000);
  for (let at = bytes.lastIndexOf(10); at >= end; at = bytes.lastIndexOf(10, at - 1)) {
    if (mark.every((byte, index) => bytes[at + index] === byte)) return bytes.subarray(0, at);
    if (at === 0) break;
  }
  return bytes;
}

const packageFiles = new Map<string, Uint8Array>();

/** Loads a file of a package in Deno's cache, where nothing changes. */
function loadPackageFile(file: string, type: string | undefined): OnLoadResult {
  const loader = loaderOf(file, type);
  if (typeof loader !== "string") return loader;
  let contents = packageFiles.get(file);
  if (contents === undefined) packageFiles.set(file, contents = Deno.readFileSync(file));
  return { contents, loader };
}

function loaderOf(file: string, type: string | undefined): Loader | OnLoadResult {
  const loader = type === undefined ? LOADERS[extname(file)] : ATTRIBUTES[type];
  if (loader !== undefined) return loader;
  const name = JSON.stringify(file);
  const text = extname(file) === ".node"
    ? `Cannot bundle the native add-on ${name}${
      packageIn(file)
    }: AWS Lambda would need a build of it for ` +
      "its own system; use a package in JavaScript or WebAssembly instead"
    : `Cannot bundle ${name}: import it with { type: "text" }, "bytes" or "json"`;
  return { errors: [{ text }] };
}

/** Names the package of a file. */
function packageIn(file: string): string {
  const path = file.replaceAll("\\", "/");
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ??
    /\/npm\/[^/]+\/((?:@[^/]+\/)?[^/]+)\/\d/.exec(path) ?? [];
  return name === undefined ? "" : ` of the package "${name}"`;
}

/** The imports of packages that were resolved, by the importer and the imported path. Packages rarely change. */
export type Resolutions = Map<string, OnResolveResult>;

/** Resolves the imports of one build. */
class Resolver {
  readonly #resolutions: Resolutions;
  readonly #build: PluginBuild;
  readonly #folders: Folders;
  readonly #graph: Graph;
  readonly #modules: ReadonlyMap<string, GraphModule>;
  readonly #packages: Packages;
  /** The specifiers of the files that were resolved. */
  readonly #specifiers = new Map<string, string>();

  constructor(build: PluginBuild, graph: Graph, folders: Folders, resolutions: Resolutions) {
    this.#resolutions = resolutions;
    this.#build = build;
    this.#graph = graph;
    this.#folders = folders;
    this.#modules = new Map(graph.modules.map((module) => [module.specifier, module]));
    this.#packages = new Packages(build, graph);
  }

  async resolve(args: OnResolveArgs): Promise<OnResolveResult | undefined> {
    const { path, kind, importer, namespace } = args;
    const isOfPackage = namespace === "npm" ||
      namespace === "file" && importer !== "" && isPackageFile(importer, this.#folders);
    if (!isOfPackage) return await this.#resolve(args);
    const key = `${namespace} ${kind} ${importer} ${path}`;
    const known = this.#resolutions.get(key);
    if (known !== undefined) return known;
    const result = await this.#resolve(args);
    if (result?.path !== undefined) this.#resolutions.set(key, result);
    return result;
  }

  async #resolve(args: OnResolveArgs): Promise<OnResolveResult | undefined> {
    const { path, kind, importer, namespace, resolveDir } = args;
    const builtin = path.startsWith("node:") ? path : `node:${path}`;
    if (isBuiltin(builtin)) return { path: builtin, external: true };
    if (kind === "entry-point") return await this.#follow(this.#graph.roots[0]!, args);
    if (namespace === "npm") {
      const found = await this.#packages.resolve(path, args.pluginData, kind);
      return found && this.#take(found.result, args, found.id);
    }
    const { specifier = this.#specifiers.get(importer) }: Partial<GraphModule> = args.pluginData ??
      {};
    const module = this.#modules.get(specifier!);
    const code = module?.dependencies?.find((dependency) => dependency.specifier === path)?.code;
    if (code?.error !== undefined) return problem(withRemedy(code.error));
    if (code?.specifier !== undefined) return await this.#follow(code.specifier, args);
    return this.#take(
      await this.#build.resolve(path, { resolveDir, kind, importer, pluginData: BY_ESBUILD }),
      args,
    );
  }

  /** Follows a specifier that Deno has resolved. */
  async #follow(target: string, args: OnResolveArgs): Promise<OnResolveResult> {
    let specifier = target;
    while (specifier in this.#graph.redirects) specifier = this.#graph.redirects[specifier]!;
    if (specifier.startsWith("node:")) return { path: specifier, external: true };
    const module = this.#modules.get(specifier);
    if (specifier.startsWith("file:")) {
      return this.#takeFile(fileURLToPath(specifier), args, { specifier });
    }
    if (module?.error !== undefined) return problem(module.error);
    if (module?.npmPackage !== undefined) {
      const id = module.npmPackage;
      const subpath = specifier.replace(/^npm:\/?(@[^/]+\/)?[^/]+/, "");
      return this.#take(await this.#packages.enter(id, subpath, args.kind), args, id);
    }
    const [, namespace, path] = /^(https?):(.*)$/.exec(specifier) ?? [];
    if (namespace !== undefined) return { path: path!, namespace, pluginData: module };
    return problem(`Cannot bundle ${JSON.stringify(specifier)}`);
  }

  /** Takes a result of esbuild. */
  #take(result: Awaited<ReturnType<PluginBuild["resolve"]>>, args: OnResolveArgs, id?: string) {
    if (result.errors.length > 0) return { errors: result.errors, warnings: result.warnings };
    if (result.external || result.namespace !== "file") return result;
    const { sideEffects, suffix } = result;
    return this.#takeFile(result.path, args, { id, sideEffects, suffix });
  }

  /** Takes a file if the importer may import it. */
  #takeFile(
    file: string,
    { importer, namespace, pluginData }: OnResolveArgs,
    { id, specifier, ...rest }: {
      readonly id?: string | undefined;
      readonly specifier?: string;
      readonly sideEffects?: boolean;
      readonly suffix?: string;
    },
  ): OnResolveResult {
    const path = realPath(file);
    const from = namespace === "npm"
      ? (pluginData as PackageModule).file
      : namespace === "file" || importer === ""
      ? importer || undefined
      : this.#folders.npmCache; // A remote module may import what a package may.
    const reason = refusal(path ?? targetOf(file), from, this.#folders);
    if (reason !== undefined) return problem(reason);
    if (path === undefined) return problem(`Module not found ${JSON.stringify(file)}`);
    if (id !== undefined && isInside(path, this.#folders.npmCache)) {
      const module: PackageModule = { id, file: path };
      return { ...rest, path: this.#packages.nameOf(module), namespace: "npm", pluginData: module };
    }
    this.#specifiers.set(path, specifier ?? pathToFileURL(path).href);
    return { ...rest, path };
  }
}

function withRemedy(error: string): string {
  return error.replace(
    /^Import (".*") not a dependency.*/,
    "Import $1 not a dependency: add it to deno.json or package.json",
  );
}

function realPath(file: string): string | undefined {
  try {
    return Deno.realPathSync(file);
  } catch {
    return undefined; // The file does not exist, or this process cannot see it.
  }
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
