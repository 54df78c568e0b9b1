import { encodeBase64 } from "../function/base64.ts";
import { isPlainObject, kindOf } from "../function/read.ts";

/** The types of attribute values, and what the service sends for each. */
export interface AttributeTypes {
  /** A text. */
  S: string;
  /** A number as text. */
  N: string;
  /** Bytes in base64. */
  B: string;
  /** A boolean. */
  BOOL: boolean;
  /** Null; the value is always true. */
  NULL: boolean;
  /** A map. */
  M: Record<string, AttributeValue>;
  /** A list. */
  L: AttributeValue[];
  /** A set of texts. */
  SS: string[];
  /** A set of numbers as text. */
  NS: string[];
  /** A set of bytes in base64. */
  BS: string[];
}

/** An attribute value as Amazon DynamoDB sends it, such as `{ N: "3" }`. It has exactly one type. Bytes are base64. */
export type AttributeValue = {
  [Type in keyof AttributeTypes]:
    & { [T in Type]: AttributeTypes[Type] }
    & { [Other in Exclude<keyof AttributeTypes, Type>]?: never };
}[keyof AttributeTypes];

/**
 * Makes the attribute values of an item from plain values.
 *
 * @throws {TypeError} If Amazon DynamoDB has no type for a value.
 */
export function marshallItem(
  item: Readonly<Record<string, unknown>>,
  path = "",
): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, marshall(value, `${path}.${name}`)]),
  );
}

function marshall(value: unknown, path: string): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === "boolean") return { BOOL: value };
  if (Array.isArray(value)) {
    return { L: value.map((one, index) => marshall(one, `${path}[${index}]`)) };
  }
  if (isPlainObject(value)) return { M: marshallItem(value, path) };
  const members = value instanceof Set ? [...value] : [value];
  const types = new Set(members.map((member) => typeOf(member, path)));
  if (types.size !== 1) {
    throw invalidValue(path, types.size === 0 ? "an empty set" : "a set of several types");
  }
  const [type] = [...types] as ["S" | "N" | "B"];
  const texts = members.map(toText);
  const marshalled = value instanceof Set ? { [`${type}S`]: texts } : { [type]: texts[0]! };
  return marshalled as AttributeValue;
}

function typeOf(value: unknown, path: string): "S" | "N" | "B" {
  if (typeof value === "string") return "S";
  if (typeof value === "bigint") return "N";
  if (value instanceof Uint8Array) return "B";
  if (typeof value !== "number") throw invalidValue(path, kindOf(value));
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw invalidValue(path, `the number ${value}`);
  }
  return "N";
}

function toText(value: unknown): string {
  return value instanceof Uint8Array ? encodeBase64(value) : String(value);
}

function invalidValue(path: string, got: string): TypeError {
  return new TypeError(
    `Invalid value at "${
      path.slice(1)
    }": expected a value that Amazon DynamoDB can hold (an integer beyond 2^53-1 as a bigint), got ${got}`,
  );
}
