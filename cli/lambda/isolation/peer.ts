import type { Socket } from "node:net";
import { Connections, type Program } from "./connections.ts";

/**
 * Tells whether the other end of a connection to this Linux is a program of the developer that passes on no request of a
 * function. This is so if the functions have process namespaces of their own.
 *
 * The program runs as this user, in the namespace of this process. It may listen and have clients, as editors and browsers do.
 * But none of them, and none of their clients, may be a function, or a client that is not of this machine's programs: a
 * function may stand behind a container, too.
 */
export function isDeveloper(socket: Socket): boolean {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  if (remoteAddress === undefined) return false; // It has gone.
  const connections = Connections.read();
  const peer = connections.find(remoteAddress, remotePort!, localAddress!, localPort!);
  if (peer?.uid !== Deno.uid()) return false;
  const seen = new Set<string>();
  const isHarmless = (program: Program): boolean => {
    if (program.kind === "own" || seen.has(program.id)) return true;
    seen.add(program.id);
    return program.kind !== "function" && connections.of(program).every((end) => {
      const isAccepted = connections.isAccepted(end);
      const other = connections.otherOf(end);
      if (other === undefined) return !isAccepted;
      return other.programs.every((one) => isAccepted ? isHarmless(one) : one.kind !== "function");
    });
  };
  return peer.programs.length > 0 &&
    peer.programs.every((program) => program.kind !== "hidden" && isHarmless(program));
}
