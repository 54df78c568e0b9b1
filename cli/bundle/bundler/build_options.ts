import type { BuildOptions } from "esbuild";
import { DENO } from "./deno_uses.ts";
import type { BundlerOptions, Style, Target } from "../packages/types.ts";
import { SHARED } from "./output.ts";
import { denoPlugin } from "./plugin.ts";
import type { Reading } from "./resolver.ts";
import { LOADERS } from "./loaders.ts";
import { transpile, tsconfigOf } from "./typescript.ts";

/** Options that keep the result in memory. */
export type InMemory = BuildOptions & { readonly metafile: true; readonly write: false };

const OPTIONS = {
  ...SHARED,
  bundle: true,
  loader: LOADERS,
  define: { __dirname: "import.meta.dirname", __filename: "import.meta.filename" },
  mainFields: ["module", "main"],
  metafile: true,
  write: false,
} as const satisfies BuildOptions;

const FOR_NODE = { define: { ...OPTIONS.define, Deno: DENO } };

/** What differs between the runtimes: the syntax, and the conditions of `exports` in `package.json`. */
const TARGETS = {
  deno: { conditions: ["deno"] },
  "nodejs22.x": { ...FOR_NODE, target: "node22", conditions: ["node-addons"] },
  "nodejs24.x": { ...FOR_NODE, target: "node24", conditions: ["node-addons", "module-sync"] },
  "nodejs26.x": { ...FOR_NODE, target: "node26", conditions: ["node-addons", "module-sync"] },
} satisfies Record<Target, BuildOptions>;

/**
 * Makes the options of esbuild for the modules of an application.
 *
 * @param asked The imports that esbuild must not resolve by itself.
 * @param readingOf Returns the module graph for the build that starts.
 */
export function buildOptionsOf(
  options: BundlerOptions,
  { target, isMinified }: Style,
  asked: RegExp,
  readingOf: () => Promise<Reading>,
): InMemory {
  const { folder, compilerOptions, tsconfig } = options;
  const transpiling = compilerOptions?.emitDecoratorMetadata === true
    ? (file: string) => transpile(file, folder)
    : undefined;
  return {
    ...OPTIONS,
    ...TARGETS[target],
    absWorkingDir: folder,
    outdir: folder,
    minify: isMinified,
    ...(compilerOptions ? { tsconfigRaw: tsconfigOf(compilerOptions) } : tsconfig && { tsconfig }),
    plugins: [denoPlugin(options, asked, readingOf, transpiling)],
  };
}
