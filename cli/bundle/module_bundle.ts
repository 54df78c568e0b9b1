import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "./child_environment.ts";
import { type BundledCode, readBundledCode, shippedMap } from "./bundled_code.ts";

export interface ModuleBundleOptions {
  /** The folder with the `deno.json`; without a folder, no configuration is used. */
  readonly cwd?: string | undefined;
  /** Whether names and white space are shortened. Classes and functions keep their names. */
  readonly isMinified?: boolean | undefined;
  /** The start of error messages; `Cannot bundle "<module>": ` by default. The message of the bundler follows. */
  readonly prefix?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A bundled module and its source map. */
export interface ModuleBundle extends Omit<BundledCode, "removals"> {
  readonly map: string;
}

/**
 * Bundles a module and everything that it imports into one module, with `deno bundle`.
 *
 * @returns The JavaScript, its exports and its source map, without the paths of this machine.
 * @throws {Error} If a module is missing or invalid; the message is the bundler's.
 */
export async function bundleModule(
  module: string | URL,
  options: ModuleBundleOptions = {},
): Promise<ModuleBundle> {
  const isRemote = module instanceof URL && module.protocol !== "file:";
  const specifier = isRemote || typeof module === "string" ? `${module}` : fileURLToPath(module);
  const { prefix = `Cannot bundle "${specifier}": ` } = options;
  const folder = await Deno.makeTempDir({ prefix: "mate-bundle-" });
  try {
    const output = `${folder}/index.js`;
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "bundle",
        "--quiet",
        "--platform=deno",
        "--keep-names",
        "--sourcemap=external",
        ...(options.isMinified ? ["--minify"] : []),
        ...(options.cwd === undefined ? ["--no-config", "--no-lock"] : []),
        ...(isRemote ? [`--allow-import=${module.host},jsr.io:443`] : []),
        `--output=${output}`,
        specifier,
      ],
      cwd: options.cwd ?? folder,
      clearEnv: true,
      env: { ...childEnvironment(), NO_COLOR: "1" },
      ...(options.signal && { signal: options.signal }),
      detached: true, // Ctrl-C reaches only the tool, so that the bundler does not fail before the tool ends
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn().output();
    if (!success) {
      throw new Error(prefix + problemOf(new TextDecoder().decode(stderr)));
    }
    const { code, exports, removals } = readBundledCode(
      alignWithMap(await Deno.readTextFile(output)),
    );
    const root = options.cwd ?? (isRemote ? folder : dirname(specifier));
    const map = shippedMap(await Deno.readTextFile(`${output}.map`), output, root, removals);
    return { ...withRequire(code, map), exports };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Restores the positions in the source map. After the bundler has made the map, Deno replaces six lines of a helper by three,
 * and replaces a condition in minified code by a shorter condition.
 */
function alignWithMap(text: string): string {
  return text
    .replace(/^var __require = __deno_internal_createRequire\(.*\);\n/m, "$&\n\n\n")
    .replace(
      /(\((\w+),(\w+),(\w+)\)=>\(\4=\2!=null\?[^;]*?\(1 )\?/,
      (_, start, module, isNode) =>
        `${start}${" ".repeat(`${isNode}||!${module}||!${module}.__esModule`.length - 2)}?`,
    );
}

/** Adds `require` for CommonJS modules that load modules of Node.js. The bundler leaves it out when it minifies. */
function withRequire(code: string, map: string): { code: string; map: string } {
  if (!code.includes("Dynamic require of")) return { code, map };
  const line = 'import{createRequire as __createRequire}from"node:module";' +
    "var require=__createRequire(import.meta.url);";
  return { code: `${line}\n${code}`, map: map.replace('"mappings":"', '"mappings":";') };
}

/** The bundler's error message, without the lines about the bundler itself. */
function problemOf(text: string): string {
  return text.replace(/\n\s*Stack backtrace:[^]*$/, "").replace(/^error: bundling failed$/m, "")
    .trim().replace(/^error: /, "")
    .replace("No such file or directory (os error 2)", "no such file")
    .replaceAll(/^Import ".*" not a dependency.*/gm, "$&: add it to deno.json or package.json")
    .replaceAll(/\n\s*note: You can mark the path .*/g, "");
}
