/** The part of `SourceMap` of `node:module` that is used. Lines and columns count from 0. */
interface SourceMap {
  /** Finds the last segment before a position, or nothing. On Node.js, it may be on an earlier line. */
  findEntry(line: number, column: number): {
    readonly generatedLine?: number;
    readonly originalSource: string;
    readonly originalLine: number;
    readonly originalColumn: number;
  };
}

/** A frame of a stack: the text before the path, the path, the line, the column, and the text after it. */
const FRAME = /^([ \t]*at (?:async |.*\()?)(?:file:\/\/)?(\/[^:()]*):(\d+):(\d+)(\)?)$/gm;

/**
 * Makes a function that translates the positions in a stack into those of the author's sources.
 *
 * The map of a module is the file beside it whose name has `.map` appended, such as `index.mjs.map`. It is read when a
 * stack first needs it, so it costs nothing at a cold start. Sources are shown by the names that the map gives them. A
 * frame without a map stays as it is.
 *
 * @param root Only modules below this folder have maps.
 * @param readText Reads a file. It returns `undefined` if the file cannot be read.
 */
export function stackMapper(
  root: string,
  readText: (path: string) => string | undefined,
): (stack: string) => string {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (module: string): SourceMap | undefined => {
    if (!maps.has(module)) {
      const text = module.startsWith(`${root}/`) ? readText(`${module}.map`) : undefined;
      maps.set(module, text === undefined ? undefined : parseMap(text));
    }
    return maps.get(module);
  };
  return (stack) =>
    stack.replace(FRAME, (frame, before, path, line, column, after) => {
      const entry = mapOf(decodeURIComponent(path))?.findEntry(line - 1, column - 1);
      if (entry?.generatedLine !== line - 1) return frame;
      const { originalSource, originalLine, originalColumn } = entry;
      return `${before}${originalSource}:${originalLine + 1}:${originalColumn + 1}${after}`;
    });
}

/**
 * Parses a source map. The result is `undefined` if the map is malformed, because a stack that is not translated is better
 * than none. Deno before 2.8 cannot parse any map.
 */
function parseMap(text: string): SourceMap | undefined {
  const { process } = globalThis as unknown as {
    process: {
      getBuiltinModule(name: "node:module"): { SourceMap: new (map: unknown) => SourceMap };
    };
  };
  try {
    return new (process.getBuiltinModule("node:module").SourceMap)(JSON.parse(text));
  } catch {
    return undefined;
  }
}
