/** What may be asked of the bundler. */
export interface ModuleBundleOptions {
  /** The folder whose `deno.json` counts; the module's own without. */
  readonly cwd?: string | undefined;
  /** Whether names and white space are shortened; classes and functions keep their names either way. */
  readonly isMinified?: boolean | undefined;
  /** How an error begins; `Cannot bundle "<specifier>"` without. */
  readonly action?: string | undefined;
}

/**
 * Bundles a module and all it imports into one, with `deno bundle`.
 *
 * @param specifier The path or URL of the module.
 * @param options What else counts.
 * @returns The JavaScript.
 * @throws {Error} If the module, or one that it imports, cannot be found or read; the message is the bundler's.
 */
export async function bundleModule(
  specifier: string,
  options: ModuleBundleOptions = {},
): Promise<string> {
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
        `--output=${output}`,
        specifier,
      ],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: { NO_COLOR: "1" },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) {
      throw new Error(`${action}: ${problemOf(new TextDecoder().decode(stderr))}`);
    }
    return withRequire(await Deno.readTextFile(output));
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

/** The names that a bundle exports. */
export function exportsOf(bundle: string): string[] {
  const list = /\bexport\s*\{([^{}]*)\};?\s*(\/\/#.*\s*)?$/.exec(bundle)?.[1] ?? "";
  return list.split(",").map((item) => item.trim().split(/\s+as\s+/).at(-1)!.trim())
    .filter((name) => name !== "");
}
