import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { closeServer, startServer } from "../http.ts";
import { Stopwatch } from "../stopwatch.ts";
import type { ApplicationFunction } from "../../application/types.ts";
import type { Isolation } from "../isolation/isolation.ts";
import type { Inspection } from "./inspection.ts";
import { NODE_PACKAGES, type NodeRuntime } from "../../programs/pinned_packages.ts";
import { isDeveloper } from "../isolation/peer.ts";

/** The port where debuggers look first. */
const PORT = 9229;

/**
 * Checks whether debuggers may inspect a function.
 *
 * @param system The system, such as `linux-x86_64`. The default is this machine.
 * @throws {Error} If they may not. The message says what would be right.
 */
export function checkInspected(
  name: string,
  functions: Readonly<Record<string, ApplicationFunction>>,
  isolation: Isolation,
  system = `${Deno.build.os}-${Deno.build.arch}`,
): void {
  const runtime = Object.hasOwn(functions, name) ? functions[name]!.runtime : undefined;
  if (runtime === undefined) {
    const names = Object.keys(functions).map((name) => `"${name}"`).join(", ");
    throw new Error(`Cannot inspect "${name}": the functions are ${names}`);
  }
  if (runtime === "deno" || isolation.kind !== "plain folders") return;
  const versionOf = (one: NodeRuntime) => NODE_PACKAGES[one].programs[system]?.version ?? "";
  const version = versionOf(runtime);
  if (version === "" || hasInspector(version)) return; // Without a version, the start of the function fails.
  const reason = `Node.js ${version} has no inspector if its permissions protect the files`;
  const other = hasInspector(versionOf("nodejs24.x")) ? 'on "nodejs24.x", or ' : "";
  const remedy = `inspect it ${other}on a Linux with mount namespaces`;
  throw new Error(`Cannot inspect "${name}" here: ${reason}; ${remedy}`);
}

/** Tells whether a version of Node.js has the option `--allow-inspector`. */
function hasInspector(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 24 || major === 24 && minor >= 12;
}

export interface InspectorOptions {
  /** The function. */
  readonly name: string;
  /** Finds the inspector of the process, and starts the process if none runs. */
  readonly find: () => Promise<Inspection>;
  /** Whether functions have processes of their own, which the system tells from other programs. */
  readonly isConfined: boolean;
  readonly note: (text: string) => void;
}

/**
 * Where debuggers attach to a function: a port on the loopback interface that stays the same while processes of the function
 * come and go.
 *
 * Who attaches can do everything that the function can. So the path is a secret of this start, which no function and no page
 * knows. `/json/list` tells it to programs of the developer, as debuggers expect, unless they pass on requests of functions. If
 * the system cannot tell, nobody gets it there.
 */
export class Inspector implements AsyncDisposable {
  /** The time that counts for the function. It stands still while a debugger is attached. */
  readonly time: Stopwatch = new Stopwatch();
  readonly name: string;
  readonly #options: InspectorOptions;
  readonly #secret: string = randomBytes(16).toString("hex");
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #isRefusalNoted = false;

  private constructor(options: InspectorOptions) {
    this.#options = options;
    this.name = options.name;
    this.#server = createServer((request, response) => {
      const [status, body] = this.#describe(request);
      response.writeHead(status, {
        "content-type": "application/json",
        "cache-control": "no-store",
      });
      response.end(JSON.stringify(body));
    });
    this.#server.on("upgrade", (request: IncomingMessage, socket: Socket, first: Uint8Array) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {}); // The debugger has gone.
      void this.#attach(request, socket, first);
    });
  }

  /** Opens the port: 9229 if it is free. */
  static async open(options: InspectorOptions): Promise<Inspector> {
    const inspector = new Inspector(options);
    const server = inspector.#server;
    const host = "127.0.0.1";
    await startServer(server, PORT, host).catch(() => startServer(server, 0, host));
    inspector.#port = (server.address() as AddressInfo).port;
    return inspector;
  }

  /** The address for a debugger. */
  get url(): string {
    return `ws://127.0.0.1:${this.#port}/${this.#secret}`;
  }

  /** What a developer does to attach a debugger. */
  get line(): string {
    const { isConfined, name } = this.#options;
    const found = isConfined ? `on port ${this.#port}, or ` : "";
    return `of "${name}": attach a debugger ${found}to ${this.url}, or open ${this.#page} in Chrome`;
  }

  get #page(): string {
    return `devtools://devtools/bundled/js_app.html?v8only=true&ws=${this.url.slice(5)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await closeServer(this.#server);
  }

  /** Whether a request names this port. A page could lead a host of its own to this machine. */
  #isHere({ headers }: IncomingMessage): boolean {
    return headers.host === `127.0.0.1:${this.#port}` || headers.host === `localhost:${this.#port}`;
  }

  #describe(request: IncomingMessage): [status: number, body: unknown] {
    if (!this.#isHere(request)) return [403, "Connect to 127.0.0.1"];
    const { isConfined, name } = this.#options;
    const isTold = isConfined && isDeveloper(request.socket);
    if (!isTold) {
      if (isConfined) this.#noteRefusal();
      return [403, "Attach to the address that the platform prints"];
    }
    if (request.url === "/json/version") {
      return [200, { Browser: "mate", "Protocol-Version": "1.3" }];
    }
    if (request.url !== "/json" && request.url !== "/json/list") return [404, "Not found"];
    return [200, [{
      description: "a function of AWS Lambda on this machine",
      devtoolsFrontendUrl: this.#page,
      id: this.#secret,
      title: name,
      type: "node",
      url: "file:///var/task/index.mjs",
      webSocketDebuggerUrl: this.url,
    }]];
  }

  /** Tells the developer once how a refused debugger attaches. */
  #noteRefusal(): void {
    if (this.#isRefusalNoted) return;
    this.#isRefusalNoted = true;
    const { name, note } = this.#options;
    note(
      `WARN A program may pass on requests of functions, so port ${this.#port} does not tell it where "${name}" is; ` +
        `if it is your debugger, attach it to ${this.url}`,
    );
  }

  async #attach(request: IncomingMessage, socket: Socket, first: Uint8Array): Promise<void> {
    const refuse = (status: string) =>
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    if (!this.#isHere(request) || request.url !== `/${this.#secret}`) {
      return void refuse("403 Forbidden");
    }
    try {
      const inspection = await this.#options.find();
      await inspection.attach(request, socket, first);
    } catch (error) {
      const { name, note } = this.#options;
      note(`ERROR Cannot attach a debugger to "${name}": ${(error as Error).message}`);
      refuse("503 Service Unavailable");
    }
  }
}
