/** The orders of the shop: items of the table "orders". */
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocument } from "@aws-sdk/lib-dynamodb";
import type { Order } from "./order.ts";

/** One client for all invocations of a process. */
const documents = DynamoDBDocument.from(new DynamoDB());

const table = () => Deno.env.get("TABLE_ORDERS");

/** Adds an order. */
export async function add(order: Order): Promise<void> {
  await documents.put({ TableName: table(), Item: order });
}

/** Finds an order of a customer; `undefined` if there is none. */
export async function find(customer: string, id: string): Promise<Order | undefined> {
  const { Item } = await documents.get({ TableName: table(), Key: { customer, id } });
  return Item as Order | undefined;
}

/** Lists the orders of a customer, at most 1 MB of them. */
export async function list(customer: string): Promise<Order[]> {
  const { Items = [] } = await documents.query({
    TableName: table(),
    KeyConditionExpression: "customer = :customer",
    ExpressionAttributeValues: { ":customer": customer },
  });
  return Items as Order[];
}
