import { delimiter, isAbsolute, relative, resolve, sep } from "node:path";

const { NotCapable, NotADirectory, NotFound, PermissionDenied } = Deno.errors;

/** The errors about a program that is not in a folder, or in a folder that this user or process may not read. */
export const ABSENT = [NotCapable, NotADirectory, NotFound, PermissionDenied];

/** The folders of applications. The programs there never run. */
const applications = new Set<string>();

/** Says that a folder is an application. So the tool runs no program that lies there. */
export function ignorePrograms(application: string): void {
  applications.add(resolve(application));
}

/**
 * The folders of `PATH` from which the tool runs programs: those that neither a package nor a clone can fill. `npx`, `npm run`
 * and `deno task` put the programs of packages first in `PATH`. A relative folder is another one in each working folder.
 */
export function programFolders(path: string = Deno.env.get("PATH") ?? ""): string[] {
  const outside = [...applications].flatMap((folder) => [folder, realPath(folder) ?? folder]);
  return path.split(delimiter).filter((folder) => {
    if (!isAbsolute(folder)) return false;
    const real = realPath(folder);
    if (real === undefined) return false;
    return [resolve(folder), real].every((one) =>
      !one.split(sep).includes("node_modules") && !outside.some((other) => isBelow(one, other))
    );
  });
}

/** The `PATH` for the programs that the tool starts, and for those that they start. */
export function programPath(): string {
  return programFolders().join(delimiter);
}

/** Finds a program in the folders of {@linkcode programFolders}. */
export async function findProgram(name: string, path?: string): Promise<string | undefined> {
  for (const folder of programFolders(path)) {
    try {
      const { isFile, mode } = await Deno.stat(`${folder}/${name}`);
      if (isFile && mode !== null && (mode & 0o111) !== 0) return `${folder}/${name}`;
    } catch (error) {
      if (!ABSENT.some((type) => error instanceof type)) throw error;
    }
  }
  return undefined;
}

/**
 * Prepares a program, which gets the `PATH` of {@linkcode programPath}. A name without a folder is looked up there only. All
 * programs of the tool start here.
 */
export function prepare(program: string, options: Deno.CommandOptions = {}): Deno.Command {
  const { env, clearEnv = false } = options;
  return new Deno.Command(program, {
    ...options,
    env: { ...(clearEnv ? {} : { PATH: programPath() }), ...env },
  });
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep)[0] !== "..";
}

function realPath(folder: string): string | undefined {
  try {
    return Deno.realPathSync(folder);
  } catch (error) {
    if (ABSENT.some((type) => error instanceof type)) return undefined;
    throw error;
  }
}
