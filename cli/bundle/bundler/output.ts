import { type BuildOptions, type Metafile, transform, type TransformOptions } from "esbuild";
import type { Output } from "../packages/types.ts";

/** The options for JavaScript that bundling and minifying share. */
export const SHARED = {
  format: "esm",
  platform: "node",
  target: "esnext",
  // V8 has no decorators.
  supported: { decorators: false },
  keepNames: true,
  sourcemap: "external",
  sourcesContent: false,
  logLevel: "silent",
  charset: "utf8",
} as const satisfies BuildOptions & TransformOptions;

/** What one module takes of a result of esbuild. */
export interface Part {
  readonly metafile: Metafile;
  readonly outputFiles: readonly { readonly path: string; readonly text: string }[];
}

/** Takes the bundle from a result of esbuild. */
export function bundleOf({ outputFiles, metafile }: Part): Output {
  const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))!.text;
  const [, output] = Object.entries(metafile.outputs).find(([path]) => path.endsWith(".js"))!;
  const bundle = withRequire(asNodeImports(textOf(".js")), textOf(".js.map"));
  const isCommonJs = metafile.inputs[output.entryPoint!]?.format === "cjs";
  return isCommonJs ? bundle : { ...bundle, exports: output.exports };
}

/**
 * Lets the default import of a CommonJS module be its `module.exports`, as in Deno and in Node.js. esbuild would take
 * `exports.default` of modules that a compiler made. The length stays the same for the source map. A
 * match begins at the start of a word, because a word may have megabytes.
 */
function asNodeImports(code: string): string {
  return code.replace(
    /\b\w+\s*\|\|\s*!(\w+)\s*\|\|\s*!\1\.__esModule\s*\?/,
    (condition) => `${"1".padEnd(condition.length - 1)}?`,
  );
}

/** The line that gives CommonJS modules a `require` for modules of Node.js. */
export const REQUIRE_LINE = 'import{createRequire as __createRequire}from"node:module";' +
  "var require=__createRequire(import.meta.url);\n";

function withRequire(code: string, map: string): { code: string; map: string } {
  if (!code.includes("Dynamic require of")) return { code, map };
  return { code: REQUIRE_LINE + code, map: map.replace('"mappings": "', '"mappings": ";') };
}

/** Minifies a bundle that must keep its declarations. */
export async function minify({ code, map, exports }: Output): Promise<Output> {
  const comment = `//# sourceMappingURL=data:application/json;base64,${
    new TextEncoder().encode(map).toBase64()
  }`;
  const result = await transform(`${code}\n${comment}`, {
    ...SHARED,
    minify: true,
    keepNames: false, // The names are kept already.
    legalComments: "eof",
  });
  return { code: result.code, map: result.map, ...(exports && { exports }) };
}
