import { checkNames, invalid } from "../function/read.ts";
import { IdempotencyInProgressError } from "./errors.ts";
import type { IdempotencyState, IdempotencyStore } from "./store.ts";

/** The methods of `DynamoDBDocument` of `@aws-sdk/lib-dynamodb` that the store calls. */
export interface TableDocuments {
  /** Puts an item. */
  put(input: TablePut): Promise<unknown>;
  /** Changes an item. */
  update(input: TableUpdate): Promise<unknown>;
  /** Removes an item. */
  delete(input: TableCondition & { Key: { id: string } }): Promise<unknown>;
}

/** The input of a conditional write. */
export interface TableCondition {
  /** The name of the table. */
  TableName: string;
  /** The condition. */
  ConditionExpression: string;
  /** The names of attributes in the expressions. */
  ExpressionAttributeNames: Record<string, string>;
  /** The values in the expressions. */
  ExpressionAttributeValues: Record<string, string | number>;
}

/** The input of a put. */
export interface TablePut extends TableCondition {
  /** The item. */
  Item: Record<string, string | number>;
  /** The old item comes with the error of a condition that is false. */
  ReturnValuesOnConditionCheckFailure: "ALL_OLD";
}

/** The input of an update. */
export interface TableUpdate extends TableCondition {
  /** The key of the item. */
  Key: { id: string };
  /** The change. */
  UpdateExpression: string;
}

/** The options of {@linkcode tableStore}. */
export interface TableStoreOptions {
  /** The name of a table whose key is `id` (string) and whose time to live is `expires`. */
  readonly table: string;
  /** The client, a `DynamoDBDocument` of `@aws-sdk/lib-dynamodb`. */
  readonly documents: TableDocuments;
}

/** The attributes of an item beside the key `id`. An item with `until` is a claim, and an item without it is done. */
const NAMES = {
  "#id": "id",
  "#token": "token",
  "#until": "until",
  "#expires": "expires",
  "#result": "result",
};

/**
 * Makes a store in a table of Amazon DynamoDB. Every write is conditional, so of two calls at once, one gets a claim.
 *
 * The table has the key `id` (string) and the time to live `expires`. Functions can share a table, because each key has the
 * name of its function in front. An item that has expired but is not removed yet counts as absent. The function needs the
 * right to write to the table.
 *
 * @param options The name of the table, and the client.
 * @returns The store. Its methods reject with the errors of the client. A result whose item would be larger than 400 KB, the
 * limit of Amazon DynamoDB, is such an error.
 * @throws {TypeError} If an option is invalid.
 *
 * @example Payments that are made once
 * ```ts ignore
 * import { DynamoDB } from "@aws-sdk/client-dynamodb";
 * import { DynamoDBDocument } from "@aws-sdk/lib-dynamodb";
 * import { idempotent, tableStore } from "@mate/core/idempotency";
 *
 * const documents = DynamoDBDocument.from(new DynamoDB());
 * const store = tableStore({ table: process.env.TABLE_PAYMENTS!, documents });
 * export const pay = idempotent(charge, { store, key: (order: Order) => order.id });
 * ```
 */
export function tableStore(options: TableStoreOptions): IdempotencyStore {
  checkNames(options, ["table", "documents"]);
  const { table, documents } = options;
  if (typeof table !== "string" || table === "") throw invalid("table", "the name of a table");
  for (const method of ["put", "update", "delete"] as const) {
    if (typeof documents?.[method] !== "function") {
      throw invalid("documents", "a DynamoDBDocument of @aws-sdk/lib-dynamodb");
    }
  }
  return {
    async claim(key, { until, payload }) {
      const now = Date.now();
      const token = crypto.randomUUID();
      const expires = Math.ceil(until / 1_000);
      try {
        await documents.put({
          TableName: table,
          Item: { id: key, token, until, expires, ...payload !== undefined && { payload } },
          ConditionExpression:
            "attribute_not_exists(#id) OR #expires <= :seconds OR #until <= :now",
          ExpressionAttributeNames: namesOf("#id", "#expires", "#until"),
          ExpressionAttributeValues: { ":seconds": Math.floor(now / 1_000), ":now": now },
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        });
      } catch (error) {
        return stateOf(error);
      }
      return { state: "claimed", token };
    },
    async complete(key, token, { result, expires }) {
      const hasResult = result !== undefined;
      try {
        await documents.update({
          TableName: table,
          Key: { id: key },
          // The token stays, so that a client that sends this update again does not fail.
          UpdateExpression: `SET #token = :token, #expires = :expires${
            hasResult ? ", #result = :result" : ""
          } REMOVE #until`,
          ConditionExpression: "attribute_not_exists(#id) OR #token = :token",
          ExpressionAttributeNames: namesOf(
            "#id",
            "#token",
            "#expires",
            "#until",
            ...hasResult ? ["#result"] as const : [],
          ),
          ExpressionAttributeValues: {
            ":token": token,
            ":expires": expires,
            ...hasResult && { ":result": result },
          },
        });
      } catch (error) {
        throw isFalseCondition(error)
          ? new IdempotencyInProgressError(undefined, { cause: error })
          : error;
      }
    },
    async release(key, token) {
      try {
        await documents.delete({
          TableName: table,
          Key: { id: key },
          ConditionExpression: "#token = :token AND attribute_exists(#until)",
          ExpressionAttributeNames: namesOf("#token", "#until"),
          ExpressionAttributeValues: { ":token": token },
        });
      } catch (error) {
        if (!isFalseCondition(error)) throw error;
      }
    },
  };
}

function namesOf(...placeholders: readonly (keyof typeof NAMES)[]): Record<string, string> {
  return Object.fromEntries(placeholders.map((placeholder) => [placeholder, NAMES[placeholder]]));
}

function isFalseCondition(error: unknown): boolean {
  return error instanceof Error && error.name === "ConditionalCheckFailedException";
}

/** What the old item in the error of a claim says. Throws the error if it is another one. */
function stateOf(error: unknown): IdempotencyState {
  const { Item } = Object(error) as { Item?: Record<string, unknown> };
  if (!isFalseCondition(error) || !Item) throw error;
  if ("until" in Item) return { state: "inProgress" };
  return { state: "done", result: textOf(Item.result), payload: textOf(Item.payload) };
}

/** The text of an attribute. The document client leaves the items of errors as attribute values. */
function textOf(attribute: unknown): string | undefined {
  if (attribute === undefined || typeof attribute === "string") return attribute;
  return (attribute as { S?: string }).S;
}
