import { arnIn, LOCAL } from "../../rules/arn.ts";
import type { Access } from "../service_call.ts";

/** The operations that may change items. */
export const WRITES: ReadonlySet<string> = new Set([
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "BatchWriteItem",
  "TransactWriteItems",
]);

/** A table that a request names, with the action that IAM checks. */
export interface Use {
  readonly action: string;
  readonly table: unknown;
  readonly index?: unknown;
}

/** The actions of the parts of a transaction. */
const PARTS: Readonly<Record<string, string>> = {
  Get: "GetItem",
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
};

/** Lists the tables that a supported request works with. */
export function usesOf(operation: string, input: unknown): readonly Use[] {
  const { TableName, IndexName, RequestItems, TransactItems } = Object(input) as Record<
    string,
    unknown
  >;
  if (operation.startsWith("Transact")) {
    return Object.values(Object(TransactItems)).flatMap((item) =>
      Object.entries(Object(item) as Record<string, unknown>).map(([part, one]) => ({
        action: PARTS[part]!,
        table: Object(one).TableName,
      }))
    );
  }
  if (operation.startsWith("Batch")) {
    return Object.keys(Object(RequestItems)).map((table) => ({ action: operation, table }));
  }
  return operation === "ListTables"
    ? []
    : [{ action: operation, table: TableName, index: IndexName }];
}

/** Returns the ARN of a table on this machine. */
export const tableArn = (name: string): string => arnIn(LOCAL, "dynamodb", `table/${name}`);

/**
 * Lists the accesses that a supported request needs.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 */
export function accessesOf(operation: string, uses: readonly Use[]): readonly Access[] {
  if (operation === "ListTables") return [{ action: "dynamodb:ListTables", resource: "*" }];
  // A request without a table is malformed. The engine says so, and a function without rights does not get there.
  if (uses.length === 0) return [{ action: `dynamodb:${operation}`, resource: "malformed" }];
  return uses.map(({ action, table, index }) => ({
    action: `dynamodb:${action}`,
    // The engine ignores an index that is null.
    resource: tableArn(nameOf(table)) +
      (index === undefined || index === null ? "" : `/index/${index}`),
  }));
}

/** The name of a table. A request may name a table by its ARN. */
export function nameOf(table: unknown): string {
  const text = String(table ?? "");
  const start = tableArn("");
  return text.startsWith(start) ? text.slice(start.length) : text;
}
