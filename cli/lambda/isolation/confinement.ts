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
const OPTIONS = {
  writable: "rbind",
  readOnly: "rbind,ro,nosuid,nodev,noexec",
  programs: "rbind,ro,nosuid,nodev",
} as const;

/**
 * The script makes a new root folder in memory, in which only the given files and folders exist, and starts a program there.
 * The old root is detached and the program has no capabilities. So nothing that it does leads back to the other files.
 *
 * The arguments are the path of Deno, three for each mount (the options, the path, the path for the table), `--`, and the
 * program. `/proc` has nothing but the link to Deno and a line for `umount`, because the files of other processes would tell secrets.
 */
const SCRIPT = `set -eu
PATH=$PATH:/usr/sbin:/sbin # On Debian, only root has the folders of pivot_root in PATH.
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs /mnt
cd /mnt
deno=$1
shift
# Each program that the script starts takes more than a millisecond, so one "mkdir" makes all folders, and one "cp" all links.
isLink() { [ -L "$1" ] && [ "\${1#/etc/}" = "$1" ]; }
makeFolders() {
  count=0
  while [ "$1" != -- ]; do
    if [ -d "$2" ] && ! isLink "$2"; then
      set -- "$@" ".$2"
      count=$((count + 1))
    elif [ -e "$2" ] || [ -L "$2" ]; then
      set -- "$@" ".\${2%/*}/"
      count=$((count + 1))
    fi
    shift 3
  done
  shift $(($# - count))
  mkdir -p proc/self tmp old dev etc usr "$@"
}
writeTable() {
  count=0
  while [ "$1" != -- ]; do
    if isLink "$2" && [ ! -e ".$2" ]; then
      set -- "$@" "$2"
      count=$((count + 1))
    elif [ -e "$2" ]; then
      [ -e ".$2" ] || : >".$2"
      printf '%s /mnt%s none %s\\n' "$3" "$3" "$1" >>table
    fi
    shift 3
  done
  shift $(($# - count))
  [ $# = 0 ] || cp -P --parents "$@" .
}
makeFolders "$@"
writeTable "$@"
ln -s "$deno" proc/self/exe
echo '1 1 0:1 / /old rw - none none rw' >proc/self/mountinfo # umount looks for the old root here
while [ "$1" != -- ]; do shift 3; done
shift
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
    ...DEVICES.map((path) => [OPTIONS.writable, path]),
    ...SYSTEM.map((path) => [OPTIONS.programs, path]),
    ...writable.map((path) => [OPTIONS.writable, path]),
    ...readOnly.map((path) => [OPTIONS.readOnly, path]),
    ...[...programs, Deno.execPath()].map((path) => [OPTIONS.programs, path]),
  ];
  return [
    ...namespace,
    ...["--propagation", "private", "--", "/bin/sh", "-c", SCRIPT, "sh", Deno.execPath()],
    ...mounts.flatMap(([options, path]) => [options!, path!, escapeField(path!)]),
    ...["--", ...program],
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
