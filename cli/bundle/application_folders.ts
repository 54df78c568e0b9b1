import { parse } from "jsonc-parser";
import { dirname, join, matchesGlob, relative } from "node:path";
import { DENO_CONFIGS } from "./child_environment.ts";

/** The application that a folder belongs to. */
export interface ApplicationFolders {
  /** The folder of the manifest, and the root of its workspace if the folder is a member of one. */
  readonly folders: readonly string[];
  /** The folders `node_modules` that the application can import packages from. They may not exist. */
  readonly packages: readonly string[];
  /** The `compilerOptions` of the nearest configuration of Deno that has any. */
  readonly compilerOptions?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Finds the folders of the application: the folder of the manifest, and the root of the workspace (of Deno, npm, Yarn, Bun or
 * pnpm) if the folder of the manifest is a member of the workspace, or lies in a member.
 *
 * @param folder The folder of the manifest, without links.
 */
export async function findApplication(folder: string): Promise<ApplicationFolders> {
  const above = foldersAbove(folder);
  let root: string | undefined;
  let compilerOptions: ApplicationFolders["compilerOptions"];
  for (const candidate of above) {
    for (const name of DENO_CONFIGS) {
      compilerOptions ??= parse(await readIfAllowed(join(candidate, name)) ?? "{}")
        ?.compilerOptions;
    }
    const members = await membersOf(candidate);
    const inner = above.slice(0, above.indexOf(candidate)).map((path) => relative(candidate, path));
    const isMember = inner.some((path) => members.some((member) => isMatch(path, member)));
    if (isMember) {
      root = candidate;
      break;
    }
  }
  return {
    folders: root === undefined ? [folder] : [folder, root],
    packages: above.map((path) => join(path, "node_modules")),
    compilerOptions,
  };
}

function foldersAbove(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)];
}

/** Reads the members of the workspace that a folder is the root of. */
async function membersOf(folder: string): Promise<string[]> {
  const members: unknown[] = [];
  for (const name of [...DENO_CONFIGS, "package.json"]) {
    const { workspace, workspaces } = parse(await readIfAllowed(join(folder, name)) ?? "{}") ?? {};
    for (const value of [workspace, workspaces]) {
      members.push(...[value?.members, value?.packages, value].find(Array.isArray) ?? []);
    }
  }
  const pnpm = await readIfAllowed(join(folder, "pnpm-workspace.yaml")) ?? "";
  const [, list = ""] = /^packages:[ \t]*\r?\n((?:[ \t]*(?:-.*|#.*)?\r?\n?)*)/m.exec(pnpm) ?? [];
  for (const [, member] of list.matchAll(/^\s*-\s*["']?([^"'#\s]+)/gm)) members.push(member);
  return members.filter((member) => typeof member === "string");
}

function isMatch(path: string, member: string): boolean {
  return matchesGlob(path.replaceAll("\\", "/"), member.replace(/^\.\//, "").replace(/\/$/, ""));
}

/** Reads a file. A folder above the application may be forbidden, so that nothing in it counts. */
async function readIfAllowed(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch {
    return undefined;
  }
}
