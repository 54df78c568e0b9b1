import { decodeLooseBase64 } from "../function/base64.ts";
import type { JsonArray, JsonObject } from "../function/mod.ts";
import {
  isObject,
  type Path,
  readOptional,
  readString,
  specificationError,
  wrongType,
} from "../function/read.ts";

/**
 * An attribute of an Amazon SNS message. Its value is converted to its type.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html
 */
export type MessageAttribute =
  /** A text. */
  | { readonly Type: "String"; readonly Value: string }
  /** The items of a JSON array: strings, numbers, booleans and null. */
  | { readonly Type: "String.Array"; readonly Value: JsonArray }
  /** The number nearest to the decimal number that was sent. */
  | { readonly Type: "Number"; readonly Value: number }
  /** Bytes. */
  | { readonly Type: "Binary"; readonly Value: Uint8Array };

/** The attributes of a message by their names. */
export type MessageAttributes = { readonly [name: string]: MessageAttribute };

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[Ee][+-]?\d+)?$/;

/**
 * Reads the attributes at the end of a path. They may be absent or null.
 *
 * @param convert Converts the attribute at the end of a path.
 */
export function readAttributes(
  event: JsonObject,
  path: Path,
  convert: (path: Path) => MessageAttribute,
): MessageAttributes {
  const attributes = readOptional(event, path) ?? {};
  if (!isObject(attributes)) throw wrongType(path, attributes, "an object");
  return Object.fromEntries(
    Object.keys(attributes).map((name) => [name, convert([...path, name])]),
  );
}

/**
 * Converts one attribute.
 *
 * @param typePath The path of the type, for an error.
 * @param type The type, without a label.
 * @param path The path of the value.
 */
export function readAttribute(
  event: JsonObject,
  typePath: Path,
  type: string,
  path: Path,
): MessageAttribute {
  const text = readString(event, path);
  switch (type) {
    case "String":
      return { Type: type, Value: text };
    case "String.Array":
      return { Type: type, Value: toArray(path, text) };
    case "Number":
      return { Type: type, Value: toNumber(path, text) };
    case "Binary":
      return { Type: type, Value: toBytes(path, text) };
  }
  const problem = `is ${JSON.stringify(type)}, not String, String.Array, Number or Binary`;
  throw specificationError(typePath, problem);
}

function toArray(path: Path, text: string): JsonArray {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of the engine would show the value.
  }
  if (Array.isArray(value)) return value;
  throw specificationError(path, "is not a JSON array");
}

function toNumber(path: Path, text: string): number {
  const value = DECIMAL.test(text) ? Number(text) : NaN;
  if (Number.isFinite(value)) return value;
  throw specificationError(path, `is ${JSON.stringify(text)}, not a number`);
}

function toBytes(path: Path, text: string): Uint8Array {
  const bytes = decodeLooseBase64(text);
  if (bytes !== undefined) return bytes;
  throw specificationError(path, "is not base64 (RFC 4648, section 4)");
}
