import type { Socket } from "node:net";

/**
 * Tells whether a program of the developer holds the other end of a connection over the loopback interface of this Linux. The
 * processes of functions are in namespaces of their own, so the program is one in the namespace of this process. A program of
 * another user is none of the developer.
 */
export async function isOutside({ localPort, remotePort }: Socket): Promise<boolean> {
  const socket = await socketOf(remotePort!, localPort!);
  if (socket === undefined) return false;
  const namespace = await Deno.readLink("/proc/self/ns/pid");
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const process = `/proc/${name}`;
    if (await holds(process, socket) && await linkOf(`${process}/ns/pid`) === namespace) {
      return true;
    }
  }
  return false;
}

/** Finds the name of the socket that connects two ports, as `/proc` writes it. */
async function socketOf(from: number, to: number): Promise<string | undefined> {
  const portOf = (port: number) => port.toString(16).toUpperCase().padStart(4, "0");
  const row = new RegExp(
    `^ *\\d+: [0-9A-F]*0100007F:${portOf(from)} [0-9A-F]*0100007F:${
      portOf(to)
    } 01(?: +\\S+){3} +${Deno.uid()} +\\d+ +(\\d+) `,
    "m",
  );
  for (const table of ["tcp", "tcp6"]) {
    const text = await Deno.readTextFile(`/proc/self/net/${table}`).catch(() => "");
    const inode = row.exec(text)?.[1];
    if (inode !== undefined) return `socket:[${inode}]`;
  }
}

async function holds(process: string, socket: string): Promise<boolean> {
  try {
    for await (const { name } of Deno.readDir(`${process}/fd`)) {
      if (await linkOf(`${process}/fd/${name}`) === socket) return true;
    }
  } catch {
    // The process has ended, or is another user's.
  }
  return false;
}

/** Reads a link; `undefined` if it is gone or another user's. */
function linkOf(path: string): Promise<string | undefined> {
  return Deno.readLink(path).catch(() => undefined);
}
