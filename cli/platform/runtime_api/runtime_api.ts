/**
 * The Runtime API as the platform serves it to one sandbox, over HTTP on the loopback interface.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 * @module
 */
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  type Answer,
  errorBody,
  MAX_RESPONSE,
  MAX_STREAM,
  postedError,
  tooLarge,
} from "./answer.ts";
import { readBody } from "./body.ts";
import { type Invocation, nextHeaders } from "./invocation.ts";
import { isAllowed, nameState, type State, type Transition } from "./state.ts";

const VERSION = "/2018-06-01";

/** What a Runtime API tells its owner. */
export interface RuntimeApiListener {
  /** The runtime asks for an invocation: its first request ends the init phase, a later one the invocation before. */
  onNext(): void;
  /** The runtime could not start. */
  onInitError(error: Answer & { kind: "error" }): void;
  /** The runtime answered the invocation. */
  onAnswer(answer: Answer): void;
}

/** The Runtime API of one sandbox. */
export class RuntimeApi implements AsyncDisposable {
  readonly #server: Server;
  readonly #listener: RuntimeApiListener;
  #state: State = "Started";
  #invocation: Invocation | undefined;
  #poll: ServerResponse | undefined;

  private constructor(server: Server, listener: RuntimeApiListener) {
    this.#server = server;
    this.#listener = listener;
  }

  /**
   * Starts to listen on a free port.
   *
   * @param listener What is told of the runtime's requests.
   * @returns The Runtime API.
   */
  static async listen(listener: RuntimeApiListener): Promise<RuntimeApi> {
    const server = createServer({ keepAlive: true });
    const api = new RuntimeApi(server, listener);
    // A runtime waits for its next invocation without a time-out, frozen for as long as it takes.
    server.keepAliveTimeout = 0;
    server.requestTimeout = 0;
    server.headersTimeout = 0;
    server.timeout = 0;
    server.on("request", (request, response) => void api.#serve(request, response));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    return api;
  }

  /** The value of `AWS_LAMBDA_RUNTIME_API`: host and port. */
  get address(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") {
      throw new Error("Cannot name the Runtime API's address: it does not listen");
    }
    return `${address.address}:${address.port}`;
  }

  /** Where the runtime is. */
  get state(): State {
    return this.#state;
  }

  /**
   * Hands an invocation to the runtime, as soon as it asks.
   *
   * @param invocation The invocation.
   * @throws {Error} If the one before has no answer.
   */
  invoke(invocation: Invocation): void {
    if (this.#invocation !== undefined) {
      throw new Error(
        `Cannot invoke "${invocation.requestId}": "${this.#invocation.requestId}" is under way`,
      );
    }
    this.#invocation = invocation;
    if (this.#poll !== undefined) this.#sendNext(this.#poll);
  }

  /** Closes every connection and the port. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?")[0]!;
    const isPost = request.method === "POST";
    const post = /^\/2018-06-01\/runtime\/invocation\/([^/]+)\/(response|error)$/.exec(path);
    if (path === `${VERSION}/runtime/invocation/next` && request.method === "GET") {
      this.#next(response);
    } else if (path === `${VERSION}/runtime/init/error` && isPost) {
      await this.#initError(request, response);
    } else if (post && isPost) {
      await this.#answer(request, response, post[1]!, post[2] === "error");
    } else {
      request.resume();
      response.writeHead(404, { "content-type": "text/plain" });
      response.end("404 page not found\n");
    }
  }

  /** Whether a request is allowed now; if not, it is answered. */
  #admit(response: ServerResponse, transition: Transition): boolean {
    if (isAllowed(this.#state, transition)) return true;
    const [from, to] = [nameState(this.#state), transition];
    const message = `State transition from ${from} to ${to} failed for runtime. ` +
      "Error: State transition is not allowed";
    send(response, 403, "InvalidStateTransition", message);
    return false;
  }

  #next(response: ServerResponse): void {
    if (!this.#admit(response, "Ready")) return;
    const isRepeated = this.#state === "Running";
    if (!isRepeated) this.#state = "Ready";
    this.#poll = response;
    response.on("close", () => {
      if (this.#poll === response) this.#poll = undefined; // the runtime went away, or asks anew
    });
    if (!isRepeated) this.#listener.onNext();
    if (this.#invocation !== undefined) this.#sendNext(response);
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
    const { bytes, isTruncated } = await readBody(request, MAX_RESPONSE);
    if (!this.#admit(response, "InitError")) return;
    this.#state = "InitError";
    if (isTruncated) return; // the process is going: its exit tells
    const error = postedError(header(request, "lambda-runtime-function-error-type"), bytes);
    this.#listener.onInitError(error as Answer & { kind: "error" });
    send(response, 202);
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    isError: boolean,
  ): Promise<void> {
    if (!this.#admit(response, isError ? "InvocationErrorResponse" : "InvocationResponse")) {
      request.resume();
      return;
    }
    if (id !== this.#invocation?.requestId) {
      request.resume();
      send(response, 400, "InvalidRequestID", "Invalid request ID");
      return;
    }
    this.#state = isError ? "InvocationErrorResponse" : "InvocationResponse";
    const mode = header(request, "lambda-runtime-function-response-mode");
    const isStream = !isError && mode === "streaming";
    const limit = isStream ? MAX_STREAM : MAX_RESPONSE;
    const { bytes, size, isTruncated } = await readBody(request, limit);
    const errorType = header(request, "lambda-runtime-function-error-type");
    if (isTruncated) {
      const type = "Runtime.TruncatedResponse";
      const message = `RequestId: ${id} Error: The connection broke in the middle of the response`;
      this.#settle({ kind: "error", errorType: type, body: errorBody(type, message) });
      send(response, 400, "TruncatedHTTPRequest", "HTTP request detected as truncated");
    } else if (isError) {
      this.#settle(postedError(errorType, bytes));
      send(response, 202);
    } else if (mode !== undefined && !isStream) {
      const type = "Runtime.InvalidResponseModeHeader";
      this.#settle({ kind: "error", errorType: type, body: errorBody(type, `"${mode}"`) });
      send(response, 400, "InvalidFunctionResponseMode", "Invalid function response mode");
    } else if (size > limit) {
      this.#settle(tooLarge(size));
      const message = `Exceeded maximum allowed payload size (${limit} bytes).`;
      send(response, 413, "RequestEntityTooLarge", message);
    } else {
      const contentType = header(request, "content-type") ?? "application/octet-stream";
      this.#settle(
        trailingError(request) ?? { kind: "response", body: bytes, contentType, isStream },
      );
      send(response, 202);
    }
  }

  #settle(answer: Answer): void {
    this.#state = "ResponseSent";
    this.#invocation = undefined;
    this.#listener.onAnswer(answer);
  }
}

/** The error that a stream ended with, from its trailers. */
function trailingError(request: IncomingMessage): Answer | undefined {
  const type = request.trailers["lambda-runtime-function-error-type"];
  if (type === undefined) return undefined;
  const encoded = request.trailers["lambda-runtime-function-error-body"] ?? "";
  return postedError(type, new Uint8Array(Buffer.from(encoded, "base64")));
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Answers a runtime: accepted, or an error in the platform's form. */
function send(
  response: ServerResponse,
  status: number,
  errorType?: string,
  errorMessage?: string,
): void {
  const body = JSON.stringify(
    errorType === undefined ? { status: "OK" } : { errorMessage, errorType },
  ) + "\n";
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}
