/**
 * Keeps the engine of the tables apart from all other programs, because it checks no rights: in a network namespace of its
 * own, nobody reaches its port. A relay in the namespace takes connections at a Unix socket, in a folder of the platform.
 *
 * @module
 */
import { findProgram, prepare } from "../../programs/find_program.ts";

/** The command that starts a program in a network of its own, or the reason why this machine has none. */
export type OwnNetwork =
  | { readonly command: readonly [string, ...string[]]; readonly problem?: undefined }
  | { readonly command?: undefined; readonly problem: string };

let found: Promise<OwnNetwork> | undefined;

/** Finds out whether this machine lets the user make a network namespace. */
export function findOwnNetwork(): Promise<OwnNetwork> {
  return found ??= tryUnshare();
}

async function tryUnshare(): Promise<OwnNetwork> {
  if (Deno.build.os !== "linux") return { problem: `${Deno.build.os} has no network namespaces` };
  const unshare = await findProgram("unshare");
  if (unshare === undefined) return { problem: '"unshare" of util-linux is not installed' };
  const args = [...(Deno.uid() === 0 ? [] : ["--user", "--map-root-user"]), "--net", "--"];
  const { success, stderr } = await prepare(unshare, { args: [...args, "true"] }).output();
  if (success) return { command: [unshare, ...args] };
  const [line] = new TextDecoder().decode(stderr).trim().split("\n");
  return { problem: line || "the system refuses a network namespace" };
}

/**
 * The program in the namespace. It starts the engine, passes on the bytes of each connection, and ends as the engine ends.
 *
 * This function becomes a text, so it uses nothing of its module. The arguments of the program are the path of the socket, the
 * port of the engine, and the command of the engine.
 */
async function relay(): Promise<void> {
  const [path = "", port, program = "", ...args] = Deno.args;
  // The loopback interface of a new namespace is down, and not every system has the program `ip`.
  const { symbols } = Deno.dlopen("libc.so.6", {
    socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
    ioctl: { parameters: ["i32", "usize", "buffer"], result: "i32" },
  });
  const request = new Uint8Array(40); // "struct ifreq": the name, and the flags from byte 16 on
  request.set(new TextEncoder().encode("lo"));
  request[16] = 1; // IFF_UP
  const datagram = symbols.socket(2, 2, 0); // AF_INET, SOCK_DGRAM
  if (symbols.ioctl(datagram, 0x8914n, request) !== 0) { // SIOCSIFFLAGS
    throw new Error("the loopback interface of the network namespace stays down");
  }
  const listener = Deno.listen({ transport: "unix", path });
  const engine = new Deno.Command(program, { args, stdout: "null" }).spawn();
  void engine.status.then(({ code }) => {
    Deno.removeSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.exit(code);
  });
  const passOn = async (client: Deno.Conn) => {
    try {
      const server = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
      server.setNoDelay();
      // Either side may end the connection at any time.
      await Promise.allSettled([
        client.readable.pipeTo(server.writable),
        server.readable.pipeTo(client.writable),
      ]);
    } catch {
      client.close(); // The engine ends.
    }
  };
  for await (const client of listener) void passOn(client);
}

/** Makes the arguments for Deno that start the relay. */
export function relayArgs(path: string, port: number, program: readonly string[]): string[] {
  const module = `data:text/javascript,${encodeURIComponent(`await (${relay})();`)}`;
  const flags = ["--allow-all", "--quiet", "--no-config", "--no-lock", "--no-code-cache"];
  return ["run", ...flags, module, path, String(port), ...program];
}
