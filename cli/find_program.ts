const { NotCapable, NotADirectory, NotFound, PermissionDenied } = Deno.errors;

/** The errors about a program that is not in a folder, or in a folder that this user or process may not read. */
export const ABSENT = [NotCapable, NotADirectory, NotFound, PermissionDenied];

/** Finds a program in `PATH`. */
export async function findProgram(
  name: string,
  path: string = Deno.env.get("PATH") ?? "",
): Promise<string | undefined> {
  for (const folder of path.split(":")) {
    if (!folder.startsWith("/")) continue;
    try {
      const { isFile, mode } = await Deno.stat(`${folder}/${name}`);
      if (isFile && mode !== null && (mode & 0o111) !== 0) return `${folder}/${name}`;
    } catch (error) {
      if (!ABSENT.some((type) => error instanceof type)) throw error;
    }
  }
  return undefined;
}
