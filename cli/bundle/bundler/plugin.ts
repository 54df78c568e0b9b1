import type { OnLoadResult, Plugin } from "esbuild";
import { dirname, extname } from "node:path";
import { type Folders, refusal } from "./access.ts";
import type { GraphModule } from "./graph.ts";
import { addonProblem, loaderOf, remoteLoaderOf } from "./loaders.ts";
import { BY_ESBUILD, type PackageModule } from "./packages.ts";
import { type Reading, realPath, Resolver } from "./resolver.ts";

/**
 * Makes a plugin of esbuild that resolves imports as Deno does: with the module graph that Deno made, in which import maps,
 * workspaces, JSR and npm are resolved. No file is read that the folders do not allow.
 *
 * @param readingOf Returns the module graph for the build that starts, and what earlier builds found with it.
 * @param transpile Makes JavaScript of a file of the application, if esbuild cannot.
 */
export function denoPlugin(
  folders: Folders,
  readingOf: () => Reading,
  transpile?: (file: string) => Promise<string>,
): Plugin {
  return {
    name: "deno",
    setup(build) {
      let resolver: Promise<Resolver>;
      const isForDeno = build.initialOptions.conditions?.includes("deno") === true;
      build.onStart(() => {
        const reading = readingOf();
        resolver = Promise.all([reading.graph, reading.externals]).then(([graph, externals]) =>
          new Resolver(build, graph, folders, reading.resolutions, externals)
        );
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
          const loader = remoteLoaderOf(module.mediaType, type);
          return { contents: withoutMetadata(bytes), loader, pluginData };
        });
      }
      build.onLoad({ filter: /.*/, namespace: "npm" }, ({ pluginData, with: { type } }) => {
        const { file }: PackageModule = pluginData;
        return { ...loadPackageFile(file, type, isForDeno), pluginData };
      });
      build.onLoad({ filter: /.*/, namespace: "file" }, async ({ path, with: { type } }) => {
        // esbuild itself resolves `require("./" + name)`. Whether the application imports the file is checked after the build.
        const problem = refusal(realPath(path) ?? path, undefined, folders);
        if (problem !== undefined) return { errors: [{ text: problem }] };
        const loader = loaderOf(path, type);
        if (loader === undefined) return noLoader(path, isForDeno);
        const isOwn = !path.includes("node_modules");
        if (transpile !== undefined && isOwn && /^tsx?$/.test(loader)) {
          return { contents: await transpile(path), loader: "js" };
        }
        return type === undefined && extname(path) !== ""
          ? undefined // esbuild reads the file.
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
function loadPackageFile(
  file: string,
  type: string | undefined,
  isForDeno: boolean,
): OnLoadResult {
  const loader = loaderOf(file, type);
  if (loader === undefined) return noLoader(file, isForDeno);
  let contents = packageFiles.get(file);
  if (contents === undefined) packageFiles.set(file, contents = Deno.readFileSync(file));
  return { contents, loader };
}

function noLoader(file: string, isForDeno: boolean): OnLoadResult {
  const text = extname(file) === ".node"
    ? addonProblem(file, isForDeno)
    : `Cannot bundle ${JSON.stringify(file)}: import it with { type: "text" }, "bytes" or "json"`;
  return { errors: [{ text }] };
}
