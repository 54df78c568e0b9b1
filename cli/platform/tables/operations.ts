import { arnIn, LOCAL } from "../../application/arn.ts";
import { type Access, notEmulated } from "../services/service_call.ts";

/** The parameters of an operation: those that mean something on this machine, and those inside of them. */
interface Parameters {
  readonly [name: string]: true | Parameters | Inside;
}

/** Every member of an object or array has these parameters. */
interface Inside {
  readonly each: Parameters | Inside;
}

const NAMES = { ExpressionAttributeNames: true } as const;
const PROJECTION = { ProjectionExpression: true, ...NAMES } as const;
const READ = { ConsistentRead: true, ReturnConsumedCapacity: true, ...PROJECTION } as const;
const CONDITION = {
  ConditionExpression: true,
  ExpressionAttributeValues: true,
  ReturnValuesOnConditionCheckFailure: true,
  ...NAMES,
} as const;
const WRITE = {
  ReturnValues: true,
  ReturnConsumedCapacity: true,
  ReturnItemCollectionMetrics: true,
  ...CONDITION,
} as const;
const LIST = {
  TableName: true,
  IndexName: true,
  Select: true,
  Limit: true,
  ExclusiveStartKey: true,
  FilterExpression: true,
  ExpressionAttributeValues: true,
  ...READ,
} as const;
const IN_TABLE = { TableName: true } as const;
const ONE = { TableName: true, Key: true } as const;

/** The operations of Amazon DynamoDB that work on this machine, each with its parameters. */
const OPERATIONS: Readonly<Record<string, Parameters>> = {
  GetItem: { ...ONE, ...READ },
  BatchGetItem: {
    RequestItems: { each: { Keys: true, ConsistentRead: true, ...PROJECTION } },
    ReturnConsumedCapacity: true,
  },
  Query: { KeyConditionExpression: true, ScanIndexForward: true, ...LIST },
  Scan: { Segment: true, TotalSegments: true, ...LIST },
  PutItem: { ...IN_TABLE, Item: true, ...WRITE },
  UpdateItem: { ...ONE, UpdateExpression: true, ...WRITE },
  DeleteItem: { ...ONE, ...WRITE },
  BatchWriteItem: {
    RequestItems: { each: { each: { PutRequest: { Item: true }, DeleteRequest: { Key: true } } } },
    ReturnConsumedCapacity: true,
    ReturnItemCollectionMetrics: true,
  },
  TransactGetItems: {
    TransactItems: { each: { Get: { ...ONE, ...PROJECTION } } },
    ReturnConsumedCapacity: true,
  },
  TransactWriteItems: {
    TransactItems: {
      each: {
        Put: { ...IN_TABLE, Item: true, ...CONDITION },
        Update: { ...ONE, UpdateExpression: true, ...CONDITION },
        Delete: { ...ONE, ...CONDITION },
        ConditionCheck: { ...ONE, ...CONDITION },
      },
    },
    ClientRequestToken: true,
    ReturnConsumedCapacity: true,
    ReturnItemCollectionMetrics: true,
  },
  DescribeTable: IN_TABLE,
  DescribeTimeToLive: IN_TABLE,
  ListTables: { ExclusiveStartTableName: true, Limit: true },
};

/** The operations that may change items. */
export const WRITES: ReadonlySet<string> = new Set([
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "BatchWriteItem",
  "TransactWriteItems",
]);

/**
 * Checks that a request works on this machine.
 *
 * @throws {ServiceError} If the operation or a parameter does not work.
 */
export function checkSupport(operation: string, input: unknown): void {
  const parameters = Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation] : undefined;
  if (parameters === undefined) {
    throw notEmulated(`The operation "${operation}" of Amazon DynamoDB`);
  }
  const name = findParameter(parameters, input);
  if (name) throw notEmulated(`The parameter "${name}" of "${operation}" of Amazon DynamoDB`);
}

function findParameter(expected: Parameters | Inside, input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) return undefined; // The engine refuses it.
  for (const [name, value] of Object.entries(input)) {
    const isInside = "each" in expected;
    if (!isInside && !Object.hasOwn(expected, name)) return name;
    const inner = isInside ? expected.each : (expected as Parameters)[name]!;
    const found = inner === true ? undefined : findParameter(inner as Parameters, value);
    if (found) return found;
  }
}

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
