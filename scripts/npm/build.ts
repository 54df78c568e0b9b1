/**
 * Builds the npm package in `npm/`: code in a few small files, which load faster, the declarations of the entry points,
 * and `package.json`.
 *
 * @module
 */
import { dirname, join } from "node:path/posix";
import { build, stop } from "esbuild";
import { DOCUMENTS, ENTRY_POINTS, OUTPUT, packageMetadata, ROOT } from "./metadata.ts";

/** TypeScript has this type from 5.4 on; the package works from 5.2 on. */
const NO_INFER = "\ntype NoInfer<T> = [T][T extends unknown ? 0 : never];\n";

/** The name of an entry point's file in the package, without its ending. */
const NAMES = Object.values(ENTRY_POINTS).map((path) => path.replace(/^\.\/|\.ts$/g, ""));

const temporary = await Deno.makeTempDir();
try {
  const archive = `${temporary}/package.tgz`;
  await run(Deno.execPath(), "pack", "--no-source-maps", "--allow-dirty", "--output", archive);
  await run("tar", "-xzf", archive, "-C", temporary);
  const modules = `${temporary}/package`;
  await Deno.remove(OUTPUT, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await bundle(modules);
  await copyDeclarations(modules);
  for (const name of DOCUMENTS) await Deno.copyFile(new URL(name, ROOT), new URL(name, OUTPUT));
  await writePackageJson();
} finally {
  await Deno.remove(temporary, { recursive: true });
}
console.error(`Built ${OUTPUT.pathname}`);

async function run(program: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args, cwd: ROOT }).output();
  if (success) return;
  throw new Error(`Cannot run "${program} ${args[0]}": ${new TextDecoder().decode(stderr)}`);
}

/** Bundles the modules of a folder. */
async function bundle(folder: string): Promise<void> {
  const kind = { type: "module", sideEffects: false };
  await Deno.writeTextFile(join(folder, "package.json"), JSON.stringify(kind));
  await build({
    absWorkingDir: folder,
    entryPoints: NAMES.map((name) => `${name}.js`),
    outdir: OUTPUT.pathname,
    outbase: ".",
    bundle: true,
    splitting: true,
    chunkNames: "_[hash]",
    format: "esm",
    platform: "neutral",
    external: ["node:*"],
    target: "es2022", // not minified: an uncaught error shows a line that a human can read
    legalComments: "none",
    logLevel: "error",
  });
  await stop();
}

/** Copies the declarations of the entry points, and those that they name. */
async function copyDeclarations(folder: string): Promise<void> {
  const seen = new Set(NAMES);
  for (const name of seen) { // which grows meanwhile
    const path = `${name}.d.ts`;
    const text = await Deno.readTextFile(join(folder, path));
    for (const [, specifier] of text.matchAll(/(?:\bfrom |\bimport\(|\bimport )"(\.[^"]*)\.js"/g)) {
      seen.add(join(dirname(name), specifier!));
    }
    const target = join(OUTPUT.pathname, path);
    await Deno.mkdir(dirname(target), { recursive: true });
    // Before TypeScript 5.7, the type is not generic.
    const declaration = text.replaceAll(
      "Uint8Array<ArrayBuffer>",
      "ReturnType<typeof Uint8Array.of>",
    );
    await Deno.writeTextFile(target, declaration + (/\bNoInfer</.test(text) ? NO_INFER : ""));
  }
}

async function writePackageJson(): Promise<void> {
  const exports = Object.fromEntries(
    Object.keys(ENTRY_POINTS).map((key, index) => [key, {
      types: `./${NAMES[index]}.d.ts`,
      default: `./${NAMES[index]}.js`,
    }]),
  );
  const complete = {
    ...packageMetadata(),
    exports: { ...exports, "./package.json": "./package.json" },
  };
  const text = `${JSON.stringify(complete, null, 2)}\n`;
  await Deno.writeTextFile(new URL("package.json", OUTPUT), text);
}
