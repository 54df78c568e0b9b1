import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { IncomingMessage } from "node:http";
import { once } from "node:events";
import type { Stopwatch } from "../stopwatch.ts";

/** What Deno and Node.js write about their inspectors. These lines are not the log of the function. */
const LINE =
  /^Debugger (?:attached\.|session (?:started\.|ended.*)|(?:listening|ending) on ws:.*)$|^For help, see: https:\/\/nodejs\.org\/|^Visit chrome:\/\/inspect to connect |^Deno is waiting for debugger to connect\.$|^Waiting for the debugger to disconnect\.\.\.$/;

/** What Node.js writes when it cannot end because a debugger is attached. */
const END = "Waiting for the debugger to disconnect...";

/** The header fields of a debugger that the inspector gets. */
const FIELD = /^(?:connection|upgrade|sec-websocket-[a-z]+)$/;

/**
 * The inspector of one process, and the debuggers that are attached to it.
 *
 * The inspector listens on the loopback interface, where a function for Node.js reaches every port. So it publishes the path
 * of its WebSocket only on the standard error of the process, which only the platform reads. The process cannot lead the
 * platform to another port, because the platform chooses the port.
 */
export class Inspection {
  readonly #port: number;
  readonly #path = Promise.withResolvers<string>();
  readonly #sockets = new Set<Socket>();
  readonly #time: Stopwatch;
  /** Is called when the first debugger is attached, and when the last one has gone. */
  onChange: () => void = () => {};

  private constructor(port: number, time: Stopwatch) {
    this.#port = port;
    this.#time = time;
    this.#path.promise.catch(() => {}); // Perhaps no debugger waits.
  }

  /** Finds a free port. */
  static async prepare(time: Stopwatch): Promise<Inspection> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    return new Inspection(port, time);
  }

  /**
   * The options of Deno and Node.js.
   *
   * @param waits Whether the function starts when the debugger has set its breakpoints.
   */
  options(waits: boolean): string[] {
    const option = waits ? "--inspect-wait" : "--inspect";
    return [`${option}=127.0.0.1:${this.#port}`, "--inspect-publish-uid=stderr"];
  }

  get isAttached(): boolean {
    return this.#sockets.size > 0;
  }

  /** Takes a line of the process, if the line is about the inspector. */
  takes(line: string): boolean {
    if (!LINE.test(line)) return false;
    const [start, path] = line.split(`:${this.#port}/`, 2);
    if (start === "Debugger listening on ws://127.0.0.1" && path !== undefined) {
      this.#path.resolve(`/${path}`);
    }
    if (line === END) this.#detachAll();
    return true;
  }

  /** Connects a debugger with the inspector. Rejects if the process ends before. */
  async attach({ headers }: IncomingMessage, socket: Socket, first: Uint8Array): Promise<void> {
    const release = this.#time.hold();
    this.#sockets.add(socket);
    if (this.#sockets.size === 1) this.onChange();
    socket.once("close", () => {
      release();
      this.#sockets.delete(socket);
      if (this.#sockets.size === 0) this.onChange();
    });
    const path = await this.#path.promise;
    const fields = Object.entries(headers).filter(([name]) => FIELD.test(name))
      .map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const inspector = connect(this.#port, "127.0.0.1");
    inspector.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${this.#port}\r\n${fields}\r\n`);
    inspector.write(first);
    for (const [one, other] of [[socket, inspector], [inspector, socket]] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
      one.pipe(other);
    }
  }

  /** The process has ended. */
  end(): void {
    this.#path.reject(new Error("the function has ended"));
    this.#detachAll();
  }

  #detachAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
