import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { AccessKeys } from "../aws/credentials.ts";
import { jsonFailure, ServiceError } from "../aws/service_call.ts";
import { errorReply, type Reply } from "../lambda/http.ts";
import { listen } from "./server.ts";

/** The port through which a request reached the services of AWS. */
export interface Door {
  /** Whether the port is that for functions. Through the developer's port, everything is allowed. */
  readonly isForFunctions: boolean;
  readonly port: number;
  readonly sourceIp: string;
}

/** What a platform answers. */
export interface Answers {
  /** Answers a request to the application, or to the platform itself. */
  http(request: IncomingMessage): Promise<Reply>;
  /** Answers a request to a service of AWS. */
  service(request: Request, door: Door): Promise<Response>;
}

const STOPPING = "The local platform is stopping";

const STOPPED: Answers = {
  http: () => Promise.resolve(errorReply(503, STOPPING)),
  service: () => Promise.resolve(failure(STOPPING, 503)),
};

/** Passes requests to the platform that answers now. Between two platforms, requests wait. */
class Gate {
  #next = Promise.withResolvers<Answers>();
  answers: Promise<Answers> = this.#next.promise;

  #isOpen = false;

  close(): void {
    if (!this.#isOpen) return; // Requests wait already, and must not be forgotten.
    this.#isOpen = false;
    this.#next = Promise.withResolvers();
    this.answers = this.#next.promise;
  }

  open(answers: Answers): void {
    this.#isOpen = true;
    this.#next.resolve(answers);
    this.answers = Promise.resolve(answers);
  }
}

/**
 * The open ports, and the keys with which functions reach the services. They outlive a platform: between two platforms,
 * requests wait, and no other program can take a port.
 */
export class Sockets implements AsyncDisposable {
  readonly keys: AccessKeys = new AccessKeys();
  readonly #gate: Gate;
  readonly #owned: AsyncDisposableStack;

  private constructor(
    gate: Gate,
    /** The port of the application and of the platform itself. */
    readonly port: number,
    /** The first element of each path of the platform itself, which no function can guess. It is another one in each start. */
    readonly secret: string,
    /** The URL of the services for the developer, with a secret. */
    readonly servicesUrl: string,
    /** The URL of the services for functions. */
    readonly functionsUrl: string,
    owned: AsyncDisposableStack,
  ) {
    this.#gate = gate;
    this.#owned = owned;
  }

  /**
   * Opens the ports. Requests wait for the first platform.
   *
   * @param port The port of the application. If it is 0, the system chooses a free port.
   * @param note Takes a line for the log.
   * @throws {PortTakenError} If another program listens on the port.
   */
  static async open(port: number, note: (text: string) => void): Promise<Sockets> {
    await using stack = new AsyncDisposableStack();
    const gate = new Gate();
    const listener = async (request: IncomingMessage) => await (await gate.answers).http(request);
    const server = stack.use(
      await listen(listener, { port, onError: ({ message }) => note(message) }),
    );
    const secret = randomBytes(16).toString("hex");
    const servicesUrl = serveServices(stack, gate, note, `/${secret}`);
    const functionsUrl = serveServices(stack, gate, note);
    return new Sockets(gate, server.port, secret, servicesUrl, functionsUrl, stack.move());
  }

  /** Lets new requests wait for the next platform. */
  pause(): void {
    this.#gate.close();
  }

  /** Lets a platform answer the requests that wait, and all later ones. */
  serve(answers: Answers): void {
    if (!this.#owned.disposed) this.#gate.open(answers);
  }

  /** Closes the ports and all connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#gate.open(STOPPED);
    await this.#owned.disposeAsync();
  }
}

/**
 * Opens a port of the services. Returns its URL.
 *
 * @param root The path before each path, with a secret. Without one, the port is that for functions.
 */
function serveServices(
  stack: AsyncDisposableStack,
  gate: Gate,
  note: (text: string) => void,
  root = "",
): string {
  const end = new AbortController();
  const server: Deno.HttpServer<Deno.NetAddr> = Deno.serve(
    {
      hostname: "127.0.0.1",
      port: 0,
      signal: end.signal,
      onListen: () => {},
      // Deno would print the error. The error may quote the request, with sequences that control the terminal.
      onError: (error) => {
        const { message } = error as Error;
        note(`Cannot answer a request to a service: ${message}`);
        return failure(message, 500);
      },
    },
    async (request, { remoteAddr }) => {
      const { service } = await gate.answers;
      const { port } = server.addr;
      if (root !== "") {
        const { url } = request;
        const start = url.indexOf("/", url.indexOf("//") + 2);
        if (!url.startsWith(root, start) || !/^[/?]|^$/.test(url.slice(start + root.length))) {
          return failure("The address needs its secret: the platform prints it at its start", 403);
        }
        const path = url.slice(start + root.length);
        // A new Request would change the path: Amazon S3 has keys such as "a/../b".
        const value = url.slice(0, start) + (path.startsWith("/") ? path : `/${path}`);
        Object.defineProperty(request, "url", { value });
      }
      return await service(request, {
        isForFunctions: root === "",
        port,
        sourceIp: remoteAddr.hostname,
      });
    },
  );
  stack.defer(async () => {
    end.abort();
    await server.finished;
  });
  return `http://127.0.0.1:${server.addr.port}${root}`;
}

function failure(message: string, status: number): Response {
  return jsonFailure(new ServiceError("InternalFailure", message, undefined, status));
}
