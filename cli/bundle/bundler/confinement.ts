/**
 * Keeps the process of the bundler apart from the files of the developer.
 *
 * @module
 */
import { findProgram } from "../../find_program.ts";

/** A program that sees only some folders. */
export interface Confined {
  readonly path: string;
  readonly args: readonly string[];
}

/** The files and folders of the system that Deno and esbuild need: libraries, certificates, the names of hosts. */
const SYSTEM = [
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
  "/dev/null",
  "/dev/urandom",
  "/etc/alternatives",
  "/etc/ca-certificates",
  "/etc/hosts",
  "/etc/ld.so.cache",
  "/etc/nsswitch.conf",
  "/etc/pki",
  "/etc/resolv.conf",
  "/etc/ssl",
];

/**
 * The script makes a new root folder in memory, in which only the given files and folders exist, and starts a program there.
 * The arguments are the path of Deno, the files and folders, `--`, and the program. `/proc` has nothing but the link to Deno,
 * because the files of other processes would be a way out.
 */
const SCRIPT = `set -eu
PATH=$PATH:/usr/sbin:/sbin # On Debian, only root has the folders of chroot in PATH.
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs /mnt
mkdir -p /mnt/proc/self /mnt/tmp
ln -s "$1" /mnt/proc/self/exe
shift
while [ "$1" != -- ]; do
  if [ -L "$1" ] && [ ! -e "/mnt$1" ] && [ "\${1#/etc/}" = "$1" ]; then
    mkdir -p "/mnt\${1%/*}"
    cp -P "$1" "/mnt$1"
  elif [ -d "$1" ]; then
    mkdir -p "/mnt$1"
    mount --rbind "$1" "/mnt$1"
  elif [ -e "$1" ]; then
    mkdir -p "/mnt\${1%/*}"
    [ -e "/mnt$1" ] || : >"/mnt$1"
    mount --bind "$1" "/mnt$1"
  fi
  shift
done
shift
exec chroot /mnt "$@"
`;

let unshare: Promise<string | undefined> | undefined;

/**
 * Confines a program to folders, if the system is a Linux that lets the user make mount namespaces. Otherwise returns the
 * program itself, which then has only the permissions of Deno.
 *
 * @param program A path and arguments.
 * @param folders The files and folders that the program sees.
 */
export async function confine(
  [path, ...args]: readonly [string, ...string[]],
  folders: readonly string[],
): Promise<Confined> {
  const found = await (unshare ??= findUnshare());
  if (found === undefined) return { path, args };
  return { path: found, args: confinedArgs([path, ...args], folders) };
}

function confinedArgs(program: readonly string[], folders: readonly string[]): string[] {
  const namespace = Deno.uid() === 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"];
  return [
    ...namespace,
    ...["--propagation", "private", "--", "/bin/sh", "-c", SCRIPT, "sh"],
    ...[Deno.execPath(), ...SYSTEM, Deno.execPath(), ...folders, "--", ...program],
  ];
}

/** Finds the program `unshare` if it works here. */
async function findUnshare(): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return undefined;
  const path = await findProgram("unshare");
  if (path === undefined) return undefined;
  const options = { stdin: "null", stdout: "null", stderr: "null", clearEnv: true } as const;
  const env = { PATH: Deno.env.get("PATH") ?? "/usr/sbin:/usr/bin:/sbin:/bin" };
  const args = confinedArgs([Deno.execPath(), "--version"], []);
  const { success } = await new Deno.Command(path, { args, env, ...options }).output();
  return success ? path : undefined;
}
