import { logger } from "../logger/mod.ts";
import type { Address } from "./address.ts";
import { Connection, type Response, UnansweredError, type Writer } from "./connection.ts";
import { describeFailure, errorTypeField, type Failure } from "./failure.ts";
import type { Head } from "./head.ts";
import type { Host } from "./host.ts";
import { RuntimeApiError } from "./runtime_api_error.ts";
import { xrayCause } from "./xray.ts";

const ROOT = "/2018-06-01/runtime";
const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/** Where the content begins in the buffer for short requests; the head ends there. */
const HEAD = 1024;
const BUFFER = 32 * 1024;

/** An invocation, as received. */
export interface Next {
  readonly id: string;
  readonly fields: Head["fields"];
  /** The event: JSON, as bytes that are only valid until the next request. */
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
  #next: Uint8Array;
  #tail: string; // what ends every head
  #buffer = new Uint8Array(BUFFER);
  #fetching = false;

  constructor(address: Address, host: Host) {
    this.#connection = new Connection(address, host);
    this.#directory = host.getEnv("LAMBDA_TASK_ROOT") ?? "";
    this.#tail = `Host: ${address.authority}\r\nUser-Agent: mate-core\r\n\r\n`;
    this.#next = ENCODER.encode(`GET ${ROOT}/invocation/next HTTP/1.1\r\n${this.#tail}`);
  }

  /** Connects while something else is done; a failure shows at the first request. */
  async open(): Promise<void> {
    await this.#connection.open().catch(() => {});
  }

  /** Closes the connection for good. */
  close(): void {
    this.#connection.end();
  }

