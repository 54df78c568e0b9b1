import type { JsonObject, JsonValue } from "../../function/json.ts";
import { own, read, wrongType } from "../../function/read.ts";
import { decodeBase64 } from "./base64.ts";
import { findJsonError } from "./json_error.ts";
import { MalformedPayloadError } from "./malformed_payload_error.ts";

const BODY = ["body"] as const;
const IS_BASE64_ENCODED = ["isBase64Encoded"] as const;

/**
 * The body of a request, parsed as JSON.
 *
 * @param event The event of a request.
 * @returns What the JSON says; `null` if there is no body.
 * @throws {CloudEventSpecificationError} If `body` is absent, or it or `isBase64Encoded` is malformed.
 * @throws {MalformedPayloadError} If the body is not what it says it is.
 */
export function readPayload(event: JsonObject): JsonValue {
  const body = read(event, BODY);
  if (body !== null && typeof body !== "string") throw wrongType(BODY, body, "a string or null");
  const isBase64Encoded = own(event, "isBase64Encoded") ?? false;
  if (typeof isBase64Encoded !== "boolean") {
    throw wrongType(IS_BASE64_ENCODED, isBase64Encoded, "a boolean");
  }
  if (body === null) return null;
  return parse(isBase64Encoded ? decode(body) : body);
}

let decoder: TextDecoder | undefined; // made when first needed

function decode(body: string): string {
  const bytes = decodeBase64(body);
  if (!bytes) throw malformed("the body is flagged as base64, and is not");
  decoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformed("the bytes of the body are not UTF-8");
  }
}

function parse(text: string): JsonValue {
  // RFC 8259 §8.1: a byte order mark may be ignored rather than taken for an error.
  const json = text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    return JSON.parse(json);
  } catch {
    throw malformed(describeError(json)); // without its cause, which quotes the body
  }
}

function describeError(json: string): string {
  const index = findJsonError(json);
  if (index === undefined) return "the JSON is nested too deeply"; // more than the engine's parser bears
  const before = json.slice(0, index).split(/\r\n|\n|\r/);
  const position = `at line ${before.length}, column ${before.at(-1)!.length + 1}`;
  return index === json.length
    ? `the JSON ends too early, ${position}`
    : `the JSON is malformed ${position}`;
}

function malformed(problem: string): MalformedPayloadError {
  return new MalformedPayloadError(`Cannot parse the payload: ${problem}`);
}
