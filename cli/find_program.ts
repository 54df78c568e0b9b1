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
      if (error instanceof Deno.errors.NotFound) continue;
      if (error instanceof Deno.errors.PermissionDenied) continue; // This user may not read the folder.
      if (error instanceof Deno.errors.NotADirectory) continue;
      if (error instanceof Deno.errors.NotCapable) continue; // This process may not read the folder.
      throw error;
    }
  }
  return undefined;
}
