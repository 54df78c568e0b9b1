import type { Metafile } from "esbuild";
import { dirname, resolve } from "node:path";

/**
 * Makes the stamps of the files in a bundle, and of the `package.json` of each. Files in Deno's cache have none, because
 * they do not change.
 *
 * @param folder The folder that the metafile's paths are relative to.
 * @param begin The time at which the bundle was begun. A file that changed since then gets a stamp that equals no other.
 */
export function stampsOf(
  { inputs }: Metafile,
  folder: string,
  begin: number,
): ReadonlyMap<string, string> {
  const files = Object.keys(inputs).filter((input) => !/^\w+:/.test(input))
    .map((input) => resolve(folder, input.replace(/ with \{.*$/, "")));
  return new Map([...files, ...manifestsOf(files)].map((file) => [file, stampOf(file, begin)]));
}

/** Finds the nearest `package.json` of each file. It decides which files of a package are imported. */
function manifestsOf(files: readonly string[]): ReadonlySet<string> {
  const manifests = new Set<string>();
  const seen = new Set<string>();
  for (const file of files) {
    for (let folder = dirname(file); !seen.has(folder); folder = dirname(folder)) {
      seen.add(folder);
      const manifest = resolve(folder, "package.json");
      if (statOf(manifest) === undefined) continue;
      manifests.add(manifest);
      break;
    }
  }
  return manifests;
}

/** Tells versions of a file apart. The stamp of a file that is gone, or has changed since a time, equals no other stamp. */
export function stampOf(file: string, since = Infinity): string {
  const info = statOf(file);
  const time = info?.mtime?.getTime() ?? since;
  // The clock of the file system may be some milliseconds late.
  return info && time < since - 10 ? `${time} ${info.size} ${info.ino}` : crypto.randomUUID();
}

/** Returns `undefined` if the file does not exist, or if this process may not see it. */
function statOf(file: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(file);
  } catch {
    return undefined;
  }
}
