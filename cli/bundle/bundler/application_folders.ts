import { parse } from "jsonc-parser";
import { dirname, join, matchesGlob, relative, resolve } from "node:path";
import { isInside } from "../packages/access.ts";
import { CONFIGS, DENO_CONFIGS } from "../../programs/find_program.ts";
import type { Inputs } from "../packages/types.ts";

/** The application that a folder belongs to. */
export interface ApplicationFolders {
  /** The folder of the manifest, its project, and the root of its workspace. */
  readonly folders: readonly string[];
  /** Those of `links` that lie outside the folder of the manifest. */
  readonly linked: readonly string[];
  /** The folders `node_modules` that the application can import packages from. They may not exist. */
  readonly packages: readonly string[];
  /** Whether the packages are those in `node_modules`, and not those of Deno's cache. */
  readonly hasNodeModules: boolean;
  /** Whether the nearest configuration is a `package.json`, and not one of Deno. */
  readonly isNodeProject: boolean;
  /** The `compilerOptions` of the nearest configuration of Deno that has any. */
  readonly compilerOptions?: Readonly<Record<string, unknown>> | undefined;
  /** The nearest `tsconfig.json` of the application. It counts if no configuration of Deno has options. */
  readonly tsconfig?: string | undefined;
}

/**
 * Finds the folders of the application: the folder of the manifest, the nearest folder above it with a `deno.json` or a
 * `package.json`, and the root of the workspace (of Deno, npm, Yarn, Bun or pnpm) if the folder of the manifest is a member of
 * the workspace, or lies in a member. The `links` of `deno.json` are folders of the
 * application, too. The user's home folder and the folders above it do not count, even if they have a `package.json`.
 *
 * @param folder The folder of the manifest, without links.
 * @param texts The texts of {@linkcode readTexts}.
 * @throws {Error} If one of `links` leads to the home folder, to a folder that contains it, or to a folder without a project.
 */
export async function findApplication(
  folder: string,
  texts?: ConfigurationTexts["texts"],
): Promise<ApplicationFolders> {
  const above = foldersAbove(folder);
  const configuration = texts ?? (await readTexts(folder)).texts;
  const parsed = (path: string) => parse(configuration.get(path) ?? "{}") ?? {};
  const root = above.find((candidate) => {
    const members = membersOf(candidate, parsed);
    const inner = above.slice(0, above.indexOf(candidate)).map((path) => relative(candidate, path));
    members.push(...pnpmMembers(configuration.get(join(candidate, "pnpm-workspace.yaml")) ?? ""));
    return inner.some((path) => members.some((member) => isMatch(path, member)));
  });
  const has = (candidate: string, name: string) =>
    configuration.get(join(candidate, name)) !== undefined;
  const hasDenoConfig = (candidate: string) => DENO_CONFIGS.some((name) => has(candidate, name));
  const project = above.find((candidate) =>
    hasDenoConfig(candidate) || has(candidate, "package.json")
  );
  const isHome = project !== undefined && isInside(Deno.env.get("HOME") ?? "", project);
  const linked = new Set<string>();
  const folders = new Set([
    folder,
    ...(project && !isHome ? [project] : []),
    ...(root ? [root] : []),
  ]);
  const considered = root === undefined ? above : above.slice(0, above.indexOf(root) + 1);
  const configs = considered.flatMap((candidate) =>
    DENO_CONFIGS.map((name) => join(candidate, name))
      .map((config) => ({ config, ...parsed(config) }))
  );
  for (const { config, links } of configs) {
    for (const link of Array.isArray(links) ? links : []) {
      const path = await linkedFolder(config, String(link));
      folders.add(path);
      if (!isInside(path, folder)) linked.add(path);
    }
  }
  return {
    folders: [...folders],
    linked: [...linked],
    packages: above.map((path) => join(path, "node_modules")),
    hasNodeModules: configs.some(({ nodeModulesDir }) => nodeModulesDir === "manual") ||
      configs.every(({ nodeModulesDir }) => nodeModulesDir === undefined) &&
        considered.some((path) => has(path, "package.json")),
    isNodeProject: project !== undefined && !hasDenoConfig(project),
    compilerOptions: configs.find(({ compilerOptions }) => compilerOptions)?.compilerOptions,
    tsconfig: above.filter((path) => [...folders].some((own) => isInside(path, own)))
      .map((path) => join(path, "tsconfig.json"))
      .find((path) => configuration.get(path) !== undefined),
  };
}

