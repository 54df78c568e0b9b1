import { Buffer } from "node:buffer";

/** A response, ready to be sent. */
export interface Reply {
  /** The status code. */
  readonly status: number;
  /** The headers. A name may be repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body. */
  readonly body: Uint8Array | ReadableStream<Uint8Array>;
}

/** A response without a body, or with a text. */
export function reply(status: number, headers: Reply["headers"] = [], body = ""): Reply {
  return { status, headers, body: Buffer.from(body) };
}

/** A response that is JSON. */
export function jsonReply(status: number, value: unknown, headers: Reply["headers"] = []): Reply {
  const body = `${JSON.stringify(value, null, 2)}\n`;
  return reply(status, [["Content-Type", "application/json"], ...headers], body);
}

/** A response that says what was wrong. */
export function errorReply(
  status: number,
  message: string,
  headers: Reply["headers"] = [],
): Reply {
  return jsonReply(status, { message }, headers);
}

/** A refusal that is thrown where a request is read, and sent. */
export class Refusal extends Error {
  /** The response. */
  readonly reply: Reply;

  /**
   * Makes the refusal.
   *
   * @param status The status code.
   * @param message What was wrong.
   * @param headers Further headers.
   */
  constructor(status: number, message: string, headers: Reply["headers"] = []) {
    super(message);
    this.name = "Refusal";
    this.reply = errorReply(status, message, headers);
  }
}

/**
 * Refuses other methods than some.
 *
 * @param method The method of the request.
 * @param methods The methods that are allowed.
 * @throws {Refusal} If the method is another one: 405.
 */
export function allow(method: string, ...methods: readonly string[]): void {
  if (methods.includes(method)) return;
  const list = methods.join(", ");
  const message = `The method ${method} is not allowed here: use ${list}`;
  throw new Refusal(405, message, [["Allow", list]]);
}
