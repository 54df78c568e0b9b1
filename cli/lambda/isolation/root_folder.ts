import { prepare } from "../../programs/find_program.ts";
import { DEVICES, SYSTEM } from "./confinement.ts";

/** The user of the functions on AWS Lambda. */
export const USER_ID = 993;

/** The group of the functions on AWS Lambda. */
export const GROUP_ID = 990;

/** What a function sees besides the system: its own files and its runtime. */
export const PLACES = {
  task: "/var/task",
  layer: "/opt",
  tmp: "/tmp",
  /** AWS's client of the Runtime API, for Node.js. */
  runtime: "/var/runtime",
  /** The program `node`. */
  node: "/var/lang/bin/node",
} as const;

/** A folder or a file of this machine, and where a function sees it. */
export type Mount = readonly [from: string, to: string, options: string];

/**
 * The script makes empty folders and files, and prints those over which the system is mounted. The arguments are the root and
 * the paths of the system. It runs in a shell, because the process that deploys may read no file of the system.
 */
const SCRIPT = `set -eu
umask 022
root=$1
shift
mkdir -p "$root/old" "$root/proc" "$root/dev" "$root/etc" "$root${PLACES.task}" "$root${PLACES.layer}" \\
  "$root${PLACES.tmp}" "$root${PLACES.runtime}" "$root${PLACES.node.replace(/\/node$/, "")}"
: >"$root${PLACES.node}"
ln -s /proc/self/fd "$root/dev/fd"
account=${USER_ID}:${GROUP_ID}::/tmp:/sbin/nologin
echo "sbx_user1051:x:$account" >"$root/etc/passwd"
echo "slicer:x:${GROUP_ID}:" >"$root/etc/group"
for path; do
  if [ -L "$path" ] && [ "\${path#/etc/}" = "$path" ]; then
    cp -P "$path" "$root$path"
  elif [ -d "$path" ]; then
    mkdir -p "$root$path"
    echo "$path"
  elif [ -e "$path" ]; then
    mkdir -p "$root\${path%/*}"
    : >"$root$path"
    echo "$path"
  fi
done
`;

/**
 * Makes the root folder of functions: empty folders and files, over which each process mounts what it sees.
 *
 * @param root The path of the new folder.
 * @returns The mounts of the root and of the system.
 * @throws {Error} If the folder cannot be made.
 */
export async function makeRoot(root: string): Promise<readonly Mount[]> {
  const paths = [...SYSTEM, ...DEVICES, "/dev/random", "/dev/zero"];
  const args = ["--", "/bin/sh", "-c", SCRIPT, "sh", root, ...paths];
  const { success, stdout, stderr } = await prepare("unshare", { args }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`Cannot make the folder "${root}": ${decoder.decode(stderr)}`);
  const found = decoder.decode(stdout).trim().split("\n");
  return [
    [root, "/", "bind,ro,nosuid,nodev"],
    ...found.map((path): Mount => [
      path,
      path,
      path.startsWith("/dev/") ? "bind" : "rbind,ro,nosuid,nodev",
    ]),
  ];
}
