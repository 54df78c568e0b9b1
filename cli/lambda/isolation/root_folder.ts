import { dirname } from "node:path";
import { prepare } from "../../programs/find_program.ts";
import { DEVICES, escapeField, mountArgs, mountPoints, OPTIONS, SYSTEM } from "./confinement.ts";

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

const { node, ...folders } = PLACES;
const FOLDERS = ["/old", "/proc", "/dev", "/etc", dirname(node), ...Object.values(folders)];

/**
 * The script makes empty folders and files, and prints the table of the mounts of the system. The arguments are the root, and
 * those for the mounts. It runs in a shell, because the process that deploys may read no file of the system.
 */
const SCRIPT = `set -eu
PATH=$PATH:/usr/bin:/bin # The PATH of the caller may lead to unshare only.
umask 022
mkdir -p "$1"
cd "$1"
shift
${mountPoints(FOLDERS.map((path) => `.${path}`).join(" "))}
: >.${node}
ln -s /proc/self/fd dev/fd
account=${USER_ID}:${GROUP_ID}::/tmp:/sbin/nologin
echo "sbx_user1051:x:$account" >etc/passwd
echo "slicer:x:${GROUP_ID}:" >etc/group
`;

/**
 * Makes the root folder of functions: empty folders and files, over which each process mounts what it sees.
 *
 * @param root The path of the new folder.
 * @returns The mounts of the root and of the system, in the form of `/etc/fstab`.
 * @throws {Error} If the folder cannot be made.
 */
export async function makeRoot(root: string): Promise<string> {
  const devices = [...DEVICES, "/dev/random", "/dev/zero"];
  const mounts = mountArgs([[OPTIONS.programs, SYSTEM], ["bind", devices]], []);
  const args = ["--", "/bin/sh", "-c", SCRIPT, "sh", root, ...mounts];
  const { success, stdout, stderr } = await prepare("unshare", { args }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`Cannot make the folder "${root}": ${decoder.decode(stderr)}`);
  return `${escapeField(root)} /mnt none bind,ro,nosuid,nodev\n${decoder.decode(stdout)}`;
}
