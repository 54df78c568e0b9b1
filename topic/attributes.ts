import { decodeLooseBase64 } from "../function/base64.ts";
import type { JsonArray, JsonObject } from "../function/mod.ts";
import {
  isObject,
  parseJson,
  type Path,
  readOptional,
  readString,
  specificationError,
  wrongType,
} from "../function/read.ts";

/**
 * An attribute of an Amazon SNS message. The value has the type that `Type` names.
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
 * Reads the attributes at the end of a path. The attributes may be absent or null.
 *
 * @param typeKey The key of an attribute's type.
 * @param split Splits a type into the type without its label, and the key of the value.
 */
export function readAttributes(
  event: JsonObject,
  path: Path,
  typeKey: string,
  split: (type: string) => readonly [type: string, valueKey: string],
): MessageAttributes {
  const attributes = readOptional(event, path) ?? {};
  if (!isObject(attributes)) throw wrongType(path, attributes, "an object");
  const entries = Object.keys(attributes).map((name) => {
    const typePath = [...path, name, typeKey];
    const [type, valueKey] = split(readString(event, typePath));
    const valuePath = [...path, name, valueKey];
    const attribute = convert(type, readString(event, valuePath), valuePath);
    if (attribute) return [name, attribute];
    const problem = `is ${JSON.stringify(type)}, not String, String.Array, Number or Binary`;
    throw specificationError(typePath, problem);
  });
  return Object.fromEntries(entries);
}

function convert(type: string, text: string, path: Path): MessageAttribute | undefined {
  switch (type) {
    case "String":
      return { Type: type, Value: text };
    case "String.Array": {
      const value = parseJson(text, path);
      if (Array.isArray(value)) return { Type: type, Value: value };
      throw wrongType(path, value, "a JSON array");
    }
    case "Number": {
      const value = DECIMAL.test(text) ? Number(text) : NaN;
      if (Number.isFinite(value)) return { Type: type, Value: value };
      throw specificationError(path, `is ${JSON.stringify(text)}, not a number`);
    }
    case "Binary": {
      const value = decodeLooseBase64(text);
      if (value) return { Type: type, Value: value };
      throw specificationError(path, "is not base64 (RFC 4648, section 4)");
    }
  }
}
