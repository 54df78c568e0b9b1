import { logger } from "../logger/mod.ts";
import { Connection, type Send, UnansweredError } from "./connection.ts";
import { describeFailure, errorTypeField, type Failure, xrayCause } from "./failure.ts";
import type { Host } from "./host.ts";
import { type Response, RuntimeApiError } from "./response.ts";

const ROOT = "/2018-06-01/runtime";
const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/** An invocation as the Runtime API sends it. */
export interface Next {
  /** The request id. */
  readonly id: string;
  readonly fields: Response["fields"];
  /** The event: bytes of JSON. */
  readonly event: Uint8Array;
}

/**
 * The Runtime API over one connection.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export class RuntimeClient {
  #connection: Connection;
  #directory: string;

  constructor(api: string, host: Host) {
    this.#connection = new Connection(api, host);
    this.#directory = host.getEnv("LAMBDA_TASK_ROOT") ?? "";
  }

  /** Connects before the first request. */
  async open(): Promise<void> {
    await this.#connection.open();
  }

  /** Closes the connection for good. */
  close(): void {
    this.#connection.end();
  }

  /**
   * Waits for the next invocation without a time-out.
   *
   * @throws {RuntimeApiError} If the connection fails, or if the status is not 200.
   */
  async next(): Promise<Next> {
    const response = await this.#connection.exchange(`GET ${ROOT}/invocation/next`);
    const { status, fields, content } = response;
    if (status !== 200) throw refusal("Cannot fetch the next invocation", response);
    const id = fields.get("lambda-runtime-aws-request-id");
    if (id) return { id, fields, event: content };
    throw new RuntimeApiError(
      'Cannot serve the invocation: the header "Lambda-Runtime-Aws-Request-Id" is absent',
      { status },
    );
  }

  /** Answers an invocation with JSON. */
  async respond(id: string, json: string): Promise<void> {
    await this.#report("answer the invocation", () => {
      return this.#connection.exchange(`POST ${ROOT}/invocation/${id}/response`, "", json);
    });
  }

  /**
   * Answers an invocation with a stream. If the connection is lost before the platform answers, the invocation is
   * reported as failed. If the platform received the whole stream, it refuses this report.
   *
   * @param type The media type of the stream.
   * @param write Sends the chunks. It returns the failure that ended the stream early, if there was one.
   */
  async stream(
    id: string,
    type: string,
    write: (send: Send, answered: Promise<void>) => Promise<Failure | undefined>,
  ): Promise<void> {
    const target = `POST ${ROOT}/invocation/${id}/response`;
    const fields = `Content-Type: ${type}\r\nLambda-Runtime-Function-Response-Mode: streaming\r\n` +
      "Trailer: Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body\r\n";
    const error = await this.#report("stream the answer of the invocation", () => {
      return this.#connection.stream(target, fields, async (send, answered) => {
        const failure = await write(send, answered);
        return failure ? trailers(failure) : "";
      });
    });
    if (error instanceof UnansweredError) await this.fail(id, describeFailure(error));
  }

  /** Reports that an invocation failed. */
  async fail(id: string, failure: Failure): Promise<void> {
    await this.#report("report the failure of the invocation", () => {
      return this.#postFailure(`/invocation/${id}/error`, failure);
    });
  }

  /** Reports that the function did not start. */
  async failInit(failure: Failure): Promise<void> {
    await this.#report("report the failed start", () => this.#postFailure("/init/error", failure));
  }

  /**
   * Sends the report that ends an invocation. A refusal is only logged, because AWS Lambda accepts no other report after
   * a response that was too large or too late.
   *
   * @returns The error if no answer came.
   * @throws {RuntimeApiError} If the answer is 5xx, because then the runtime must end.
   */
  async #report(action: string, send: () => Promise<Response>): Promise<unknown> {
    let response: Response;
    try {
      response = await send();
    } catch (error) {
      logger.error(`Cannot ${action}`, error); // if the API is gone, the next request ends the loop
      return error;
    }
    if (response.status < 300) return;
    const error = refusal(`Cannot ${action}`, response);
    if (response.status >= 500) throw error;
    logger.error(error.message);
  }

  #postFailure(path: string, failure: Failure): Promise<Response> {
    const fields = `Lambda-Runtime-Function-Error-Type: ${errorTypeField(failure.errorType)}\r\n` +
      `Lambda-Runtime-Function-XRay-Error-Cause: ${xrayCause(failure, this.#directory)}\r\n`;
    return this.#connection.exchange(`POST ${ROOT}${path}`, fields, JSON.stringify(failure));
  }
}

function trailers(failure: Failure): string {
  const bytes = ENCODER.encode(JSON.stringify(failure));
  const body = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return `Lambda-Runtime-Function-Error-Type: ${errorTypeField(failure.errorType)}\r\n` +
    `Lambda-Runtime-Function-Error-Body: ${body}\r\n`;
}

function refusal(action: string, { status, content }: Response): RuntimeApiError {
  const text = DECODER.decode(content);
  return new RuntimeApiError(`${action}: the Runtime API answered ${status} ${text}`.trim(), {
    status,
  });
}
