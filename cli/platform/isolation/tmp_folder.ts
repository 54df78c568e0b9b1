/** The user that functions run as on Lambda. */
export const USER_ID = 993;

/** The group that functions run as on Lambda. */
export const GROUP_ID = 990;

/** The bytes that a function may keep in `/tmp`, as on AWS Lambda. */
export const MAX_TMP = 512 * 1024 * 1024;

/** Makes a folder for `/tmp` that only the function's user can use. On disk, it takes no memory of the machine. */
export async function makeTmp(parent: string): Promise<string> {
  const path = await Deno.makeTempDir({ dir: parent, prefix: "tmp-" });
  if (Deno.uid() === 0) await Deno.chown(path, USER_ID, GROUP_ID);
  return path;
}

/** Counts the bytes on disk of a folder for `/tmp`. */
export async function sizeOfTmp(path: string): Promise<number> {
  const { stdout } = await runAsRoot("du", "-sk", path);
  return Number.parseInt(new TextDecoder().decode(stdout)) * 1024;
}

export async function removeTmp(path: string): Promise<void> {
  await runAsRoot("rm", "-rf", "--", path);
}

/** Runs a program as root, or as root of a user namespace: a function may have made folders that its user cannot enter. */
async function runAsRoot(
  ...[program, ...args]: [string, ...string[]]
): Promise<Deno.CommandOutput> {
  const command = Deno.uid() === 0
    ? new Deno.Command(program, { args })
    : new Deno.Command("unshare", { args: ["--user", "--map-root-user", "--", program, ...args] });
  return await command.output();
}
