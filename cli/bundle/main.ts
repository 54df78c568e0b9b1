/**
 * The command that bundles an application for AWS Lambda: a layer with Deno and the runtime for each architecture, and a small
 * zip for each function.
 *
 * ```sh
 * deno run -A jsr:@mate/cli/bundle app.json --out dist
 * ```
 *
 * The argument is the manifest of the application. The command prints the sizes, and checks them against Lambda's limits.
 *
 * | option          | what it sets                                                            | without  |
 * | --------------- | ----------------------------------------------------------------------- | -------- |
 * | `--out FOLDER`  | the folder for the zips                                                 | `dist`   |
 * | `--arch NAME`   | the architecture: `x86_64`, `arm64` or `both`                           | `x86_64` |
 * | `--minify`      | names and white space are shortened; stack traces are then hard to read | readable |
 * | `--no-cache`    | leaves out the code cache, which makes functions start faster          | with it  |
 * | `--help`        | prints this                                                             |          |
 *
 * Deno comes from the npm registry, or the registry in `NPM_CONFIG_REGISTRY`, and is kept in the user's folder of caches.
 *
 * The exit status is 0, 1 if the bundles cannot be made (no zip is written then), 2 for wrong arguments, and 130, 143 or 129
 * after SIGINT, SIGTERM or SIGHUP.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { onInterruption } from "../interruption.ts";
import { bundleApp, type BundledArchive } from "./app.ts";
import { formatSize, MAX_UNZIPPED, MAX_ZIP } from "./limits.ts";
import { ARCHITECTURES } from "./pinned_deno.ts";

const HELP =
  `Bundles an application for AWS Lambda: layer-<architecture>.zip with Deno and the runtime,
and <function>.zip for each function.

Usage: bundle [OPTIONS] MANIFEST

Arguments:
  MANIFEST         The manifest of the application, such as app.json

Options:
  --out FOLDER     Where the zips go (dist)
  --arch NAME      x86_64, arm64 or both (x86_64)
  --minify         Shorten names and white space; stack traces are then hard to read
  --no-cache       Leave out the code cache, which makes functions start faster
  --help           Print this

Deno comes from the npm registry, or the registry in NPM_CONFIG_REGISTRY.`;

if (import.meta.main) Deno.exit(await main(Deno.args));

/**
 * Runs the command.
 *
 * @param args The arguments.
 * @param defaultManifest The path of the manifest if the arguments do not name one.
 * @returns The exit status. A second SIGINT, SIGTERM or SIGHUP ends the process at once.
 *
 * @example A command with a manifest of its own
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { main } from "@mate/cli/bundle";
 *
 * assertEquals(await main(["--arch", "both"], "/nowhere/app.json"), 1);
 * ```
 */
export async function main(args: readonly string[], defaultManifest?: string): Promise<number> {
  let options;
  try {
    options = readArguments(args, defaultManifest);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
  if (options === undefined) {
    console.log(HELP);
    return 0;
  }
  using interruption = onInterruption();
  try {
    const archives = await bundleApp(options.manifest, {
      ...options,
      signal: interruption.signal,
      warn: (message) => console.error(`WARNING: ${message}`),
    });
    console.log(table(archives));
    return 0;
  } catch (error) {
    if (interruption.signal.aborted) return interruption.status;
    console.error((error as Error).message);
    return 1;
  }
}

function readArguments(args: readonly string[], defaultManifest: string | undefined) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      arch: { type: "string", default: "x86_64" },
      help: { type: "boolean", default: false },
      minify: { type: "boolean", default: false },
      "no-cache": { type: "boolean", default: false },
      out: { type: "string", default: "dist" },
    },
  });
  if (values.help) return undefined;
  if (positionals.length > 1) throw new Error(`Unexpected argument "${positionals[1]}"`);
  const manifest = positionals[0] ?? defaultManifest;
  if (manifest === undefined) {
    throw new Error("The manifest is missing: expected a path such as app.json");
  }
  if (values.out === "") throw new Error('Invalid --out "": expected a folder');
  const architectures = ARCHITECTURES.filter((name) => [name, "both"].includes(values.arch));
  if (architectures.length === 0) {
    throw new Error(`Invalid --arch "${values.arch}": expected x86_64, arm64 or both`);
  }
  return {
    manifest,
    out: values.out,
    architectures,
    isMinified: values.minify,
    hasCache: !values["no-cache"],
  };
}

function table(archives: readonly BundledArchive[]): string {
  const rows = archives.map(({ path, zipped, unzipped }) => [
    path,
    formatSize(zipped),
    formatSize(unzipped),
  ]);
  const all = [["", "zipped", "unzipped"], ...rows, [
    "at most",
    formatSize(MAX_ZIP),
    `${formatSize(MAX_UNZIPPED)}, layer and function`,
  ]];
  const widths = [0, 1].map((column) => Math.max(...all.map((row) => row[column]!.length)));
  return all.map(([path, zipped, unzipped]) =>
    `${path!.padEnd(widths[0]!)}  ${zipped!.padStart(widths[1]!)}  ${unzipped}`
  ).join("\n");
}
