import { type BundledCode, readBundledCode } from "./bundled_code.ts";

/** What may be asked of the bundler. */
export interface ModuleBundleOptions {
  /** The folder whose `deno.json` counts; none does without. */
  readonly cwd?: string | undefined;
  /** Whether names and white space are shortened; classes and functions keep their names either way. */
  readonly isMinified?: boolean | undefined;
  /** How an error begins; `Cannot bundle "<specifier>"` without. */
  readonly action?: string | undefined;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Bundles a module and all it imports into one, with `deno bundle`.
 *
 * @param specifier The path or URL of the module.
 * @param options What else counts.
 * @returns The JavaScript, which does not tell where the modules lay, and its exports.
 * @throws {Error} If the module, or one that it imports, cannot be found or read; the message is the bundler's.
 */
export async function bundleModule(
  specifier: string,
  options: ModuleBundleOptions = {},
): Promise<BundledCode> {
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

/**
 * Gives a bundle of CommonJS modules the `require` that they load Node's own modules with. The bundler does so itself, but
 * not when it minifies.
 */
function withRequire(code: string): string {
  if (!code.includes("Dynamic require of")) return code;
  return 'import{createRequire as __createRequire}from"node:module";' +
    `var require=__createRequire(import.meta.url);${code}`;
}

/** What the bundler says is wrong, without what it says of itself. */
function problemOf(text: string): string {
  return text.replace(/\n\s*Stack backtrace:[^]*$/, "").replace(/^error: bundling failed$/m, "")
    .trim().replace(/^error: /, "").replace(
      "No such file or directory (os error 2)",
      "no such file",
    );
}
