/**
 * Keeps the process of a function apart from the machine, as far as the machine allows.
 *
 * @module
 */

import { dirname } from "node:path";
import { escapeField } from "./confinement.ts";
import { GROUP_ID, makeRoot, PLACES, USER_ID } from "./root_folder.ts";
import { findProgram, prepare } from "../../programs/find_program.ts";

export interface Folders {
  /** The unpacked function. It is read-only at `/var/task` if the machine allows it. */
  readonly task: string;
  /** The unpacked layer. It is read-only at `/opt` if the machine allows it. */
  readonly layer?: string | undefined;
  /** The Deno to mount at `bin/deno` of the layer. The default is the Deno in the layer. */
  readonly deno?: string | undefined;
  /** The folder for the code that Deno compiles, for plain folders only. The default is `/tmp/deno`. */
  readonly cache?: string | undefined;
  /** The program `node` and the folder with AWS's client of the Runtime API, for a function for Node.js. */
  readonly node?: { readonly program: string; readonly runtime: string } | undefined;
  /** The folder of {@linkcode makeTmp}. */
  readonly tmp: string;
}

/** A way to keep processes apart from the machine. */
export interface Isolation {
  readonly kind: "root namespace" | "user namespace" | "plain folders";
  readonly description: string;
  /** Returns the paths of the folders as the process sees them. */
  place(folders: Folders): Omit<Folders, "deno" | "cache">;
  /** @param hasNetwork Whether the process has the network of this machine, which it always has in plain folders. */
  command(
    folders: Folders,
    program: readonly [string, ...string[]],
    environment: Readonly<Record<string, string>>,
    hasNetwork?: boolean,
  ): IsolatedCommand;
}

export interface IsolatedCommand {
  readonly path: string;
  /** The arguments, the environment, the working folder and the user. */
  readonly options: Deno.CommandOptions;
}

const NAMESPACE =
  "a root folder and processes of their own, read-only /var/task and /opt, a private /tmp, " +
  "an unprivileged user, only Lambda's environment variables";

let detected: Promise<Isolation> | undefined;

/**
 * Finds the best isolation that this machine allows, once in a process.
 *
 * @throws {Error} On Windows, because `/tmp`, `/opt` and `/var/task` do not exist there.
 */
export function detectIsolation(): Promise<Isolation> {
  return detected ??= detect();
}

async function detect(): Promise<Isolation> {
  if (Deno.build.os === "windows") {
    throw new Error(
      "Cannot run functions on Windows: use the Windows Subsystem for Linux, where they run as in the cloud",
    );
  }
  if (Deno.build.os !== "linux") return plainFolders(`${Deno.build.os} has no mount namespaces`);
  const setpriv = await findProgram("setpriv");
  const first = await findProgram("unshare"); // the one that a deployment may run
  const found = first === undefined ? "unshare" : await findPrograms();
  if (typeof found === "string") return plainFolders(`"${found}" is not installed`, setpriv);
  const candidate = namespace(first!, found, Deno.uid() === 0);
  const problem = await tryOut(candidate);
  return problem === undefined ? candidate : plainFolders(problem, setpriv);
}

const PROGRAMS = ["unshare", "setsid", "setpriv", "timeout", "env"] as const;

/** The paths of the programs that make a namespace, by their names. */
type Programs = Readonly<Record<typeof PROGRAMS[number], string>>;

/** Finds the programs where they are with the root folder of a function, too. Returns the name of one that is missing. */
async function findPrograms(): Promise<Programs | string> {
  const paths = await Promise.all(PROGRAMS.map((name) => findProgram(name, SYSTEM_PATH)));
  const missing = paths.indexOf(undefined);
  if (missing >= 0) return PROGRAMS[missing]!;
  return Object.fromEntries(PROGRAMS.map((name, index) => [name, paths[index]])) as Programs;
}

