import { dirname, join } from "node:path/posix";
import { build } from "esbuild";
import { DOCUMENTS, ENTRY_POINTS, OUTPUT, packageMetadata, ROOT } from "./metadata.ts";

/** The name of an entry point's file in the package, without its ending. */
const NAMES = Object.values(ENTRY_POINTS).map((path) => path.replace(/^\.\/|\.ts$/g, ""));

/**
 * Makes the package from a folder with the modules that dnt built. It has few files of code, because they load faster.
 */
export async function finish(folder: string): Promise<void> {
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
  await copyDeclarations(folder);
  for (const name of DOCUMENTS) await Deno.copyFile(new URL(name, ROOT), new URL(name, OUTPUT));
  await writePackageJson();
}

/** Copies the declarations of the entry points, and the declarations that they import. */
async function copyDeclarations(folder: string): Promise<void> {
  const seen = new Set(NAMES);
  for (const name of seen) { // the set grows meanwhile
    const path = `${name}.d.ts`;
    const text = await Deno.readTextFile(join(folder, path)).catch((cause) => {
      throw new Error(`Cannot copy the declarations: "${path}" is not built`, { cause });
    });
    for (const [, specifier] of text.matchAll(/(?:\bfrom |\bimport\(|\bimport )"(\.[^"]*)\.js"/g)) {
      seen.add(join(dirname(name), specifier!));
    }
    const target = join(OUTPUT.pathname, path);
    await Deno.mkdir(dirname(target), { recursive: true });
    const declaration = text.replace(/^\/\/# sourceMappingURL=.*\n?/m, "")
      .replaceAll("Uint8Array<ArrayBuffer>", "ReturnType<typeof Uint8Array.of>"); // before TypeScript 5.7, not generic
    await Deno.writeTextFile(target, declaration);
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