  /** Ends the wait for the next invocation, if it waits; a report may still be sent. */
  stopFetching(): void {
    if (this.#fetching) this.close();
  }

  /**
   * Waits for the next invocation, however long it takes.
   *
   * @throws {RuntimeApiError} If there is no connection, or another answer.
   */
  async next(): Promise<Next> {
    this.#fetching = true;
    const { head, content } = await this.#connection.exchange(this.#next);
    this.#fetching = false;
    if (head.status !== 200) {
      throw refused("Cannot fetch the next invocation", head.status, content);
    }
    const id = head.fields.get("lambda-runtime-aws-request-id");
    if (!id) {
      throw new RuntimeApiError(
        'Cannot serve the invocation: the header "Lambda-Runtime-Aws-Request-Id" is absent',
        { status: 200 },
      );
    }
    return { id, fields: head.fields, event: content };
  }

  /** Answers an invocation with JSON. */
  async respond(id: string, json: string): Promise<void> {
    await this.#report("answer the invocation", () => {
      return this.#post(`/invocation/${encodeURIComponent(id)}/response`, json);
    });
  }

  /**
   * Answers an invocation with bytes that are not all known yet. They cannot be sent again: where the connection is
   * lost before the platform answers, the invocation is reported as failed, which the platform refuses if it has them.
   *
   * @param type Their media type.
   * @param write Writes them, for the failure that ended them early.
   */
  async stream(
    id: string,
    type: string,
    write: (writer: Writer, answered: Promise<unknown>) => Promise<Failure | undefined>,
  ): Promise<void> {
    const head = ENCODER.encode(
      `POST ${ROOT}/invocation/${encodeURIComponent(id)}/response HTTP/1.1\r\n` +
        `Content-Type: ${type}\r\nLambda-Runtime-Function-Response-Mode: streaming\r\n` +
        "Trailer: Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body\r\n" +
        `Transfer-Encoding: chunked\r\n${this.#tail}`,
    );
    const error = await this.#report("stream the answer of the invocation", () => {
      return this.#connection.stream(head, async (writer, answered) => {
        const failure = await write((bytes) => this.#writeChunk(writer, bytes), answered);
        await writer(ENCODER.encode(`0\r\n${failure ? trailers(failure) : ""}\r\n`));
      });
    });
    if (error instanceof UnansweredError) await this.fail(id, describeFailure(error));
  }

  /** Says that an invocation failed. */
  async fail(id: string, failure: Failure): Promise<void> {
    await this.#report("report the failure of the invocation", () => {
      const path = `/invocation/${encodeURIComponent(id)}/error`;
      return this.#post(path, JSON.stringify(failure), this.#failureFields(failure));
    });
  }

  /** Says that there will be no first invocation. */
  async failInit(failure: Failure): Promise<void> {
    await this.#report("report the failed start", () => {
      return this.#post("/init/error", JSON.stringify(failure), this.#failureFields(failure));
    });
  }

  #failureFields(failure: Failure): string {
    return `Lambda-Runtime-Function-Error-Type: ${errorTypeField(failure.errorType)}\r\n` +
      `Lambda-Runtime-Function-XRay-Error-Cause: ${xrayCause(failure, this.#directory)}\r\n`;
  }

  /**
   * Sends what ends an invocation. A refusal is logged, for the invocation is over either way: nothing may follow a
   * response that was too large, or that came too late.
   *
   * @returns Why there was no answer, where there was none.
   * @throws {RuntimeApiError} If the platform asks the runtime to end.
   */
  async #report(
    action: string,
    send: () => Promise<Response>,
  ): Promise<RuntimeApiError | undefined> {
    let response: Response;
    try {
      response = await send();
    } catch (error) {
      if (!(error instanceof RuntimeApiError)) throw error;
      logger.error(`Cannot ${action}`, error); // if there is no connection at all, `next` says so
      return error;
    }
    const { head: { status }, content } = response;
    if (status < 300) return undefined;
    const error = refused(`Cannot ${action}`, status, content);
    if (status >= 500) throw error;
    logger.error(error.message);
    return undefined;
  }

  #post(path: string, json: string, fields = ""): Promise<Response> {
    // A character takes three bytes at most, so that a short text surely fits.
    const fits = json.length * 3 <= BUFFER - HEAD;
    const long = fits ? undefined : ENCODER.encode(json);
    const length = long?.length ?? ENCODER.encodeInto(json, this.#buffer.subarray(HEAD)).written;
    const head = `POST ${ROOT}${path} HTTP/1.1\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${length}\r\n${fields}${this.#tail}`;
    if (long) return this.#connection.exchange(ENCODER.encode(head), long);
    if (head.length > HEAD) {
      const content = this.#buffer.subarray(HEAD, HEAD + length);
      return this.#connection.exchange(ENCODER.encode(head), content);
    }
    // Head and content in one piece of memory: one write, nothing allocated.
    const start = HEAD - head.length;
    ENCODER.encodeInto(head, this.#buffer.subarray(start, HEAD));
    return this.#connection.exchange(this.#buffer.subarray(start, HEAD + length));
  }

  async #writeChunk(writer: Writer, bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return; // would end the content
    const size = ENCODER.encode(`${bytes.length.toString(16)}\r\n`);
    if (size.length + bytes.length + 2 > BUFFER) {
      await writer(size);
      await writer(bytes);
      await writer(CRLF);
      return;
    }
    this.#buffer.set(size);
    this.#buffer.set(bytes, size.length);
    this.#buffer.set(CRLF, size.length + bytes.length);
    await writer(this.#buffer.subarray(0, size.length + bytes.length + 2));
  }
}

const CRLF = ENCODER.encode("\r\n");

function trailers(failure: Failure): string {
  const body = btoa(
    Array.from(ENCODER.encode(JSON.stringify(failure)), (byte) => {
      return String.fromCharCode(byte);
    }).join(""),
  );
  return `Lambda-Runtime-Function-Error-Type: ${errorTypeField(failure.errorType)}\r\n` +
    `Lambda-Runtime-Function-Error-Body: ${body}\r\n`;
}

function refused(action: string, status: number, content: Uint8Array): RuntimeApiError {
  const said = DECODER.decode(content.subarray(0, 1_000));
  return new RuntimeApiError(`${action}: the Runtime API answered ${status} ${said}`.trim(), {
    status,
  });
}
