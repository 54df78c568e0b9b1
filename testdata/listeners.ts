/** The addresses in hexadecimal on which a process and its children listen. */
export function listeners(pids: readonly number[]): { address: string; port: number }[] {
  const inodes = new Set(
    pids.flatMap((pid) =>
      [...Deno.readDirSync(`/proc/${pid}/fd`)].flatMap(({ name }) => {
        try {
          return /^socket:\[(\d+)\]$/.exec(Deno.readLinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? [];
        } catch (error) {
          if (error instanceof Deno.errors.NotFound) return []; // It was closed just now.
          throw error;
        }
      })
    ),
  );
  return ["tcp", "tcp6"].flatMap((file) => {
    const lines = Deno.readTextFileSync(`/proc/net/${file}`).trim().split("\n").slice(1);
    return lines.map((line) => line.trim().split(/\s+/)).flatMap((fields) => {
      const [address = "", port = ""] = fields[1]!.split(":");
      const isListening = fields[3] === "0A" && inodes.has(fields[9]!);
      return isListening ? [{ address, port: Number.parseInt(port, 16) }] : [];
    });
  });
}

/** The processes that any thread of a process has started, and those that they have started. */
export function childrenOf(pid: number): number[] {
  try {
    const own = [...Deno.readDirSync(`/proc/${pid}/task`)].flatMap(({ name }) => {
      const text = Deno.readTextFileSync(`/proc/${pid}/task/${name}/children`).trim();
      return text === "" ? [] : text.split(" ").map(Number);
    });
    return [...own, ...own.flatMap(childrenOf)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return []; // It has ended just now.
    throw error;
  }
}
