/**
 * Keeps a program apart from the files of the developer: it gets a root folder of its own.
 *
 * @module
 */
import { findProgram, prepare, programPath } from "../../programs/find_program.ts";

/** A program that sees only some folders. */
export interface Confined {
  readonly path: string;
  readonly args: readonly string[];
  /** Why the program sees all files, on a Linux. Other systems have no mount namespaces, and no problem. */
  readonly problem?: string | undefined;
}

/** The files and folders that a confined program sees. Later ones may lie in earlier ones. Those that do not exist are left out. */
export interface Visible {
  readonly writable?: readonly string[];
  readonly readOnly?: readonly string[];
  /** Like `readOnly`, with programs that may run. */
  readonly programs?: readonly string[];
}

/** The files and folders of the system that Deno and esbuild need: libraries, certificates, the names of hosts. */
export const SYSTEM: readonly string[] = [
  "/bin",
  "/lib",
  "/lib32",
  "/lib64",
  "/sbin",
  "/usr/bin",
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/usr/sbin",
  "/usr/share/ca-certificates",
  "/etc/alternatives",
  "/etc/ca-certificates",
  "/etc/hosts",
  "/etc/ld.so.cache",
  "/etc/nsswitch.conf",
  "/etc/pki",
  "/etc/resolv.conf",
  "/etc/ssl",
];

/** The devices that Deno needs. */
export const DEVICES: readonly string[] = ["/dev/null", "/dev/urandom"];

/** How the folders are mounted. Other users own the system, but root would be able to write there. */
export const OPTIONS = {
  writable: "rbind",
  readOnly: "rbind,ro,nosuid,nodev,noexec",
  programs: "rbind,ro,nosuid,nodev",
} as const;

/**
 * The part of a script that makes folders and empty files in a new root folder, and prints the table of what is mounted there
 * under the same path. It copies links, and leaves out what does not exist. {@linkcode mountArgs} makes its arguments. It starts
 * few programs, because each of them takes more than a millisecond.
 *
 * @param folders Further folders.
 */
export const mountPoints = (folders: string): string =>
  `isLink() { [ -L "$1" ] && [ "\${1#/etc/}" = "$1" ]; }
makeFolders() {
  others=$1
  shift
  while [ "$1" != -- ]; do
    if [ -d "$2" ] && ! isLink "$2"; then
      set -- "$@" ".$2"
    elif [ -e "$2" ] || [ -L "$2" ]; then
      set -- "$@" ".\${2%/*}/"
    fi
    shift 3
  done
  shift "$others"
  mkdir -p ${folders} "$@"
}
copyLinks() {
  others=$1 links=:
  shift
  while [ "$1" != -- ]; do
    case $links in *":$2:"*) shift 3 && continue ;; esac
    if isLink "$2" && [ ! -e ".$2" ]; then
      links=$links$2:
      set -- "$@" "$2"
    fi
    shift 3
  done
  shift "$others"
  if [ $# != 0 ]; then cp -P --parents "$@" .; fi
}
makeFolders "$@"
copyLinks "$@"
shift
while [ "$1" != -- ]; do
  if [ ! -L ".$2" ] && [ -e "$2" ]; then
    [ -e ".$2" ] || : >".$2"
    printf '%s /mnt%s none %s\\n' "$3" "$3" "$1"
  fi
  shift 3
done`;

/** Makes the arguments: the number of those from `--` on, three for each mount (options, path, path for the table), `--`, others. */
export function mountArgs(
  mounts: readonly (readonly [options: string, paths: readonly string[]])[],
  others: readonly string[],
): string[] {
  const args = mounts.flatMap(([options, paths]) =>
    paths.flatMap((path) => [options, path, escapeField(path)])
  );
  return [`${others.length + 1}`, ...args, "--", ...others];
}

/**
 * The script makes a new root folder in memory, in which only the given files and folders exist, and starts a program there.
 * The old root is detached and the program has no capabilities. So nothing that it does leads back to the other files.
 *
 * The arguments are the path of Deno, the mounts, and the program. `/proc` has nothing but the link to Deno and a line for
 * `umount`, because the files of other processes would tell secrets.
 */
const SCRIPT = `set -eu
PATH=$PATH:/usr/sbin:/sbin # On Debian, only root has the folders of pivot_root in PATH.
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs /mnt
cd /mnt
deno=$1
shift
${mountPoints("proc/self tmp old dev etc usr")} >table
shift
ln -s "$deno" proc/self/exe
echo '1 1 0:1 / /old rw - none none rw' >proc/self/mountinfo # umount looks for the old root here
mount --all --fstab /mnt/table
: >table
pivot_root . old
umount --lazy /old
exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs -- "$@"
`;

/** The program `unshare` if it works here, or the reason why it does not. */
interface Probe {
  readonly unshare?: string;
  readonly problem?: string;
}

let probe: Promise<Probe> | undefined;

/** Finds out once in a process whether {@linkcode confine} works here. */
export function tryConfinement(): Promise<Probe> {
  return probe ??= tryUnshare();
}

/**
 * Confines a program to folders, if the system is a Linux that lets the user make mount namespaces. Otherwise returns the
 * program itself, which then has only the permissions of Deno.
 *
 * @param program A path and arguments.
 */
export async function confine(
  [path, ...args]: readonly [string, ...string[]],
  visible: Visible,
): Promise<Confined> {
  const { unshare, problem } = await tryConfinement();
  if (unshare === undefined) return { path, args, problem };
  return { path: unshare, args: confinedArgs([path, ...args], visible) };
}

function confinedArgs(
  program: readonly string[],
  { writable = [], readOnly = [], programs = [] }: Visible,
): string[] {
  const namespace = Deno.uid() === 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"];
  const mounts = [
    [OPTIONS.writable, DEVICES],
    [OPTIONS.programs, SYSTEM],
    [OPTIONS.writable, writable],
    [OPTIONS.readOnly, readOnly],
    [OPTIONS.programs, [...programs, Deno.execPath()]],
  ] as const;
  return [
    ...namespace,
    ...["--propagation", "private", "--", "/bin/sh", "-c", SCRIPT, "sh", Deno.execPath()],
    ...mountArgs(mounts, program),
  ];
}

/** Writes a path for `/etc/fstab`. */
export function escapeField(path: string): string {
  return path.replaceAll(
    /[\s\\#]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
}

async function tryUnshare(): Promise<Probe> {
  if (Deno.build.os !== "linux") return {};
  const unshare = await findProgram("unshare");
  if (unshare === undefined) return { problem: '"unshare" of util-linux is not installed' };
  if (await findProgram("setpriv") === undefined) {
    return { problem: '"setpriv" of util-linux is not installed' };
  }
  const options = { stdin: "null", stdout: "null", stderr: "piped", clearEnv: true } as const;
  const env = { PATH: programPath() };
  const args = confinedArgs([Deno.execPath(), "--version"], {});
  const { success, stderr } = await prepare(unshare, { args, env, ...options }).output();
  if (success) return { unshare };
  const [line] = new TextDecoder().decode(stderr).trim().split("\n");
  return { problem: line || "the system refuses a mount namespace" };
}
