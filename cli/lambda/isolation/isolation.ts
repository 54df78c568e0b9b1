/**
 * Keeps the process of a function apart from the machine, as far as the machine allows.
 *
 * @module
 */

import { findProgram } from "../../find_program.ts";

/** The user of the functions on AWS Lambda. */
export const USER_ID = 993;

/** The group of the functions on AWS Lambda. */
export const GROUP_ID = 990;

export interface Folders {
  /** The unpacked function. It is read-only at `/var/task` if the machine allows it. */
  readonly task: string;
  /** The unpacked layer. It is read-only at `/opt` if the machine allows it. */
  readonly layer: string;
  /** The Deno to mount at `bin/deno` of the layer. The default is the Deno in the layer. */
  readonly deno?: string | undefined;
  /** The folder for the code that Deno compiles, for plain folders only. The default is `/tmp/deno`. */
  readonly cache?: string | undefined;
  readonly tmp: string;
}

/** A way to keep processes apart from the machine. */
export interface Isolation {
  readonly kind: "root namespace" | "user namespace" | "plain folders";
  readonly description: string;
  /** Returns the paths of the folders as the process sees them. */
  place(folders: Folders): { readonly task: string; readonly layer: string; readonly tmp: string };
  command(
    folders: Folders,
    program: readonly [string, ...string[]],
    environment: Readonly<Record<string, string>>,
  ): IsolatedCommand;
}

export interface IsolatedCommand {
  readonly path: string;
  /** The arguments, the environment, the working folder and the user. */
  readonly options: Deno.CommandOptions;
}

const NAMESPACE =
  "read-only /var/task and /opt, a private /tmp, an unprivileged user, only Lambda's environment variables";

/**
 * Finds the best isolation that this machine allows.
 *
 * @throws {Error} On Windows, because `/tmp`, `/opt` and `/var/task` do not exist there.
 */
export async function detectIsolation(): Promise<Isolation> {
  if (Deno.build.os === "windows") {
    throw new Error(
      "Cannot run functions on Windows: use the Windows Subsystem for Linux, where they run as in the cloud",
    );
  }
  if (Deno.build.os !== "linux") return plainFolders(`${Deno.build.os} has no mount namespaces`);
  const unshare = await findProgram("unshare");
  const setpriv = await findProgram("setpriv");
  if (unshare === undefined || setpriv === undefined) {
    const missing = unshare === undefined ? "unshare" : "setpriv";
    return plainFolders(`"${missing}" of util-linux is not installed`, setpriv);
  }
  const candidate = namespace(unshare, Deno.uid() === 0);
  const problem = await tryOut(candidate);
  return problem === undefined ? candidate : plainFolders(problem, setpriv);
}

