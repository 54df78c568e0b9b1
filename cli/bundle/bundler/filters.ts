import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Folders, isPackageFile, realPath, refusal } from "../packages/access.ts";
import type { Graph } from "../packages/graph.ts";

/**
 * Makes the pattern of the imports that esbuild must not resolve by itself: those by a name or a URL, and those relative imports
 * of the application that do not mean the file at that place, because of an import map, a link or a problem.
 */
export function importsToResolve({ modules }: Graph, folders: Folders): RegExp {
  const known = new Map(modules.map((module) => [module.specifier, module]));
  const others = new Set<string>();
  for (const { specifier: importer, dependencies = [] } of modules) {
    if (!importer.startsWith("file:")) continue;
    const file = fileURLToPath(importer);
    if (isPackageFile(file, folders)) continue;
    const isLink = realPath(file) !== file;
    for (const { specifier: path, code } of dependencies) {
      if (code === undefined || !path.startsWith(".") || others.has(path)) continue;
      const place = join(dirname(file), path);
      const isPlain = !isLink && code.specifier?.startsWith("file:") &&
        fileURLToPath(code.specifier) === place && realPath(place) === place &&
        known.get(code.specifier)?.error === undefined &&
        refusal(place, file, folders) === undefined;
      if (!isPlain) others.add(path);
    }
  }
  return new RegExp(`^(?:[^.]|(?:${[...others].map(escape).join("|") || NOTHING})$)`);
}

/**
 * Makes the pattern of the files that `refusal()` has to decide on: all but those in the folders that the application may import
 * from. The patterns of esbuild know no negation, so it lists the letters with which a path leaves the ways to the folders.
 */
export function filesToRefuse({ application, npmCache }: Folders): RegExp {
  const starts = new Set([npmCache, ...application].map((folder) => folder + sep));
  for (const own of application) {
    for (let folder = own; folder !== dirname(folder); folder = dirname(folder)) {
      starts.add(join(folder, "node_modules", sep));
    }
  }
  const outside = (rests: readonly string[]): string => {
    if (rests.includes("")) return NOTHING;
    const ways = Map.groupBy(rests, ([letter]) => letter!);
    const inside = Array.from(
      ways,
      ([letter, paths]) =>
        `${escape(letter)}(?:${outside(paths.map((path) => path.slice(letter.length)))})`,
    );
    return ["$", `[^${[...ways.keys()].map(escape).join("")}]`, ...inside].join("|");
  };
  return new RegExp(`^(?:${outside([...starts])})|[/\\\\]\\.[eE][nN][vV](?:\\.[^/\\\\]*)?$`);
}

/** A pattern that no text matches. */
const NOTHING = "a^";

/** Escapes a text for patterns of JavaScript and of Go. */
function escape(text: string): string {
  return text.replace(/[^\w/\x80-\u{10ffff}]/gu, "\\$&");
}
