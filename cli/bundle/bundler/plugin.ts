import type { OnResolveArgs, Plugin } from "esbuild";
import { type Folders, realPath, refusal } from "../packages/access.ts";
import { filesToRefuse } from "./filters.ts";
import type { GraphModule } from "../packages/graph.ts";
import { noLoader, remoteLoaderOf } from "./loaders.ts";
import { BY_ESBUILD } from "../packages/packages.ts";
import { MISSING, type Reading, Resolver } from "./resolver.ts";

/**
 * Makes a plugin of esbuild that resolves imports as Deno does: with the module graph that Deno made, in which import maps,
 * workspaces, JSR and npm are resolved. No file is read that the folders do not allow. Each question of esbuild to the plugin
 * takes long, so it asks neither about the files beside a module nor about what it may read.
 *
 * @param asked The imports that the plugin has to resolve.
 * @param readingOf Returns the module graph for the build that starts, and what earlier builds found with it.
 * @param transpile Makes JavaScript of a file of the application, if esbuild cannot.
 */
export function denoPlugin(
  folders: Folders,
  asked: RegExp,
  readingOf: () => Promise<Reading>,
  transpile?: (file: string) => Promise<string>,
): Plugin {
  return {
    name: "deno",
    setup(build) {
      let resolver: Promise<Resolver>;
      const isForDeno = build.initialOptions.conditions?.includes("deno") === true;
      build.onStart(() => {
        resolver = readingOf().then((reading) => new Resolver(build, reading, folders));
        resolver.catch(() => {}); // The entry point reports the error.
      });
      const resolve = async (args: OnResolveArgs) =>
        args.pluginData === BY_ESBUILD || args.path.startsWith("data:")
          ? undefined
          : await (await resolver).resolve(args);
      build.onResolve({ filter: asked }, resolve);
      for (const namespace of ["http", "https"]) {
        build.onResolve({ filter: /.*/, namespace }, resolve);
        build.onLoad({ filter: /.*/, namespace }, async ({ pluginData, with: { type } }) => {
          const module: GraphModule = pluginData;
          const bytes = await Deno.readFile(module.local!);
          const loader = remoteLoaderOf(module.mediaType, type);
          return { contents: withoutMetadata(bytes), loader, pluginData };
        });
      }
      build.onLoad(
        { filter: /.*/, namespace: MISSING },
        ({ path }) => ({ contents: missing(path) }),
      );
      build.onLoad({ filter: filesToRefuse(folders), namespace: "file" }, ({ path }) => {
        const problem = refusal(realPath(path) ?? path, undefined, folders);
        return problem === undefined ? undefined : { errors: [{ text: problem }] };
      });
      // esbuild has loaders for these, but the application would not run without a bundle.
      build.onLoad(
        { filter: /\.(css|txt)$/, namespace: "file" },
        ({ path, with: { type } }) =>
          type === undefined ? { errors: [{ text: noLoader(path, isForDeno) }] } : undefined,
      );
      if (transpile === undefined) return;
      build.onLoad(
        { filter: /\.[cm]?tsx?$/, namespace: "file" },
        async ({ path, with: { type } }) =>
          type !== undefined || path.includes("node_modules")
            ? undefined
            : { contents: await transpile(path), loader: "js" },
      );
    },
  };
}

/** Writes a module in place of a package that is not installed. It is CommonJS, so that it runs when it is reached. */
function missing(name: string): string {
  const text = `Cannot find package ${JSON.stringify(name)}: it is not installed`;
  return `throw Object.assign(new Error(${JSON.stringify(text)}), { code: "MODULE_NOT_FOUND" });
    module.exports;`;
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
