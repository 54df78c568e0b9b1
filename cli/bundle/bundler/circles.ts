import { decode } from "@jridgewell/sourcemap-codec";
import type { Metafile } from "esbuild";

/**
 * Finds the modules that import each other in a circle. In JavaScript, such a module throws if it reads a value of another
 * module before that value is there.
 *
 * @param isOwn Whether a module counts. The circles of packages work, because they were published.
 */
export function findCircles(
  { inputs }: Metafile,
  isOwn: (input: string) => boolean,
): ReadonlySet<string> {
  const importsOf = (input: string) =>
    (inputs[input]?.imports ?? []).filter(({ kind, path }) =>
      kind === "import-statement" && isOwn(path)
    );
  const circular = new Set<string>();
  const done = new Set<string>();
  /** The modules from the entry point to the current module. */
  const path: string[] = [];
  const lowest = new Map<string, number>();
  const visit = (input: string): number => {
    const place = path.push(input) - 1;
    lowest.set(input, place);
    for (const { path: next } of importsOf(input)) {
      if (done.has(next)) continue;
      const reached = lowest.has(next) ? lowest.get(next)! : visit(next);
      lowest.set(input, Math.min(lowest.get(input)!, reached));
    }
    const own = lowest.get(input)!;
    if (own === place) {
      const members = path.splice(place);
      if (members.length > 1) members.forEach((member) => circular.add(member));
      members.forEach((member) => done.add(member));
    }
    return own;
  };
  for (const input of Object.keys(inputs)) if (isOwn(input) && !done.has(input)) visit(input);
  return circular;
}

/**
 * Restores the declarations of circular modules. esbuild makes `var` of every `const`, `let` and `class` at the top of a
 * module. Then a module that reads a value too early gets `undefined`, while it throws without a bundle.
 *
 * @param code The bundle. It is not minified, so that every declaration starts a line.
 * @param map The source map. It tells the word that a declaration began with. The new words are as long as the old words.
 * @param textOf Returns the text of a circular module by its name in the map, and `undefined` for all other modules.
 */
export function restoreDeclarations(
  code: string,
  map: string,
  textOf: (source: string) => string | undefined,
): string {
  const { sources, mappings } = JSON.parse(map);
  const positions = decode(mappings);
  const texts = new Map<string, string[] | undefined>();
  const linesOf = (source: string) => {
    if (!texts.has(source)) texts.set(source, textOf(source)?.split("\n"));
    return texts.get(source);
  };
  return code.split("\n").map((line, index) => {
    const [column, source, sourceLine, sourceColumn] = positions[index]?.[0] ?? [];
    if (!line.startsWith("var ") || column !== 0 || source === undefined) return line;
    const word = linesOf(sources[source])?.[sourceLine!]?.slice(sourceColumn) ?? "";
    return /^(const|let|class|export default)\b/.test(word) ? line.replace("var", "let") : line;
  }).join("\n");
}
