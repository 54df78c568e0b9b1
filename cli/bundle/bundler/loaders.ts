import type { Loader } from "esbuild";
import { extname } from "node:path";
import { packageNameOf } from "../packages/access.ts";

/** The languages of files by their extensions. Other files need an import attribute. */
export const LOADERS: Readonly<Record<string, Loader>> = {
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

/** The loaders of import attributes. */
const ATTRIBUTES: Readonly<Record<string, Loader>> = {
  json: "json",
  text: "text",
  bytes: "binary",
};

/** The language of a file, or `undefined` if the file needs an import attribute. */
export function loaderOf(file: string, attribute?: string): Loader | undefined {
  return attribute === undefined ? LOADERS[extname(file)] : ATTRIBUTES[attribute];
}

/** Describes a file that needs an import attribute, or that cannot be bundled. */
export function noLoader(file: string, isForDeno: boolean): string {
  return extname(file) === ".node"
    ? addonProblem(file, isForDeno)
    : `Cannot bundle ${JSON.stringify(file)}: import it with { type: "text" }, "bytes" or "json"`;
}

/** The language of a remote module, by Deno's name for it: that of an extension, or the name of the language. */
export function remoteLoaderOf(mediaType = "", attribute?: string): Loader {
  const extension = mediaType === "TypeScript" ? ".ts" : `.${mediaType.toLowerCase()}`;
  return ATTRIBUTES[attribute!] ?? LOADERS[extension] ?? "js";
}

/** Describes why a native add-on cannot be bundled: the add-on itself, or the module that finds it. */
export function addonProblem(file: string, isForDeno: boolean): string {
  const path = file.replaceAll("\\", "/");
  const name = packageNameOf(path) ?? /\/npm\/[^/]+\/((?:@[^/]+\/)?[^/]+)\/\d/.exec(path)?.[1];
  const package_ = name === undefined ? "" : ` of the package "${name}"`;
  const addon = extname(file) === ".node" ? ` ${JSON.stringify(file)}` : "";
  const remedy = isForDeno
    ? 'give the function "runtime": "nodejs24.x", or use a package in JavaScript or WebAssembly'
    : "only a package in node_modules can have one";
  return `Cannot bundle the native add-on${addon}${package_}: ${remedy}`;
}
