/**
 * The Runtime API as AWS Lambda serves it to one sandbox, over HTTP on the loopback interface.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 * @module
 */
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { closeServer, startServer } from "../http.ts";
import { MAX_RESULT } from "../../rules/limits.ts";
import {
  type Answer,
  type ErrorAnswer,
  type Invocation,
  nextHeaders,
  readAnswer,
  readError,
  runtimeError,
} from "./invocation.ts";

/** The state of a runtime. */
type State = "Started" | "InitError" | "Ready" | "Running" | "Responding" | "ResponseSent";

/** The names of the requests of a runtime in error messages, and the states that allow the requests. */
const TRANSITIONS = {
  // If a runtime asks again while an invocation runs, it gets the same invocation again.
  Ready: ["Started", "Running", "ResponseSent"],
  InitError: ["Started"],
  InvocationResponse: ["Running"],
  InvocationErrorResponse: ["Running"],
} as const satisfies Record<string, readonly State[]>;

const POST = /^\/2018-06-01\/runtime\/invocation\/([^/]+)\/(response|error)$/;

/**
 * The Runtime API of one sandbox.
 *
 * Every user of the machine can find its port. So each path begins with a secret, which only the environment of the sandbox
 * has: no other user can read the environment of a process. The Runtime API refuses requests without the secret, requests for
 * other hosts and requests of browsers.
 */
export class RuntimeApi implements AsyncDisposable {
  /** The value of `AWS_LAMBDA_RUNTIME_API`: host, port and the secret. */
  readonly address: string;
  /** Resolves at the end of the init phase, with an error if the runtime could not start. */
  readonly started: Promise<ErrorAnswer | undefined>;
  readonly #server: Server;
  /** The host and the port. */
  readonly #authority: string;
  /** The path before each path of the API. */
  readonly #root: string = `/${randomBytes(16).toString("hex")}`;
  #state: State = "Started";
  #invocation: Invocation | undefined;
  #poll: ServerResponse | undefined;
  readonly #start = Promise.withResolvers<ErrorAnswer | undefined>();
  #answered = Promise.withResolvers<Answer>();
  #finished = Promise.withResolvers<void>();

  private constructor(server: Server) {
    this.#server = server;
    this.started = this.#start.promise;
    const { address, port } = server.address() as AddressInfo;
    this.#authority = `${address}:${port}`;
    this.address = this.#authority + this.#root;
    server.on("request", (request, response) => void this.#serve(request, response));
  }

  static async listen(): Promise<RuntimeApi> {
    // A runtime waits for its next invocation without a time-out. It may be frozen while it waits.
    const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
    return new RuntimeApi(await startServer(server, 0, "127.0.0.1"));
  }

  /**
   * Sends an invocation to the runtime when the runtime asks for it. The previous invocation must be finished.
   *
   * @returns Two promises: `answered` resolves when the runtime has posted a result or an error. `finished` resolves when
   * the runtime asks for the next invocation.
   */
  invoke(
    invocation: Invocation,
  ): { readonly answered: Promise<Answer>; readonly finished: Promise<void> } {
    this.#invocation = invocation;
    this.#answered = Promise.withResolvers();
    this.#finished = Promise.withResolvers();
    if (this.#poll !== undefined) this.#sendNext(this.#poll);
    return { answered: this.#answered.promise, finished: this.#finished.promise };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeServer(this.#server);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on("error", () => {}); // The reader of the body gets the error.
    const { method, headers } = request;
    const [target = ""] = request.url!.split("?");
    const path = target.slice(this.#root.length);
    const [, id, kind] = POST.exec(path) ?? [];
    if (
      !target.startsWith(`${this.#root}/`) || headers.host !== this.#authority ||
      headers.origin !== undefined ||
      Object.keys(headers).some((name) => name.startsWith("sec-fetch-"))
    ) {
      send(response, 403, "Forbidden", "Only the runtime of the sandbox may use its Runtime API");
    } else if (path === "/2018-06-01/runtime/invocation/next" && method === "GET") {
      this.#next(response);
    } else if (path === "/2018-06-01/runtime/init/error" && method === "POST") {
      await this.#initError(request, response);
    } else if (id !== undefined && method === "POST") {
      await this.#answer(request, response, id, kind === "error");
    } else {
      response.writeHead(404, { "content-type": "text/plain" });
      response.end("404 page not found\n");
    }
    request.resume(); // This discards the rest of the body.
  }

  /** Tells whether the state allows a request. If not, answers the request. */
  #admit(response: ServerResponse, transition: keyof typeof TRANSITIONS): boolean {
    const states: readonly State[] = TRANSITIONS[transition];
    if (states.includes(this.#state)) return true;
    const from = this.#state === "ResponseSent" ? "RuntimeResponseSentState" : this.#state;
    const message = `State transition from ${from} to ${transition} failed for runtime. ` +
      "Error: State transition is not allowed";
    send(response, 403, "InvalidStateTransition", message);
    return false;
  }

  #next(response: ServerResponse): void {
    // The state is "Ready" while one connection waits. Then no other connection may wait.
    if (!this.#admit(response, "Ready")) return;
    const before = this.#state;
    this.#poll = response;
    if (before === "Running") return this.#sendNext(response);
    this.#state = "Ready";
    response.on("close", () => {
      if (this.#poll !== response) return;
      this.#poll = undefined; // The runtime closed the connection. It may ask again.
      this.#state = before;
    });
    this.#start.resolve(undefined);
    if (this.#invocation === undefined) this.#finished.resolve();
    else this.#sendNext(response);
  }

  #sendNext(response: ServerResponse): void {
    this.#poll = undefined;
    this.#state = "Running";
    const { payload } = this.#invocation!;
    response.writeHead(200, {
      ...nextHeaders(this.#invocation!),
      "content-length": payload.length,
    });
    response.end(payload);
  }

  async #initError(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const error = await readError(request).catch(() => undefined);
    if (!this.#admit(response, "InitError")) return;
    this.#state = "InitError";
    if (error === undefined) return; // The process is ending. Its exit is the error.
    this.#start.resolve(error);
    confirm(response, error);
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    isError: boolean,
  ): Promise<void> {
    if (!this.#admit(response, isError ? "InvocationErrorResponse" : "InvocationResponse")) return;
    if (id !== this.#invocation!.requestId) {
      return send(response, 400, "InvalidRequestID", "Invalid request ID");
    }
    this.#state = "Responding";
    const isStream = request.headers["lambda-runtime-function-response-mode"] === "streaming";
    try {
      const answer = await readAnswer(request, isError, isStream, this.#invocation!.stream);
      this.#settle(answer);
      confirm(response, answer);
    } catch {
      const message = `RequestId: ${id} Error: The connection broke in the middle of the response`;
      this.#settle(runtimeError("Runtime.TruncatedResponse", message));
    }
  }

  #settle(answer: Answer): void {
    this.#state = "ResponseSent";
    this.#invocation = undefined;
    this.#answered.resolve(answer);
  }
}

/** Answers a runtime that what it has posted is accepted, or too large. */
function confirm(response: ServerResponse, { kind }: Answer): void {
  if (kind !== "too large") return send(response, 202);
  const message = `Exceeded maximum allowed payload size (${MAX_RESULT} bytes).`;
  send(response, 413, "RequestEntityTooLarge", message);
}

/** Answers a runtime that its request is accepted, or with an error as AWS Lambda writes it. */
function send(
  response: ServerResponse,
  status: number,
  errorType?: string,
  errorMessage?: string,
): void {
  const value = errorType === undefined ? { status: "OK" } : { errorMessage, errorType };
  const body = `${JSON.stringify(value)}\n`;
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}
