import { decodeBase64 } from "../../function/base64.ts";
import type { JsonObject, JsonValue } from "../../function/json.ts";
import { own, wrongType } from "../../function/read.ts";
import { decodeUtf8 } from "../../function/utf8.ts";
import { HttpUnsupportedMediaTypeError } from "../errors/client_errors.ts";
import { withoutParameters } from "../negotiation/media_type.ts";
import { formatOf } from "./formats/recognise.ts";
import { findHeader } from "./headers.ts";
import { MalformedPayloadError } from "./malformed_payload_error.ts";

/**
 * Reads the body of a request.
 *
 * @returns The bytes if the body is flagged as base64, otherwise the text. A request without a body gives null.
 * @throws {CloudEventSpecificationError} If `body` or `isBase64Encoded` is malformed, or if a REST event has no `body`.
 * @throws {MalformedPayloadError} If the body is flagged as base64 but is not base64.
 */
export function readBody(event: JsonObject): string | Uint8Array<ArrayBuffer> | null {
  const body = formatOf(event).body(event);
  const isBase64Encoded = own(event, "isBase64Encoded") ?? false;
  if (typeof isBase64Encoded !== "boolean") {
    throw wrongType(["isBase64Encoded"], isBase64Encoded, "a boolean");
  }
  if (body === null || !isBase64Encoded) return body;
  const bytes = decodeBase64(body);
  if (!bytes) throw malformed("it is not base64");
  return bytes;
}

/** Reads the bytes of the body; see {@linkcode readBody}. A request without a body gives no bytes. */
export function readBytes(event: JsonObject): Uint8Array<ArrayBuffer> {
  const body = readBody(event) ?? "";
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

/** Reads the text of the body as UTF-8, without a byte order mark; see {@linkcode readBody}. */
export function readText(event: JsonObject): string | null {
  const body = readBody(event);
  if (body === null) return null;
  const text = typeof body === "string" ? body : decodeUtf8(body);
  if (text === undefined) throw malformed("it is not UTF-8");
  return text.replace(/^\uFEFF/, "");
}

/** Reads the body as JSON; see {@linkcode readText}. A request without a body gives null. */
export function readPayload(event: JsonObject): JsonValue {
  const text = readText(event);
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch (error) { // not the cause of our error, because its message quotes the body
    throw malformed(describe((error as Error).message));
  }
}

/** The problem of a body whose end is missing. */
export const TOO_SHORT = "it ends too early";

/** Describes an error of `JSON.parse()` without the quotes of the body, which never stand at the end of its message. */
function describe(message: string): string {
  if (/(input|EOF)$/.test(message)) return TOO_SHORT;
  const position = / at position \d+( \(line \d+ column \d+\))?$/.exec(message)?.[0];
  return `it is not JSON${position ?? ""}`;
}

/**
 * Refuses a request whose `Content-Type` says that the body is not JSON.
 *
 * @throws {HttpUnsupportedMediaTypeError} If the type is neither absent, JSON, `*+json` nor `text/plain`.
 */
export function requireJsonType(event: JsonObject): void {
  const type = readType(event);
  if (/^(application\/json|text\/plain|.+\+json)?$/.test(type)) return;
  throw unsupported("application/json");
}

/** The media type of the body in lower case, without parameters. */
export function readType(event: JsonObject): string {
  return withoutParameters(findHeader(event, "content-type") ?? "");
}

/** Makes the error for a body of a type that the caller does not read. */
export function unsupported(expected: string): HttpUnsupportedMediaTypeError {
  return new HttpUnsupportedMediaTypeError(`Unsupported media type: expected ${expected}`);
}

/** Makes the error for a body that does not have the form that its type says. */
export function malformed(problem: string): MalformedPayloadError {
  return new MalformedPayloadError(`Cannot parse the payload: ${problem}`);
}
