import { decodeBase64 } from "../../function/base64.ts";
import type { JsonObject, JsonValue } from "../../function/json.ts";
import { own, read, wrongType } from "../../function/read.ts";
import { MalformedPayloadError } from "./malformed_payload_error.ts";

/**
 * Reads the body of a request as JSON.
 *
 * @returns The JSON value, or `null` if the request does not have a body.
 * @throws {CloudEventSpecificationError} If `body` is absent, or if `body` or `isBase64Encoded` is malformed.
 * @throws {MalformedPayloadError} If the body is not JSON, or if a body flagged as base64 is not base64 of UTF-8.
 */
export function readPayload(event: JsonObject): JsonValue {
  const body = read(event, ["body"]);
  if (body !== null && typeof body !== "string") {
    throw wrongType(["body"], body, "a string or null");
  }
  const isBase64Encoded = own(event, "isBase64Encoded") ?? false;
  if (typeof isBase64Encoded !== "boolean") {
    throw wrongType(["isBase64Encoded"], isBase64Encoded, "a boolean");
  }
  if (body === null) return null;
  return parse(isBase64Encoded ? decode(body) : body);
}

function decode(body: string): string {
  const bytes = decodeBase64(body);
  if (!bytes) throw malformed("the body is flagged as base64 but is not base64");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed("the bytes of the body are not UTF-8");
  }
}

function parse(text: string): JsonValue {
  try {
    // RFC 8259 section 8.1 allows to ignore a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) { // not the cause of our error, because its message quotes the body
    throw malformed(describe((error as Error).message));
  }
}

/** Describes an error of `JSON.parse()` without the quotes of the body, which never stand at the end of its message. */
function describe(message: string): string {
  if (/(?:end of JSON input|Unexpected EOF)$/.test(message)) return "the JSON ends too early";
  const position = / at (position \d+(?: \(line \d+ column \d+\))?)$/.exec(message)?.[1];
  return position ? `the JSON is malformed at ${position}` : "the JSON is malformed";
}

function malformed(problem: string): MalformedPayloadError {
  return new MalformedPayloadError(`Cannot parse the payload: ${problem}`);
}
