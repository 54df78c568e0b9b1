/** The part of a source map that is used (ECMA-426). */
interface SourceMap {
  readonly sources: readonly string[];
  /** For each generated line its segments, four numbers each: generated column, source, original line and column. */
  readonly lines: readonly (readonly number[])[];
}

/** A frame of a stack: the text before the path, the path, the line, the column, and the text after it. */
const FRAME = /^([ \t]*at (?:async |.*\()?)(?:file:\/\/)?(\/[^:()]*):(\d+):(\d+)(\)?)$/gm;

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

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

/** Decodes the base64 VLQ numbers of a map. Each number is the difference to the previous number of its kind. */
function decodeMappings(mappings: string): number[][] {
  let [source, line, column] = [0, 0, 0];
  return mappings.split(";").map((segments) => {
    const decoded: number[] = [];
    let generated = 0;
    for (const segment of segments.split(",")) {
      const [generatedStep, sourceStep, lineStep, columnStep] = decodeNumbers(segment);
      if (generatedStep === undefined) continue; // an empty line
      generated += generatedStep;
      if (sourceStep === undefined) {
        decoded.push(generated, -1, 0, 0); // generated code without a source
        continue;
      }
      source += sourceStep;
      line += lineStep!;
      column += columnStep!;
      decoded.push(generated, source, line, column);
    }
    return decoded;
  });
}

function decodeNumbers(segment: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const character of segment) {
    const digit = DIGITS.indexOf(character);
    value |= (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
    value = shift = 0;
  }
  return numbers;
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
