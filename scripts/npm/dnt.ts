import { build } from "@deno/dnt";
import { DOCUMENTS, ENTRY_POINTS, FOLDERS, OUTPUT, packageMetadata, ROOT } from "./metadata.ts";

/**
 * Builds the npm package with dnt, which runs the modules' tests under Node as well.
 *
 * @throws {Error} If the sources cannot be transformed, or a test fails under Node.
 */
export async function buildWithDnt(): Promise<void> {
  await build({
    entryPoints: Object.entries(ENTRY_POINTS).map(([name, path]) => ({ name, path })),
    outDir: OUTPUT.pathname,
    rootTestDir: ROOT.pathname,
    testPattern: `{${FOLDERS.join(",")}}/**/*_test.ts`,
    shims: { deno: "dev" },
    scriptModule: false,
    declaration: "inline",
    typeCheck: false, // the consumers' own compilers check what comes out
    compilerOptions: { target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"] },
    package: packageMetadata(),
    async postBuild() {
      for (const name of DOCUMENTS) await Deno.copyFile(new URL(name, ROOT), new URL(name, OUTPUT));
    },
  });
}