/** Runs a short script in an isolation. Returns the problem, or `undefined` if it works. */
async function tryOut(isolation: Isolation): Promise<string | undefined> {
  const folder = await Deno.makeTempDir({ prefix: "mate-isolation-" });
  try {
    await letFunctionsIn(folder);
    const tmp = await makeTmp(folder);
    const { path, options } = isolation.command({ task: folder, layer: folder, tmp }, [
      "/bin/sh",
      "-c",
      "test ! -w /var/task && test -w /tmp && test ! -w /opt",
    ], {});
    const { success, stderr } = await prepare(path, {
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

/** The folders with the programs of the system, which a function sees as well. */
const SYSTEM_PATH = "/usr/bin:/bin:/usr/sbin:/sbin";

/**
 * The script runs in new namespaces of mounts and processes. It replaces the root folder, so that the program sees only its own
 * files and those of the system. The arguments are the file with the mounts, and the program. The script starts few programs,
 * because each of them takes a millisecond.
 *
 * The first process in a namespace is one that sleeps: the others end with it, and a first process would not get the signals
 * that end it. It starts before `/proc` is mounted, which is that of the namespace. If the script fails, it ends that process.
 *
 * The script closes what the caller of the tool has left open: an open folder would lead out of the root folder.
 *
 * The loopback interface of a new network namespace is down. Not every system has the program that raises it.
 */
const scriptOf = (hasNetwork: boolean) =>
  `exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-
open=
for file in /proc/self/fd/[1-9][0-9]*; do
  if [ -L "$file" ]; then open="$open \${file##*/}<&-"; fi
done
PATH=${SYSTEM_PATH} setpriv --pdeathsig KILL -- sleep infinity </dev/null >/dev/null 2>&1 &
trap "kill -KILL $!" EXIT
set -eu
table=$1
shift
path=\${PATH-}
PATH=${SYSTEM_PATH}
${hasNetwork ? "" : "if command -v ip >/dev/null; then ip link set lo up; fi"}
umask 022
mount --all --fstab "$table"
cd /mnt
pivot_root . old
umount --lazy /old
cd /var/task
unset OLDPWD
if [ -n "$open" ]; then
  shell=sh # That of Debian cannot close these files.
  if command -v bash >/dev/null; then shell=bash; fi
  set -- "/bin/$shell" -c "exec $open; exec \\"\\$@\\"" sh "$@"
fi
# Before the first process sleeps, it may not have asked the system yet to end with this one.
while read -r name </proc/1/comm && [ "$name" != sleep ]; do :; done
if [ -n "$path" ]; then PATH=$path; else unset PATH; fi
exec "$@"
`;

/** Writes the file with the mounts beside the folder for `/tmp`, in the form of `/etc/fstab`. Returns its path. */
function writeMounts({ task, layer, deno, node, tmp }: Folders): string {
  const readOnly = "bind,ro,nosuid,nodev";
  const mounts = [
    [task, PLACES.task, readOnly],
    ...layer === undefined ? [] : [[layer, PLACES.layer, readOnly] as const],
    ...deno === undefined ? [] : [[deno, `${PLACES.layer}/bin/deno`, readOnly] as const],
    ...node === undefined ? [] : [
      [node.runtime, PLACES.runtime, readOnly] as const,
      [node.program, PLACES.node, readOnly] as const,
    ],
    [tmp, PLACES.tmp, "bind,nosuid,nodev"],
  ] as const;
  const lines = mounts.map(([from, to, options]) =>
    `${escapeField(from)} /mnt${to} none ${options}\n`
  );
  // With the usual name "proc", `mount --all` would leave it out on a machine that has another system at /mnt.
  lines.push("processes /mnt/proc proc nosuid,nodev,noexec\n");
  Deno.writeTextFileSync(tmp + TABLE, systems.get(dirname(tmp))! + lines.join(""));
  return tmp + TABLE;
}

/**
 * The program `setsid` gives the process its own group. With the option `detached`, Deno would copy its whole process at each
 * start, which takes some 20 ms.
 *
 * The process becomes `timeout` without a limit, which ends as the program ends, also by SIGKILL. The system kills each process
 * with its parent, so that none is left behind. Only `env`, with the rights of the function, sets the variable by which a program
 * loads libraries of the function, and the one by which each program before would load a language.
 */
function namespace(
  first: string,
  { unshare, setsid, setpriv, timeout, env }: Programs,
  isRoot: boolean,
): Isolation {
  const last = isRoot
    ? [setpriv, "--reuid", `${USER_ID}`, "--regid", `${GROUP_ID}`, "--clear-groups"]
    : [unshare, "--user", `--map-user=${USER_ID}`, `--map-group=${GROUP_ID}`, "--", setpriv];
  const own = [setpriv, "--pdeathsig", "KILL", "--", timeout, "--foreground", "0"]
    .concat(last, "--no-new-privs", "--pdeathsig", "KILL", "--");
  return {
    kind: isRoot ? "root namespace" : "user namespace",
    description: isRoot
      ? `a mount namespace: ${NAMESPACE}`
      : `a user and mount namespace: ${NAMESPACE}`,
    place: ({ node }) => ({
      ...PLACES,
      node: node && { program: PLACES.node, runtime: PLACES.runtime },
    }),
    command: (folders, program, { LANG, LD_LIBRARY_PATH, ...environment }, hasNetwork = true) => ({
      path: first,
      options: {
        args: [
          ...(isRoot ? [] : ["--user", "--map-root-user"]),
          ...["--mount", "--pid", "--ipc", "--propagation", "private"],
          ...(hasNetwork ? ["--"] : ["--net", "--"]),
          ...[setsid, "/bin/sh", "-c", scriptOf(hasNetwork), "sh"],
          ...[writeMounts(folders), ...own],
          ...[env, ...assignments({ LANG, LD_LIBRARY_PATH }), ...program],
        ],
        env: environment,
        clearEnv: true,
        cwd: "/",
      },
    }),
  };
}

/** Makes the arguments by which `env` sets variables. */
function assignments(variables: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(variables)
    .flatMap(([name, value]) => value === undefined ? [] : [`${name}=${value}`]);
}

/**
 * Makes the isolation for machines without namespaces. The process has only the given environment variables. The permissions of
 * Deno or Node.js protect the files, and those of Deno the network. With the program `setpriv`, the system kills the process with
 * its parent.
 */
export function plainFolders(reason: string, setpriv?: string): Isolation {
  return {
    kind: "plain folders",
    description:
      "plain folders, only Lambda's environment variables, and the permissions of Deno or Node.js (those of Node.js do not " +
      `limit the network); ${reason}, so that all functions share the /tmp of this machine`,
    place: ({ task, layer, node, tmp }) => ({ task, layer, node, tmp }),
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

/** What the path of the file with the mounts ends with. It begins with the path of the folder for `/tmp`. */
const TABLE = ".mounts";

/** The mounts of the root folders of functions, by the folders that they are in. */
const roots = new Map<string, Promise<string>>();
const systems = new Map<string, string>();

/** Makes the root folder of functions once, beside their folders for `/tmp`. */
export async function prepareRoot(parent: string): Promise<void> {
  if (systems.has(parent) || await findProgram("unshare") === undefined) return;
  if (!roots.has(parent)) roots.set(parent, makeRoot(`${parent}/root`));
  systems.set(parent, await roots.get(parent)!);
}

/**
 * Makes a folder for `/tmp` that only the user of the functions can use. The folder is on disk, so it takes no memory. The root
 * folder of functions is beside it.
 */
export async function makeTmp(parent: string): Promise<string> {
  await prepareRoot(parent);
  const path = Deno.makeTempDirSync({ dir: parent, prefix: "tmp-" }); // Waiting would take longer.
  if (Deno.uid() === 0) Deno.chownSync(path, USER_ID, GROUP_ID);
  return path;
}

/** Lets functions into a folder of the platform. Those of root run as another user; all others need no rights of other users. */
export async function letFunctionsIn(folder: string): Promise<void> {
  await Deno.chmod(folder, Deno.uid() === 0 ? 0o755 : 0o700);
}

/** Counts the bytes on disk of a folder for `/tmp`. */
export async function sizeOfTmp(path: string): Promise<number> {
  const { stdout } = await runAsRoot("du", "-sk", path);
  return Number.parseInt(new TextDecoder().decode(stdout)) * 1024;
}

export async function removeTmp(path: string): Promise<void> {
  await runAsRoot("rm", "-rf", "--", path, path + TABLE);
}

/** Runs a program as root, or as root of a user namespace, because a function may forbid others to enter its folders. */
async function runAsRoot(
  ...[program, ...args]: [string, ...string[]]
): Promise<Deno.CommandOutput> {
  const command = Deno.uid() === 0
    ? prepare(program, { args })
    : prepare("unshare", { args: ["--user", "--map-root-user", "--", program, ...args] });
  return await command.output();
}
