import type { Loader, OnLoadResult, Plugin } from "esbuild";
import { dirname, extname } from "node:path";
import { type Folders, refusal } from "./access.ts";
import type { Graph, GraphModule } from "./graph.ts";
import { BY_ESBUILD, type PackageModule } from "./packages.ts";
import { realPath, type Resolutions, Resolver } from "./resolver.ts";

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
