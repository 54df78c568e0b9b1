import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { removeTmp } from "./isolation.ts";

/** A temporary folder that does not outlive its process for long. */
export interface OwnedFolder extends AsyncDisposable {
  readonly path: string;
}

/** The name of the lock file of a folder. */
const LOCK = /^mate-\d+-[0-9a-f-]{36}\.lock$/;

/**
 * Makes a folder that is removed when it is disposed of. If the process is killed before, the next call for the same parent
 * removes the folder: the process locks a file beside the folder, and the system unlocks the file when the process ends.
 *
 * @param parent The folder for the new folder. Other users may write there, too.
 */
export async function makeOwnedFolder(parent: string): Promise<OwnedFolder> {
  await removeLeftovers(parent);
  const { path, lock } = await lockNewName(parent);
  await Deno.mkdir(path, { mode: 0o700 });
  return {
    path,
    async [Symbol.asyncDispose]() {
      await Deno.remove(path, { recursive: true });
      await Deno.remove(`${path}.lock`);
      lock.close();
    },
  };
}

/** Locks a file for a new folder. Whoever finds the file before it is locked removes it. Then another name is used. */
async function lockNewName(parent: string): Promise<{ path: string; lock: Deno.FsFile }> {
  for (;;) {
    const path = join(parent, `mate-${Deno.pid}-${randomUUID()}`);
    const lock = await Deno.open(`${path}.lock`, { write: true, createNew: true, mode: 0o600 });
    await lock.lock(true);
    if (await Deno.lstat(`${path}.lock`).then(() => true, () => false)) return { path, lock };
    lock.close();
  }
}

/** Removes the folders of this user whose processes have ended. */
async function removeLeftovers(parent: string): Promise<void> {
  const names = await Array.fromAsync(Deno.readDir(parent), ({ name }) => name);
  for (const name of names.filter((name) => LOCK.test(name))) {
    try {
      await removeLeftover(join(parent, name));
    } catch (error) {
      // Another process removes the same folder.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

async function removeLeftover(file: string): Promise<void> {
  const isOwn = ({ uid }: Deno.FileInfo) => uid === Deno.uid();
  const info = await Deno.lstat(file);
  if (!info.isFile || !isOwn(info)) return;
  using lock = await Deno.open(file, { write: true });
  if (!await lock.tryLock(true)) return;
  const folder = file.slice(0, -".lock".length);
  const found = await Deno.lstat(folder).catch(() => undefined);
  // Another user may have put a link in the place of the folder.
  if (found?.isDirectory && isOwn(found)) await removeAll(folder);
  await Deno.remove(file);
}

async function removeAll(folder: string): Promise<void> {
  try {
    await Deno.remove(folder, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    await removeTmp(folder); // A function has forbidden others to enter a folder.
  }
}
