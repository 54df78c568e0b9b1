import { FnTableRecord, type TableItem } from "@mate/core/table";
import { tableEvent } from "@mate/core/testing";
import { refusal } from "../lambda/http.ts";

/** The attributes of an item, as Amazon DynamoDB writes them. */
export type Attributes = Record<string, object>;

/** Makes an item of JSON of the start page. */
export function readItem(newImage: Readonly<Record<string, unknown>>): object {
  try {
    return tableEvent([{ keys: { id: "" }, newImage }]).Records[0]!.dynamodb.NewImage!;
  } catch (error) {
    throw refusal(400, (error as Error).message);
  }
}

/** Makes what the start page shows of an item: its key as it is, and JSON for people. */
export function showItem(item: Attributes, key: readonly string[]) {
  const values = new FnTableRecord({ Records: [{ dynamodb: { NewImage: item } }] }).newImage()!;
  return {
    key: Object.fromEntries(key.map((name) => [name, item[name]])),
    text: JSON.stringify(inOrder(values, key), asJson),
  };
}

/** The attributes of the key, and then the others by their names. The engine has no order. */
function inOrder(item: TableItem, key: readonly string[]): TableItem {
  const names = new Set([...key, ...Object.keys(item).sort()]);
  return Object.fromEntries([...names].map((name) => [name, item[name]!]));
}

/** Shows values that JSON does not have: sets as arrays, bytes as base64, large numbers as text. */
function asJson(_: string, value: unknown): unknown {
  if (value instanceof Set) return [...value];
  if (value instanceof Uint8Array) return value.toBase64();
  return typeof value === "bigint" ? String(value) : value;
}
