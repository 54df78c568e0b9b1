import { parseArgs } from "node:util";
import { bundleApp, type BundledArchive } from "./app.ts";
import { formatSize, MAX_UNZIPPED, MAX_ZIP } from "./limits.ts";
import { ARCHITECTURES } from "./pinned_deno.ts";

const HELP =
  `Makes the zips for Lambda of an application: layer-<architecture>.zip with Deno and the
runtime, and <function>.zip for each of its functions.

Usage: deno task bundle [manifest] [options]

  manifest            the application (examples/app.json)
  --out <folder>      where the zips go (dist)
  --arch <name>       x86_64, arm64 or both (x86_64)
  --minify            shorten names and white space; stack traces are then hard to read
  --no-cache          leave out the compiled code that makes functions start faster
  --help              this text

Deno comes from the npm registry, or the one in NPM_CONFIG_REGISTRY, and is kept in the user's folder of caches.`;

/**
 * Runs the bundler from the command line.
 *
 * @param args The arguments.
 * @returns The status to exit with: 0, 1 if the bundles could not be made, 2 for wrong arguments.
 */
export async function main(args: readonly string[]): Promise<number> {
  let options;
  try {
    options = readArguments(args);
  } catch (error) {
    console.error(`Cannot bundle: ${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
  if (options === undefined) {
    console.log(HELP);
    return 0;
  }
  try {
    const archives = await bundleApp(options.manifest, {
      ...options,
      warn: (message) => console.error(`WARNING: ${message}`),
    });
    console.log(table(archives));
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}

function readArguments(args: readonly string[]) {
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
  if (positionals.length > 1) throw new Error(`"${positionals[1]}" is one argument too many`);
  if (values.out === "") throw new Error('"--out" is empty');
  const architectures = ARCHITECTURES.filter((name) => [name, "both"].includes(values.arch));
  if (architectures.length === 0) {
    throw new Error(`"${values.arch}" is no architecture: choose x86_64, arm64 or both`);
  }
  return {
    manifest: positionals[0] ?? "examples/app.json",
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
