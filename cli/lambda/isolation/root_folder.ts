import { dirname } from "node:path";
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
 * the paths of the system, which have no spaces. It runs in a shell, because the process that deploys may read no file of the
 * system. It starts few programs, because each of them takes more than a millisecond.
 */
const SCRIPT = `set -eu
PATH=$PATH:/usr/bin:/bin # The PATH of the caller may lead to unshare only.
umask 022
mkdir -p "$1"
cd "$1"
shift
folders="old proc dev etc .${PLACES.task} .${PLACES.layer} .${PLACES.tmp} .${PLACES.runtime} .${
  dirname(PLACES.node)
}"
files=.${PLACES.node}
links=
for path; do
  if [ -L "$path" ] && [ "\${path#/etc/}" = "$path" ]; then
    folders="$folders .\${path%/*}"
    links="$links $path"
  elif [ -d "$path" ]; then
    folders="$folders .$path"
    echo "$path"
  elif [ -e "$path" ]; then
    folders="$folders .\${path%/*}"
    files="$files .$path"
    echo "$path"
  fi
done
mkdir -p $folders
for file in $files; do : >"$file"; done
for link in $links; do cp -P "$link" ".$link"; done
ln -s /proc/self/fd dev/fd
account=${USER_ID}:${GROUP_ID}::/tmp:/sbin/nologin
echo "sbx_user1051:x:$account" >etc/passwd
echo "slicer:x:${GROUP_ID}:" >etc/group
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
