import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

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

/**
 * The folder of the manifest.
 *
 * @throws {Error} If the folder contains the user's home. Then packages could read the keys there.
 */
export function applicationFolder(manifestPath: string): string {
  const folder = dirname(resolve(manifestPath));
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  if (home && isInside(home, folder)) {
    throw new Error(
      `Cannot work with the keys of your cloud in "${folder}": the folder contains your home folder, ` +
        "so packages could read your files; move the application into its own folder",
    );
  }
  return folder;
}

/** Tells whether a path is a folder or is in it, with links or without. */
export function isInside(path: string, folder: string): boolean {
  const [paths, folders] = [path, folder].map((name) => [resolve(name), withoutLinks(name)]);
  return paths!.some((inner) =>
    folders!.some((outer) => {
      const way = relative(outer, inner);
      return !isAbsolute(way) && way.split(/[/\\]/)[0] !== "..";
    })
  );
}

/** Resolves the links of a path whose last parts may not exist. */
function withoutLinks(path: string): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  return join(withoutLinks(dirname(absolute)), basename(absolute));
}
