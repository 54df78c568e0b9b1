import { delimiter, dirname, resolve } from "node:path";

/** The permissions of Deno that a command needs: the list of each flag such as `--allow-read`, or `true` for no limits. */
export type Permissions = Readonly<
  Record<"read" | "write" | "net" | "run" | "env" | "sys", readonly string[] | true>
>;

/** The flags for `deno run` that grant the permissions and no others. */
export function permissionFlags(permissions: Permissions): string[] {
  const flags = Object.entries(permissions).flatMap(([name, values]) => {
    if (values === true) return [`--allow-${name}`];
    const list = values.map((value) => value.replaceAll(",", ",,")).join();
    return list === "" ? [] : [`--allow-${name}=${list}`]; // the flag without a list grants everything
  });
  return ["--no-prompt", "--quiet", ...flags];
}

/** Whether this process may run any program or load any library, as with `deno run -A`. */
export async function isUnlimited(): Promise<boolean> {
  const names = ["run", "ffi"] as const;
  const states = await Promise.all(names.map((name) => Deno.permissions.query({ name })));
  return states.some(({ state }) => state === "granted");
}

/** The folders of relative paths: the current folder and the folder of the manifest. */
export function foldersOf(manifestPath: string): string[] {
  return [resolve("."), dirname(resolve(manifestPath))];
}

/** The folders of the PATH. */
export function programFolders(): string[] {
  return (Deno.env.get("PATH") ?? "").split(delimiter).filter((folder) => folder !== "");
}

/** The folder of temporary files. */
export function temporaryFolder(): string {
  return Deno.env.get("TMPDIR") ?? Deno.env.get("TEMP") ?? "/tmp";
}