/** The files that decide how modules are resolved. */
export interface ConfigurationTexts {
  /** The texts of the files; `undefined` for one that does not exist, or that this process may not read. */
  readonly texts: ReadonlyMap<string, string | undefined>;
  /** The files, and the packages in `node_modules`. */
  readonly inputs: Inputs;
}

/** Reads the configuration in a folder and above it. A folder above the application may be forbidden, so that nothing in it counts. */
export async function readTexts(folder: string): Promise<ConfigurationTexts> {
  const texts = new Map<string, string | undefined>();
  const files = new Set<string>();
  const read = async (path: string) => {
    const text = await Deno.readTextFile(path).catch((error) => error as Error);
    if (!(text instanceof Deno.errors.NotCapable)) files.add(path);
    texts.set(path, typeof text === "string" ? text : undefined);
    return texts.get(path);
  };
  const above = foldersAbove(folder);
  for (const candidate of above) {
    for (const name of [...CONFIGS, "deno.lock", "tsconfig.json", ".npmrc"]) {
      const text = await read(join(candidate, name));
      const { importMap } = DENO_CONFIGS.includes(name) && text ? parse(text) ?? {} : {};
      if (typeof importMap === "string") await read(resolve(candidate, importMap));
    }
    for (const name of STATES) files.add(join(candidate, "node_modules", name));
  }
  const names = above.map((path) => [join(path, "node_modules"), ""] as const);
  return { texts, inputs: { files: [...files], versions: [], names, paths: [folder] } };
}

/** The files in `node_modules` in which npm, pnpm, Yarn and Bun note what they have installed. */
export const STATES: readonly string[] = [
  ".package-lock.json",
  ".modules.yaml",
  ".yarn-state.yml",
  ".yarn-integrity",
];

/** Returns a folder, and all folders above it. */
export function foldersAbove(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)];
}

interface Config {
  readonly workspace?: unknown;
  readonly workspaces?: unknown;
  readonly links?: unknown;
  readonly nodeModulesDir?: unknown;
  readonly compilerOptions?: Readonly<Record<string, unknown>>;
}

/** The members of the workspace that a folder is the root of. */
function membersOf(folder: string, parsed: (path: string) => Config): string[] {
  const members = [...DENO_CONFIGS, "package.json"].flatMap((name) => {
    const { workspace, workspaces } = parsed(join(folder, name));
    return [workspace, workspaces].flatMap((value) => {
      const { members, packages } = (value ?? {}) as { members?: unknown; packages?: unknown };
      return [members, packages, value].find(Array.isArray) ?? [];
    });
  });
  return members.filter((member) => typeof member === "string");
}

/** The members of a workspace of pnpm. */
function pnpmMembers(yaml: string): string[] {
  const [, list = ""] = /^packages:[ \t]*\r?\n((?:[ \t]*(?:-.*|#.*)?\r?\n?)*)/m.exec(yaml) ?? [];
  return Array.from(list.matchAll(/^[ \t]*-[ \t]*["']?([^"'#\s]+)/gm), ([, member]) => member!);
}

function isMatch(path: string, member: string): boolean {
  return matchesGlob(path.replaceAll("\\", "/"), member.replace(/^\.\//, "").replace(/\/$/, ""));
}

/** Checks a folder of `links`, because it may stand in the configuration of a clone. Returns the folder without links. */
async function linkedFolder(config: string, link: string): Promise<string> {
  // A folder that does not exist, or that this program may not see, is reported with the import.
  const realPath = (path: string) => Deno.realPath(path).catch(() => path);
  const path = await realPath(resolve(dirname(config), link));
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  const isHome = home && [home, await realPath(home)].some((one) => isInside(one, path));
  const isProject = [...DENO_CONFIGS, "package.json"].map((name) =>
    Deno.stat(join(path, name)).then(({ isFile }) => isFile, () => false)
  );
  const reason = isHome
    ? "it is your home folder, or contains it"
    : (await Promise.all(isProject)).includes(true)
    ? undefined
    : "it has no deno.json and no package.json";
  if (reason === undefined) return path;
  throw new Error(
    `Cannot use "${link}" in "links" of "${config}": ${reason}; name the folder of a project, or remove the link`,
  );
}
