import type { Metafile } from "esbuild";
import { basename, dirname, relative, resolve, sep } from "node:path";

/** The folders that a bundle may take files from. The paths have no links. */
export interface Folders {
  /** The folders of the application: the folder of the manifest, and the root of its workspace. */
  readonly application: readonly string[];
  /** The npm packages in Deno's cache. */
  readonly npmCache: string;
  /** Whether an import of JavaScript finds the TypeScript that a compiler makes it of. */
  readonly hasSloppyImports?: boolean | undefined;
}

/**
 * Tells why a module may not import a file. Returns `undefined` if it may.
 *
 * The application may import its own files and the files of packages. A package may import files of packages only, because
 * its author must not get at the developer's files.
 *
 * @param file The file, without links.
 * @param importer The file of the importing module, or `undefined` for the first module of a program.
 */
export function refusal(
  file: string,
  importer: string | undefined,
  folders: Folders,
): string | undefined {
  const name = JSON.stringify(file);
  if (/^\.env($|\.)/.test(basename(file))) {
    return `Cannot bundle ${name}: a file .env may hold secrets; ` +
      `give the function the value in "environment" of the manifest`;
  }
  if (isPackageFile(file, folders)) return undefined;
  if (!folders.application.some((folder) => isInside(file, folder))) {
    const places = folders.application.map((folder) => JSON.stringify(folder)).join(" and ");
    return `Cannot bundle ${name}: it is neither in the application (${places}) nor in its packages; ` +
      "move it there, or make its folder a member of the workspace";
  }
  if (importer === undefined || !isPackageFile(importer, folders)) return undefined;
  return `Cannot bundle ${name}: a package must not import files of the application`;
}

/** Whether a file belongs to a package: in Deno's cache, or in a `node_modules` that the application can import from. */
export function isPackageFile(file: string, { application, npmCache }: Folders): boolean {
  if (isInside(file, npmCache)) return true;
  return application.some((folder) => {
    const [inside = "", ...rest] = file.split(`${sep}node_modules${sep}`);
    if (rest.length === 0) return false;
    if (!isInside(file, folder)) return isInside(folder, inside);
    return relative(folder, file).split(sep).includes("node_modules");
  });
}

/** Whether a path is a folder or is in it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The name of the npm package of a module in a metafile or a source map. */
export function packageNameOf(source: string): string | undefined {
  const [, cached, installed] =
    /^npm:((?:@[^/]+\/)?[^/@]+)@|^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//s.exec(source) ??
      [];
  return cached ?? installed;
}

/** Returns the path without links. */
export function realPath(file: string): string | undefined {
  try {
    return Deno.realPathSync(file);
  } catch {
    return undefined; // The file does not exist, or this process cannot see it.
  }
}

/**
 * Finds the files of the application in a bundle that only others import: packages and remote modules. The metafile of
 * esbuild has a pattern for an import such as `require("./" + name + ".json")`, and does not name the files that it found.
 *
 * @param folder The folder that the metafile's paths are relative to.
 * @param isOwn Whether an input of the bundle is a file of the application.
 */
export function filesOfOthers(
  { inputs, outputs }: Metafile,
  folder: string,
  isOwn: (input: string) => boolean,
): string[] {
  const own = Object.keys(inputs).filter(isOwn);
  const fileOf = (input: string) => input.replace(/ with \{.*$/, "");
  const importsOf = Map.groupBy(own, fileOf);
  const reached = new Set<string>();
  const reach = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const input of importsOf.get(file) ?? []) {
      for (const { path, external } of inputs[input]!.imports) {
        if (!external) reach(fileOf(path));
        else if (path.includes("*")) {
          const [pattern = ""] = /[^/]*\*.*$/.exec(path)!;
          const place = resolve(folder, dirname(file), path.slice(0, -pattern.length));
          const found = realPath(place) ?? place; // A folder that does not exist has no files.
          own.map(fileOf).filter((one) => isMatch(relative(found, resolve(folder, one)), pattern))
            .forEach(reach);
        }
      }
    }
  };
  for (const { entryPoint } of Object.values(outputs)) if (entryPoint) reach(fileOf(entryPoint));
  return [...importsOf.keys()].filter((file) => !reached.has(file));
}

/** Whether a path matches a pattern of esbuild, in which "**" and a slash stand for any folders. */
function isMatch(path: string, pattern: string): boolean {
  const parts = pattern.split(/(\*\*\/|\*)/).map((part) =>
    part === "**/" ? "(?:.*/)?" : part === "*" ? "[^/]*" : RegExp.escape(part)
  );
  return !path.startsWith("..") &&
    new RegExp(`^${parts.join("")}$`, "s").test(path.split(sep).join("/"));
}
