import type { JsonValue } from "./json.ts";
import { type Path, specificationError } from "./read.ts";

/**
 * Parses a text of an event as JSON (RFC 8259).
 *
 * @throws {CloudEventSpecificationError} If the text is not JSON. The error has no cause, because the message of the
 * engine quotes the text.
 */
export function parseJson(text: string, path: Path): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    throw specificationError(path, "is not JSON (RFC 8259)");
  }
}
