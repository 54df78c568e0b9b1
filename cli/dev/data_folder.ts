import { dirname, join } from "node:path";
import { ifThere } from "../programs/downloads.ts";
import { refuseLinks, refuseLinksIn } from "../rules/links.ts";

/** A folder for data that one platform holds until its disposal or its end. */
export interface DataFolder extends AsyncDisposable {
  readonly path: string;
}

/** The file that the holder of a folder locks. The system unlocks the file when the process ends, also if it is killed. */
const LOCK = ".lock";

/** The file with the address of the platform that holds the folder. Only this user can read it. */
const ADDRESS = ".address";

/** The number of bytes of the process in the lock file. */
const PID_SIZE = 10;

/** Returns the path of the folder of an application. It lies beside the manifest, wherever a command runs. */
export function ownFolder(manifestFolder: string, name: string): string {
  return join(manifestFolder, ".mate", name);
}

/** Opens the folder of an application beside its manifest, unless it is the former folder. Git ignores the folder. */
export async function openOwnFolder(
  manifestFolder: string,
  name: string,
  former?: DataFolder,
): Promise<DataFolder> {
  const path = ownFolder(manifestFolder, name);
  if (path === former?.path) return former;
  await refuseLinks(dirname(path), path);
  const folder = await openDataFolder(path);
  await Deno.writeTextFile(join(path, ".gitignore"), "*\n");
  return folder;
}

/**
 * Opens a folder for data. Makes it if it is missing.
 *
 * @throws {LinkError} If the folder is a link or has a link in it.
 * @throws {Error} If another platform holds the folder, whose process the message names, or if this user may not write there.
 */
export async function openDataFolder(path: string): Promise<DataFolder> {
  const lock = await openLock(path);
  if (!await lock.tryLock(true)) {
    using _lock = lock;
    throw await heldError(path, lock);
  }
  try {
    await removeAddress(path); // It may come from a platform that was killed, or from a clone.
    // The number replaces the former one. So a full disk has room for it.
    await lock.write(new TextEncoder().encode(String(Deno.pid).padStart(PID_SIZE)));
  } catch (error) {
    free(lock);
    throw error;
  }
  return {
    path,
    async [Symbol.asyncDispose]() {
      await removeAddress(path).catch(() => {}); // Without the lock, nobody reads it.
      free(lock);
    },
  };
}

/** Gives back a lock. Closing alone is not enough: a process that starts just now has a copy of the open file. */
function free(lock: Deno.FsFile): void {
  lock.unlockSync();
  lock.close();
}

async function openLock(path: string): Promise<Deno.FsFile> {
  try {
    await refuseLinksIn(path);
    await Deno.mkdir(path, { recursive: true });
    return await Deno.open(join(path, LOCK), { read: true, write: true, create: true });
  } catch (error) {
    const { code } = error as { code?: string };
    if (!(error instanceof Deno.errors.PermissionDenied) && code !== "EROFS") throw error;
    throw new Error(
      `Cannot use the data folder "${path}": this user may not write there; choose another folder with --data, or change the rights`,
      { cause: error },
    );
  }
}

/** Tells other commands of this user where the platform is that holds a folder. */
export async function writeAddress(path: string, address: string): Promise<void> {
  await removeAddress(path);
  await Deno.writeTextFile(join(path, ADDRESS), address, { mode: 0o600, createNew: true });
}

async function removeAddress(path: string): Promise<void> {
  await ifThere(Deno.remove(join(path, ADDRESS)));
}

/**
 * Reads the address of the platform that holds a folder.
 *
 * @returns The address; `undefined` if no platform holds the folder.
 * @throws {LinkError} If the folder is a link or has a link in it, which may lead to the lock of another platform.
 */
export async function readAddress(path: string): Promise<string | undefined> {
  await refuseLinksIn(path);
  const lock = await ifThere(Deno.open(join(path, LOCK), { read: true, write: true }));
  if (lock === undefined) return undefined;
  if (await lock.tryLock(false)) {
    free(lock);
    return undefined;
  }
  using _lock = lock;
  return await ifThere(Deno.readTextFile(join(path, ADDRESS)));
}

async function heldError(path: string, lock: Deno.FsFile): Promise<Error> {
  const content = new Uint8Array(PID_SIZE);
  // On Windows, nobody else can read a locked file. The holder may not have written yet.
  await lock.read(content).catch(() => null);
  const [pid] = /\d+$/.exec(new TextDecoder().decode(content)) ?? [];
  const holder = pid === undefined ? "another process" : `the process ${pid}`;
  return new Error(
    `Cannot use the data folder "${path}": ${holder} runs a platform with it; end that process, or choose another folder with --data`,
  );
}
