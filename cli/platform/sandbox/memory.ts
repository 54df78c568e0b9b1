export interface Memory {
  /** Its own memory, without the pages of the executable, which the system may drop and read again. */
  readonly own: number;
  /** The most memory that it ever had, with the pages of the executable. */
  readonly peak: number;
}

export async function measureMemory(pid: number): Promise<Memory | undefined> {
  if (Deno.build.os === "linux") return await readStatus(pid);
  return await askPs(pid);
}

async function readStatus(pid: number): Promise<Memory | undefined> {
  let status: string;
  try {
    status = await Deno.readTextFile(`/proc/${pid}/status`);
  } catch {
    return undefined; // it has just ended
  }
  const kilobytes = (key: string) =>
    Number(new RegExp(`^${key}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? NaN) * 1024;
  const own = kilobytes("RssAnon") + kilobytes("RssShmem");
  const peak = kilobytes("VmHWM");
  return Number.isNaN(own + peak) ? undefined : { own, peak };
}

async function askPs(pid: number): Promise<Memory | undefined> {
  const { success, stdout } = await new Deno.Command("ps", {
    args: ["-o", "rss=", "-p", String(pid)],
    stdin: "null",
    stderr: "null",
  }).output();
  const kilobytes = Number(new TextDecoder().decode(stdout).trim());
  if (!success || !(kilobytes > 0)) return undefined;
  return { own: kilobytes * 1024, peak: kilobytes * 1024 };
}
