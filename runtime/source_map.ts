/** The part of a source map that is used (ECMA-426). */
interface SourceMap {
  readonly sources: readonly string[];
  /** For each generated line its segments, four numbers each: generated column, source, original line and column. */
  readonly lines: readonly (readonly number[])[];
}

/** A frame of a stack: the text before the path, the path, the line, the column, and the text after it. */
const FRAME = /^([ \t]*at (?:async |.*\()?)(?:file:\/\/)?(\/[^:()]*):(\d+):(\d+)(\)?)$/gm;

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const COMMA = 44;
const SEMICOLON = 59;

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
      const map = mapOf(decodeURIComponent(path));
      const original = map && originalPosition(map, line - 1, column - 1);
      return original ? `${before}${original}${after}` : frame;
    });
}

/** Parses a source map. A malformed map gives `undefined`, because a stack without a map is better than none. */
function parseMap(text: string): SourceMap | undefined {
  try {
    const { sources, sourceRoot = "", mappings } = JSON.parse(text);
    return {
      sources: sources.map((source: string) => sourceRoot + source),
      lines: decodeMappings(mappings),
    };
  } catch {
    return undefined;
  }
}

/**
 * Decodes the base64 VLQ numbers of a map. Each number is the difference to the previous number of its kind. The loop
 * makes no object for each segment, because the map of a large bundle has hundreds of thousands of them.
 */
function decodeMappings(mappings: string): number[][] {
  const digits = new Uint8Array(128);
  for (let value = 0; value < 64; value++) digits[DIGITS.charCodeAt(value)] = value;
  let line: number[] = [];
  const lines = [line];
  const position = [0, 0, 0, 0, 0]; // generated column, source, original line and column, name
  let count = 0; // of numbers in this segment
  let value = 0;
  let shift = 0;
  for (let index = 0; index <= mappings.length; index++) {
    const character = mappings.charCodeAt(index); // NaN at the end
    if (character !== COMMA && character !== SEMICOLON && index < mappings.length) {
      const digit = digits[character]!;
      value |= (digit & 31) << shift;
      shift += 5;
      if (digit & 32) continue;
      position[count++]! += value & 1 ? -(value >>> 1) : value >>> 1;
      value = shift = 0;
      continue;
    }
    // A segment of one number is generated code without a source.
    if (count > 0) {
      const source = count === 1 ? -1 : position[1]!;
      line.push(position[0]!, source, position[2]!, position[3]!);
    }
    count = 0;
    if (character !== SEMICOLON) continue;
    position[0] = 0;
    lines.push(line = []);
  }
  return lines;
}

/** Finds the last segment at or before a generated position. */
function originalPosition(map: SourceMap, line: number, column: number): string | undefined {
  const segments = map.lines[line] ?? [];
  let low = 0;
  let high = segments.length / 4;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (segments[middle * 4]! <= column) low = middle + 1;
    else high = middle;
  }
  const [, source, originalLine, originalColumn] = segments.slice(low * 4 - 4, low * 4);
  const name = source === undefined ? undefined : map.sources[source];
  return name === undefined ? undefined : `${name}:${originalLine! + 1}:${originalColumn! + 1}`;
}
