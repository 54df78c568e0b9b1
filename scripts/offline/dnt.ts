/** Stand-in for the types of `@deno/dnt`, which has no substitute: `build_npm.ts` takes another way without it. */

export interface BuildOptions {
  entryPoints: { name: string; path: string }[];
  outDir: string;
  rootTestDir?: string;
  testPattern?: string;
  importMap?: string;
  mappings?: Record<string, string>;
  skipSourceOutput?: boolean;
  shims: { deno?: boolean | "dev" };
  scriptModule?: false | "cjs" | "umd";
  declaration?: "inline" | "separate" | false;
  typeCheck?: false | "single" | "both";
  compilerOptions?: { target?: "ES2022"; lib?: ("ES2022" | "DOM" | "DOM.Iterable")[] };
  package: { name: string; version: string; [key: string]: unknown };
  postBuild?: () => void | Promise<void>;
}

export function build(_options: BuildOptions): Promise<void> {
  throw new Error("Cannot load dnt: its registry cannot be reached");
}
