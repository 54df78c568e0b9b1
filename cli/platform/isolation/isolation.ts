/**
 * How a process is kept apart from the machine: as on AWS Lambda, as far as the machine allows.
 *
 * @module
 */
import { findProgram } from "./program.ts";
import { GROUP_ID, makeTmp, USER_ID } from "./tmp_folder.ts";

export interface Folders {
  /** The unpacked function; read-only at `/var/task` if the machine allows it. */
  readonly task: string;
  /** The unpacked layer; read-only at `/opt` if the machine allows it. */
  readonly layer: string;
  /** The Deno that is mounted at the layer's `bin/deno`; without it the layer has its own. */
  readonly deno?: string | undefined;
  /** The folder that Deno keeps compiled code in, if the process has plain folders; `/tmp/deno` without. */
  readonly cache?: string | undefined;
  readonly tmp: string;
}

/** A way to keep processes apart from the machine. */
export interface Isolation {
  /** Its name: a mount namespace made as root, one in a user namespace, or plain folders. */
  readonly kind: "root namespace" | "user namespace" | "plain folders";
  readonly description: string;
  /** The paths by which a process finds its folders. */
  place(folders: Folders): { readonly task: string; readonly layer: string; readonly tmp: string };
  command(
    folders: Folders,
    program: readonly [string, ...string[]],
    environment: Readonly<Record<string, string>>,
  ): IsolatedCommand;
}

export interface IsolatedCommand {
  readonly path: string;
  /** Its arguments, environment, working folder and user. */
  readonly options: Deno.CommandOptions;
}

const NAMESPACE =
  "read-only /var/task and /opt, a private /tmp of 512 MB, an unprivileged user, only Lambda's environment variables";

/**
 * Finds the best way that works here, by trying each with a program that does nothing.
 *
 * @throws {Error} On Windows, where a program for `/tmp`, `/opt` and `/var/task` cannot run.
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
  const isRoot = Deno.uid() === 0;
  const candidate = namespace(unshare, isRoot);
  const problem = await tryOut(candidate);
  return problem === undefined ? candidate : plainFolders(problem, setpriv);
}

/** Runs a program that does nothing. Returns what went wrong, or `undefined`. */
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
 * Arranges the folders in a fresh mount namespace, then becomes the program.
 *
 * The arguments are the caller's PATH, the task's folder, the layer's folder, a Deno for the layer or nothing, a folder for
 * /tmp, `root` or `user`, then the program. Every step replaces the process, so that its identifier stays the
 * one that the caller knows. The program is killed with its parent, so that no process is left behind.
 */
const SCRIPT = `set -eu
path=\${PATH-}
PATH=$1
task=$2
layer=$3
deno=$4
tmp=$5
kind=$6
shift 6
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs /mnt
mkdir /mnt/task /mnt/runtime /mnt/lang
mount --bind "$task" /mnt/task
mount -o remount,bind,ro,nosuid,nodev /mnt/task
mount --bind "$layer" /opt
if [ -n "$deno" ]; then
  mount --bind "$deno" /opt/bin/deno
  mount -o remount,bind,ro,nosuid,nodev /opt/bin/deno
fi
mount -o remount,bind,ro,nosuid,nodev /opt
mount -o remount,bind,ro,nosuid,nodev /mnt
mount --bind "$tmp" /tmp
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
          folders.task,
          folders.layer,
          folders.deno ?? "",
          folders.tmp,
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
 * The way for machines without namespaces: the same environment variables and Deno's own permissions, in plain folders. With
 * the program `setpriv`, a process is killed with its parent, however that ends.
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
        // Root becomes the user that AWS Lambda has; anyone else stays the same.
        ...(Deno.uid() === 0 ? { uid: USER_ID, gid: GROUP_ID } : {}),
      },
    }),
  };
}
