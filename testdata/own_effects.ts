/**
 * The processes and folders that the code of one test file has made. `deno test --parallel` runs the files in threads of one
 * process, so the children of the process and the names in the temporary folder are also those of other files.
 *
 * @module
 */
import { childrenOf } from "./listeners.ts";

const processes = new Set<number>();
const folders: string[] = [];

const { spawn } = Deno.Command.prototype;
Deno.Command.prototype.spawn = function () {
  const child = spawn.call(this);
  processes.add(child.pid);
  void child.status.finally(() => processes.delete(child.pid));
  return child;
};

const { makeTempDir, mkdir } = Deno;
Object.assign(Deno, {
  async makeTempDir(options?: Deno.MakeTempOptions): Promise<string> {
    const folder = await makeTempDir(options);
    folders.push(folder);
    return folder;
  },
  async mkdir(path: string | URL, options?: Deno.MkdirOptions): Promise<void> {
    await mkdir(path, options);
    folders.push(String(path));
  },
});

/** The processes that this test file has started and that still run, and the processes that they have started. */
export function ownProcesses(): number[] {
  return [...processes].flatMap((pid) => [pid, ...childrenOf(pid)]);
}

/** The folders that this test file has made, also those that it has removed since. */
export function ownFolders(): readonly string[] {
  return folders;
}

/** Kills a process, unless it has just ended. */
export function killIfThere(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
