import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../packages/access.ts";
import type { PlacedPackage } from "./layout.ts";

/** A file of a package, before it is read. */
export interface PackageFile {
  /** The path in the zip. */
  readonly path: string;
  /** The file, without links. */
  readonly file: string;
  readonly isExecutable: boolean;
  /** Tells versions of the file apart. */
  readonly stamp: string;
}

/** What Node.js does not need at run time: what add-ons are built of, type declarations, secrets, and notes of Deno. */
const UNNEEDED_FILE =
  /^(?:\.env(?:\..*)?|\.scripts-.*|Makefile|.*\.(?:[acho]|cc|cpp|cxx|hh|hpp|d|d\.[cm]?ts|gyp|gypi|lib|mk|obj|pdb|tsbuildinfo))$/;
const UNNEEDED_FOLDERS: readonly string[] = [".deps", ".git", "node_gyp_bins", "obj", "obj.target"];

/**
 * Lists the files of a package that are copied into a zip. The packages in its own `node_modules` are not among them.
 *
 * @throws {Error} If a link leads out of the package, or a name cannot be a part of a path on every system.
 */
export function filesOf({ name, path, folder }: PlacedPackage): PackageFile[] {
  const refuse = (inside: string, reason: string) => {
    const place = JSON.stringify(inside);
    return new Error(`Cannot copy the package "${name}": ${place} ${reason}; install it again`);
  };
  const list = (inside: string): PackageFile[] =>
    readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
      const own = inside === "" ? entry.name : `${inside}/${entry.name}`;
      if (entry.isDirectory()) {
        const isNeeded = !UNNEEDED_FOLDERS.includes(entry.name) && own !== "node_modules";
        return isNeeded ? list(own) : [];
      }
      if (UNNEEDED_FILE.test(entry.name)) return [];
      if (/[\\\p{Cc}]/u.test(own)) throw refuse(own, "is not the name of a file");
      const file = entry.isSymbolicLink() ? targetOf(join(folder, own)) : join(folder, own);
      if (file === undefined || !isInside(file, folder)) {
        throw refuse(own, "is a link that leads out of the package");
      }
      const { mode, size, mtimeMs, ctimeMs, ino } = statSync(file);
      if (!lstatSync(file).isFile()) throw refuse(own, "is not a file");
      const stamp = `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
      return [{ path: `${path}/${own}`, file, isExecutable: (mode & 0o111) !== 0, stamp }];
    });
  return list("");
}

function targetOf(link: string): string | undefined {
  try {
    return realpathSync(link);
  } catch {
    return undefined; // It leads to nothing, or to what this process cannot see.
  }
}
