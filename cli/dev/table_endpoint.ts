import { FnTableRecord, type TableItem } from "@mate/core/table";
import { tableEvent } from "@mate/core/testing";
import type { IncomingMessage } from "node:http";
import type { Application } from "../application/types.ts";
import { allow, jsonReply, readBody, refusal, type Reply, reply } from "../lambda/http.ts";
import { isObject } from "../rules/json_object.ts";
import { TableError } from "../aws/dynamodb/engine.ts";
import type { Tables } from "../aws/dynamodb/tables.ts";

/** The most items that the start page shows. */
const SHOWN = 50;

/** The largest body of a request. An item has at most 400 KB. */
const MAX_BODY = 1_000_000;

type Attributes = Record<string, object>;

/**
 * Makes the endpoint `/tables/{name}` of the start page: GET lists the first items, POST puts an item (JSON), and DELETE
 * removes the item with the key in the body (attribute values, as GET returns them).
 */
export function createTableEndpoint(application: Application, tables: Tables) {
  return async (request: IncomingMessage, key: string): Promise<Reply> => {
    const table = Object.hasOwn(application.tables, key) ? application.tables[key]! : undefined;
    const { engine } = tables;
    if (!table) throw refusal(404, `The application has no table "${key}"`);
    if (!engine) throw refusal(501, tables.problem);
    allow(request.method!, "GET", "HEAD", "POST", "DELETE");
    const TableName = table.name;
    try {
      if (request.method === "POST") {
        const Item = marshall(await readJson(request, `put an item into "${key}"`));
        await engine.call("PutItem", { TableName, Item });
        tables.changed();
        return reply(204);
      }
      if (request.method === "DELETE") {
        const Key = await readJson(request, `delete an item of "${key}"`);
        await engine.call("DeleteItem", { TableName, Key });
        tables.changed();
        return reply(204);
      }
      const { Items } = await engine.call<{ Items: Attributes[] }>("Scan", {
        TableName,
        Limit: SHOWN,
      });
      const items = Items.map((item) => ({
        key: Object.fromEntries(table.key.map((name) => [name, item[name]])),
        text: JSON.stringify(inOrder(unmarshall(item), table.key), asJson),
      }));
      return jsonReply(200, { items }, [["Cache-Control", "no-store"]]);
    } catch (error) {
      if (error instanceof TableError) throw refusal(400, error.message);
      throw error;
    }
  };
}

async function readJson(request: IncomingMessage, action: string): Promise<object> {
  const body = await readBody(request, MAX_BODY);
  if (body.length > MAX_BODY) throw refusal(413, `Cannot ${action}: it has over ${MAX_BODY} bytes`);
  try {
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    if (isObject(value)) return value;
  } catch (error) {
    throw refusal(400, `Cannot ${action}: ${(error as Error).message}`);
  }
  throw refusal(400, `Cannot ${action}: expected a JSON object`);
}

function marshall(newImage: object): object {
  try {
    const image = newImage as Record<string, unknown>;
    return tableEvent([{ keys: { id: "" }, newImage: image }]).Records[0]!.dynamodb.NewImage!;
  } catch (error) {
    throw refusal(400, (error as Error).message);
  }
}

function unmarshall(NewImage: Attributes): TableItem {
  return new FnTableRecord({ Records: [{ dynamodb: { NewImage } }] }).newImage()!;
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
