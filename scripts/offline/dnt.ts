/** Stand-in for the types of `@deno/dnt`. Without JSR, `build_npm.ts` uses `deno pack` in place of dnt. */

export interface BuildOptions {
  entryPoints: { name: string; path: string }[];
  outDir: string;
  mappings: Record<string, string>;
  skipSourceOutput: boolean;
  shims: Record<string, never>;
  test: boolean;
  scriptModule: false | "cjs" | "umd";
  typeCheck: false | "single" | "both";
  compilerOptions: { target: "ES2022"; lib: ("ES2022" | "DOM" | "DOM.Iterable")[] };
  package: { name: string; version: string };
}

export function build(_options: BuildOptions): Promise<void> {
  throw new Error("Cannot load dnt: its registry cannot be reached");
}
