import { prepare } from "../../programs/find_program.ts";

/** The memory of a sandbox, in bytes. */
interface Memory {
  /** The memory without the pages of the executable, because the system may drop those pages. */
  readonly own: number;
  /** The largest use of memory so far, with the pages of the executable. */
  readonly peak: number;
}

/** Lists a process of Linux and all processes that it started, directly or not. */
export function processesOf(pid: number): number[] {
  const found = [pid];
  for (const one of found) {
    const children = readProc(`${one}/task/${one}/children`).trim();
    if (children !== "") found.push(...children.split(" ").map(Number));
  }
  return found;
}

/** Reads a file about a process. It is empty if the process has ended. */
function readProc(file: string): string {
  if (Deno.build.os !== "linux") return "";
  try {
    return Deno.readTextFileSync(`/proc/${file}`);
  } catch (error) {
    // A process may end while its file is read.
    if (error instanceof Deno.errors.NotFound || /os error 3\b/.test(`${error}`)) return "";
    throw error;
  }
}

/** Measures the memory of a process and of those that it started. Returns `undefined` if it has ended. */
export async function measureMemory(pid: number): Promise<Memory | undefined> {
  if (Deno.build.os !== "linux") {
    const args = ["-o", "rss=", "-p", String(pid)];
    const { stdout } = await prepare("ps", { args, stdin: "null" }).output();
    const size = Number(new TextDecoder().decode(stdout)) * 1024;
    return size > 0 ? { own: size, peak: size } : undefined;
  }
  const sum = { own: 0, peak: 0 };
  for (const one of processesOf(pid)) {
    const status = readProc(`${one}/status`);
    const sizeOf = (key: string) =>
      Number(new RegExp(`^${key}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0) * 1024;
    sum.own += sizeOf("RssAnon") + sizeOf("RssShmem");
    sum.peak += sizeOf("VmHWM");
  }
  return sum.peak > 0 ? sum : undefined;
}

/**
 * Counts the bytes that a process and those that it started have written, also to pipes and sockets, and those that they have
 * changed in mapped files.
 *
 * @see https://docs.kernel.org/filesystems/proc.html#proc-pid-io-display-the-io-accounting-fields
 */
export function measureWritten(pid: number): number {
  const counts = processesOf(pid).flatMap((one) => {
    const text = readProc(`${one}/io`);
    return ["wchar", "write_bytes"].map((key) => new RegExp(`^${key}: (\\d+)$`, "m").exec(text));
  });
  return counts.reduce((sum, found) => sum + Number(found?.[1] ?? 0), 0);
}