/** Runs a short script in an isolation. Returns the problem, or `undefined` if it works. */
async function tryOut(isolation: Isolation): Promise<string | undefined> {
  const folder = await Deno.makeTempDir({ prefix: "mate-isolation-" });
  try {
    await Deno.chmod(folder, 0o755);
    const tmp = await makeTmp(folder);
    const { path, options } = isolation.command({ task: folder, layer: folder, tmp }, [
      "/bin/sh",
      "-c",
      "test ! -w /var/task && test -w /tmp && test ! -w /opt",
    ], {});
    const { success, stderr } = await new Deno.Command(path, {
      ...options,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    if (success) return undefined;
    const [line] = new TextDecoder().decode(stderr).trim().split("\n");
    return `this machine refuses a mount namespace${line ? ` (${line})` : ""}`;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * The script mounts the folders in a new mount namespace and then starts the program.
 *
 * The arguments are the PATH of the caller, a table of the mounts, `root` or `user`, and the program. One `mount` reads the
 * whole table, because each program that the script starts takes more than a millisecond. Each `exec` keeps the identifier of
 * the process, because the caller knows it. The system kills the program with its parent, so that no process is left behind.
 */
const SCRIPT = `set -eu
path=\${PATH-}
PATH=$1
table=$2
kind=$3
shift 3
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs /mnt
mkdir /mnt/task /mnt/runtime /mnt/lang
printf %s "$table" >/mnt/table
mount --all --fstab /mnt/table
: >/mnt/table
mount -o remount,bind,ro,nosuid,nodev /mnt
mount --rbind /mnt /var
cd /var/task
unset OLDPWD
setpriv=$(command -v setpriv)
unshare=$(command -v unshare)
if [ -n "$path" ]; then PATH=$path; else unset PATH; fi
if [ "$kind" = root ]; then
  exec "$setpriv" --reuid ${USER_ID} --regid ${GROUP_ID} --clear-groups --no-new-privs --pdeathsig KILL -- "$@"
fi
exec "$unshare" --user --map-user=${USER_ID} --map-group=${GROUP_ID} -- \\
  "$setpriv" --no-new-privs --pdeathsig KILL -- "$@"
`;

/** Makes the table of the mounts, in the form of `/etc/fstab`. */
function mountTable({ task, layer, deno, tmp }: Folders): string {
  const readOnly = "bind,ro,nosuid,nodev";
  return [
    [task, "/mnt/task", readOnly],
    [layer, "/opt", readOnly],
    ...(deno === undefined ? [] : [[deno, "/opt/bin/deno", readOnly]]),
    [tmp, "/tmp", "bind"],
  ].map(([from, to, options]) => `${escapeField(from!)} ${to} none ${options}\n`).join("");
}

/** Writes a path for `/etc/fstab`. */
function escapeField(path: string): string {
  return path.replaceAll(
    /[\s\\#]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
}

function namespace(unshare: string, isRoot: boolean): Isolation {
  return {
    kind: isRoot ? "root namespace" : "user namespace",
    description: isRoot
      ? `a mount namespace: ${NAMESPACE}`
      : `a user and mount namespace: ${NAMESPACE}`,
    place: () => ({ task: "/var/task", layer: "/opt", tmp: "/tmp" }),
    command: (folders, program, environment) => ({
      path: unshare,
      options: {
        args: [
          ...(isRoot ? ["--mount"] : ["--user", "--map-root-user", "--mount"]),
          ...["--propagation", "private", "--", "/bin/sh", "-c", SCRIPT, "sh"],
          Deno.env.get("PATH") ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
          mountTable(folders),
          isRoot ? "root" : "user",
          ...program,
        ],
        env: { ...environment },
        clearEnv: true,
        cwd: "/",
        detached: true,
      },
    }),
  };
}

/**
 * Makes the isolation for machines without namespaces. The process has only the given environment variables. Deno's
 * permissions protect the files. With the program `setpriv`, the system kills the process with its parent.
 */
export function plainFolders(reason: string, setpriv?: string): Isolation {
  return {
    kind: "plain folders",
    description:
      `plain folders, only Lambda's environment variables, and Deno's permissions; ${reason}, ` +
      "so that all functions share the /tmp of this machine",
    place: ({ task, layer, tmp }) => ({ task, layer, tmp }),
    command: ({ task, cache }, program, environment) => ({
      path: setpriv ?? program[0],
      options: {
        args: setpriv === undefined
          ? program.slice(1)
          : ["--pdeathsig", "KILL", "--no-new-privs", "--", ...program],
        env: { ...(cache === undefined ? {} : { DENO_DIR: cache }), ...environment },
        clearEnv: true,
        cwd: task,
        detached: true,
        // If root runs the platform, the functions run as the user of AWS Lambda.
        ...(Deno.uid() === 0 ? { uid: USER_ID, gid: GROUP_ID } : {}),
      },
    }),
  };
}

/** Makes a folder for `/tmp` that only the user of the functions can use. The folder is on disk, so it takes no memory. */
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

/** Runs a program as root, or as root of a user namespace, because a function may forbid others to enter its folders. */
async function runAsRoot(
  ...[program, ...args]: [string, ...string[]]
): Promise<Deno.CommandOutput> {
  const command = Deno.uid() === 0
    ? new Deno.Command(program, { args })
    : new Deno.Command("unshare", { args: ["--user", "--map-root-user", "--", program, ...args] });
  return await command.output();
}
