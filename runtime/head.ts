import { RuntimeApiError } from "./runtime_api_error.ts";

/** The head of a response: what stands before its content. */
export interface Head {
  /** The status code. */
  readonly status: number;
  /** The fields by name, in lower case; the values of repeated ones joined by `, `. */
  readonly fields: ReadonlyMap<string, string>;
  /** Whether the connection may be used again. */
  readonly keepAlive: boolean;
  /** How many bytes the content has; `undefined`: as many as come until the connection ends. */
  readonly length: number | "chunked" | undefined;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const FOLD = /^[ \t]/;
const LIST = /\s*,\s*/;
// deno-lint-ignore no-control-regex -- these are what a field may not hold (RFC 9110 §5.5)
const FORBIDDEN = /[\0-\x08\x0a-\x1f\x7f]/;
const MAX_LENGTH = 2 ** 30;

/**
 * Parses the head of a response.
 *
 * @param text The head without the empty line at its end.
 * @throws {RuntimeApiError} If it is no HTTP/1 response (RFC 9112 §4 to §6).
 */
export function parseHead(text: string): Head {
  const lines = text.split("\r\n");
  const match = STATUS_LINE.exec(lines[0]!);
  if (!match) throw malformed("the status line", lines[0]!);
  const fields = new Map<string, string>();
  for (let i = 1; i < lines.length; i++) {
    let line = lines[i]!;
    while (FOLD.test(lines[i + 1] ?? "")) line += lines[++i]!; // goes on there (RFC 9112 §5.2)
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!NAME.test(name) || FORBIDDEN.test(line)) throw malformed("the field", line);
    const value = line.slice(colon + 1).trim();
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const status = Number(match[2]);
  const length = contentLength(status, fields);
  const connection = fields.get("connection")?.toLowerCase().split(LIST) ?? [];
  const keepAlive = length !== undefined && !connection.includes("close") &&
    (match[1] === "1" || connection.includes("keep-alive"));
  return { status, fields, keepAlive, length };
}

/** How long the content is (RFC 9112 §6.3). */
function contentLength(status: number, fields: ReadonlyMap<string, string>): Head["length"] {
  if (status < 200 || status === 204 || status === 304) return 0;
  const coding = fields.get("transfer-encoding");
  const length = fields.get("content-length");
  if (coding !== undefined) {
    // Both at once are how messages are smuggled past a proxy.
    if (coding.toLowerCase() !== "chunked" || length !== undefined) {
      throw malformed("Transfer-Encoding", coding);
    }
    return "chunked";
  }
  if (length === undefined) return undefined;
  const [first, ...others] = length.split(LIST);
  const bytes = Number(first);
  if (!/^\d+$/.test(first!) || bytes > MAX_LENGTH || others.some((other) => other !== first)) {
    throw malformed("Content-Length", length);
  }
  return bytes;
}

/** The error for a response that breaks HTTP. */
export function malformed(part: string, text: string): RuntimeApiError {
  const quoted = JSON.stringify(text.length > 200 ? text.slice(0, 200) + "…" : text);
  return new RuntimeApiError(`Cannot read the Runtime API's response: malformed ${part} ${quoted}`);
}
