/** The user that functions run as on Lambda. */
export const USER_ID = 993;

/** The group that functions run as on Lambda. */
export const GROUP_ID = 990;

/**
 * Arranges the folders in a fresh mount namespace, then becomes the program.
 *
 * The arguments are the caller's PATH, the task's folder, the layer's folder, a Deno for the layer or nothing, a folder for
 * /tmp, `root` or `user`, then the program. Every step replaces the process, so that its identifier stays the
 * one that the caller knows. The program is killed with its parent, so that no process is left behind.
 */
export const SCRIPT = `set -eu
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

/** The arguments of `unshare` that run a shell script in a fresh mount namespace. */
export function inNamespace(isRoot: boolean, script: string, args: readonly string[]): string[] {
  const namespaces = isRoot ? ["--mount"] : ["--user", "--map-root-user", "--mount"];
  return [...namespaces, "--propagation", "private", "--", "/bin/sh", "-c", script, "sh", ...args];
}
