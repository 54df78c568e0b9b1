import { concat, type Reader } from "./reader.ts";

/** A response of the Runtime API. */
export interface Response {
  readonly status: number;
  /** The header fields by their names in lower case. */
  readonly fields: ReadonlyMap<string, string>;
  readonly content: Uint8Array;
}

/**
 * Reads the next response of a connection.
 *
 * The Runtime API is a server of the platform on this machine. Therefore this function supports only the framing that
 * the server uses (`Content-Length` or chunks) and checks little.
 *
 * @throws {Error} If the response is malformed, or if the connection ends or fails.
 */
export async function readResponse(reader: Reader): Promise<Response> {
  const head = await reader.takeUntil("\r\n\r\n");
  const [line, ...lines] = head.split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3})\b/.exec(line!)?.[1];
  if (status === undefined) throw malformed("status line", line!);
  const fields = new Map(lines.map((field) => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
  }));
  const content = fields.get("transfer-encoding") === "chunked"
    ? await readChunks(reader)
    : await reader.take(parseInt(fields.get("content-length") ?? "0"));
  return { status: Number(status), fields, content };
}

async function readChunks(reader: Reader): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const line = await reader.takeUntil("\r\n");
    const size = parseInt(line, 16);
    if (Number.isNaN(size)) throw malformed("chunk size", line);
    if (size === 0) break;
    parts.push(await reader.take(size));
    await reader.take(2);
  }
  while (await reader.takeUntil("\r\n") !== ""); // trailers
  return concat(...parts);
}

function malformed(part: string, text: string): Error {
  return new Error(`malformed ${part} ${JSON.stringify(text.slice(0, 200))}`);
}

/**
 * The Runtime API of AWS Lambda cannot be reached, sends a malformed response, or refuses an important request.
 *
 * @example Tell a refusal from a lost connection
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { RuntimeApiError } from "@mate/core/runtime";
 *
 * const error = new RuntimeApiError("Cannot fetch the next invocation: status 403", { status: 403 });
 * assertEquals(error.status, 403);
 * assertEquals(new RuntimeApiError("Cannot reach the Runtime API").status, undefined);
 * ```
 */
export class RuntimeApiError extends Error {
  /** The status of the Runtime API's answer. It is `undefined` if no answer came. */
  declare readonly status: number | undefined;

  /**
   * Makes the error.
   *
   * @param message The action that failed, and the reason.
   * @param options The `status` of the answer and the `cause`, if there are any.
   */
  constructor(message: string, options?: ErrorOptions & { status?: number }) {
    super(message, options);
    this.name = "RuntimeApiError"; // a minifier would change the name of the class
    const status = options?.status;
    if (status !== undefined) this.status = status; // otherwise the log would show "undefined"
  }
}
