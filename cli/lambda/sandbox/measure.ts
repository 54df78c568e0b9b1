/** The memory of a process, in bytes. */
interface Memory {
  /** The memory without the pages of the executable, because the system may drop those pages. */
  readonly own: number;
  /** The largest use of memory so far, with the pages of the executable. */
  readonly peak: number;
}

/** Measures the memory of a process. Returns `undefined` if the process has ended. */
export async function measureMemory(pid: number): Promise<Memory | undefined> {
  if (Deno.build.os !== "linux") {
    const args = ["-o", "rss=", "-p", String(pid)];
    const { stdout } = await new Deno.Command("ps", { args, stdin: "null" }).output();
    const size = Number(new TextDecoder().decode(stdout)) * 1024;
    return size > 0 ? { own: size, peak: size } : undefined;
  }
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  const sizeOf = (key: string) =>
    Number(new RegExp(`^${key}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024;
  const own = sizeOf("RssAnon") + sizeOf("RssShmem");
  const peak = sizeOf("VmHWM");
  return Number.isNaN(own + peak) ? undefined : { own, peak };
}

/**
 * Counts the bytes that a process has written, also to pipes and sockets, and those that it has changed in mapped files.
 *
 * @see https://docs.kernel.org/filesystems/proc.html#proc-pid-io-display-the-io-accounting-fields
 */
export async function measureWritten(pid: number): Promise<number> {
  const text = await Deno.readTextFile(`/proc/${pid}/io`).catch(() => "");
  const counts = ["wchar", "write_bytes"].map((key) =>
    new RegExp(`^${key}: (\\d+)$`, "m").exec(text)
  );
  return counts.reduce((sum, found) => sum + Number(found?.[1] ?? NaN), 0);
}
