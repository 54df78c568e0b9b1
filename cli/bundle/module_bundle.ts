import { fileURLToPath } from "node:url";
import { type BundledCode, readBundledCode } from "./bundled_code.ts";

/** How a module is bundled. */
export interface ModuleBundleOptions {
  /** The folder whose `deno.json` is used; without it, no configuration is used. */
  readonly cwd?: string | undefined;
  /** Whether names and white space are shortened. Classes and functions keep their names. */
  readonly isMinified?: boolean | undefined;
  /** How an error message begins; `Cannot bundle "<module>"` by default. */
  readonly action?: string | undefined;
  /** Ends the work early. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Bundles a module and everything that it imports into one module, with `deno bundle`.
 *
 * @param module The path or URL of the module.
 * @param options How the module is bundled.
 * @returns The JavaScript, without the paths of this machine, and its exports.
 * @throws {Error} If a module is missing or invalid; the message is the bundler's.
 */
export async function bundleModule(
  module: string | URL,
  options: ModuleBundleOptions = {},
): Promise<BundledCode> {
  const isRemote = module instanceof URL && module.protocol !== "file:";
  const specifier = isRemote || typeof module === "string" ? `${module}` : fileURLToPath(module);
  const { action = `Cannot bundle "${specifier}"` } = options;
  const folder = await Deno.makeTempDir({ prefix: "mate-bundle-" });
  try {
    const output = `${folder}/index.js`;
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "bundle",
        "--quiet",
        "--platform=deno",
        "--keep-names",
        ...(options.isMinified ? ["--minify"] : []),
        ...(options.cwd === undefined ? ["--no-config", "--no-lock"] : []),
        ...(isRemote ? [`--allow-import=${module.host},jsr.io:443`] : []),
        `--output=${output}`,
        specifier,
      ],
      cwd: options.cwd ?? folder,
      env: { NO_COLOR: "1" },
      ...(options.signal && { signal: options.signal }),
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) {
      throw new Error(`${action}: ${problemOf(new TextDecoder().decode(stderr))}`);
    }
    const { code, exports } = readBundledCode(await Deno.readTextFile(output));
    return { code: withRequire(code), exports };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Adds the `require` that CommonJS modules load Node's modules with. The bundler adds it only if it does not minify. */
function withRequire(code: string): string {
  if (!code.includes("Dynamic require of")) return code;
  return 'import{createRequire as __createRequire}from"node:module";' +
    `var require=__createRequire(import.meta.url);${code}`;
}

/** The bundler's error message, without the lines about the bundler itself. */
function problemOf(text: string): string {
  return text.replace(/\n\s*Stack backtrace:[^]*$/, "").replace(/^error: bundling failed$/m, "")
    .trim().replace(/^error: /, "").replace(
      "No such file or directory (os error 2)",
      "no such file",
    );
}
