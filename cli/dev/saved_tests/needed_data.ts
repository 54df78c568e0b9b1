import { Buffer } from "node:buffer";
import type { Buckets } from "../../sources/buckets.ts";
import { isObject, parseObject } from "../../rules/json_object.ts";
import type { Hider } from "../traces/hide.ts";
import { MAX_KEPT, type Recording } from "../traces/traces.ts";

/** The data that a function has read, without secrets. */
export interface NeededData {
  /** The objects, each with the path of the bucket and the key, and its content as text or base64. */
  readonly objects: readonly {
    readonly path: string;
    readonly content: string;
    readonly isBase64: boolean;
  }[];
  /** The items as Amazon DynamoDB writes them, each with the name of the table. */
  readonly items: readonly { readonly table: string; readonly item: object }[];
}

/** Collects what the calls of an invocation have read: items of their answers, and objects as they are now. */
export async function neededData(
  calls: readonly Recording[],
  buckets: Buckets,
  hider: Hider,
): Promise<NeededData> {
  const items = calls.flatMap(itemsRead)
    .map(({ table, item }) => ({ table, item: hider.json(item) as object }));
  const read = calls.filter(({ span }) => span.attributes["rpc.method"] === "GetObject")
    .map(({ span }) => span.attributes["mate.resource.name"] ?? "");
  const objects = await Promise.all(
    [...new Set(read)].map((path) => readObject(path, buckets, hider)),
  );
  return { objects: objects.flatMap((one) => one ?? []), items: uniqueOf(items) };
}

function uniqueOf<T>(values: readonly T[]): readonly T[] {
  return [...new Map(values.map((one) => [JSON.stringify(one), one])).values()];
}

/** Lists the items in the answer of a call. */
function itemsRead({ span, event, result }: Recording): { table: string; item: object }[] {
  if (span.attributes["rpc.service"] !== "DynamoDB" || !event || !result) return [];
  const input = parseObject(Buffer.from(event.bytes).toString()) ?? {};
  const { Item, Items, Responses } = parseObject(Buffer.from(result.bytes).toString()) ?? {};
  const found = (table: unknown, items: unknown) =>
    (Array.isArray(items) ? items : []).filter(isObject)
      .map((item) => ({ table: String(table), item }));
  if (isObject(Responses)) {
    return Object.entries(Responses).flatMap(([table, items]) => found(table, items));
  }
  return found(input.TableName, Items ?? (Item === undefined ? [] : [Item]));
}

async function readObject(path: string, buckets: Buckets, hider: Hider) {
  const [bucket = "", ...key] = path.split("/");
  const found = await buckets.get(bucket)?.open(key.join("/"));
  if (found === undefined) return undefined;
  if (found.object.size > MAX_KEPT) {
    await found.content.cancel();
    throw new Error(`The object ${path} has ${found.object.size} bytes, over ${MAX_KEPT}`);
  }
  const bytes = await new Response(found.content as ReadableStream<Uint8Array<ArrayBuffer>>)
    .bytes();
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path, content: hider.text(text), isBase64: false };
  } catch {
    return { path, content: Buffer.from(bytes).toString("base64"), isBase64: true };
  }
}
