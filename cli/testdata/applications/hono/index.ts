import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { Hono } from "hono";
import { handle } from "hono/aws-lambda";
import { cors } from "hono/cors";

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const TableName = process.env.TABLE_NAME;

const app = new Hono();
app.use(cors());

app.get("/books", async (c) => {
  const { Items = [] } = await client.send(new ScanCommand({ TableName }));
  return c.json(Items);
});

app.put("/books/:id", async (c) => {
  const id = c.req.param("id");
  const { title } = await c.req.json<{ title: string }>();
  await client.send(new PutCommand({ TableName, Item: { id, title } }));
  return c.json({ id, title }, 201);
});

app.get("/books/:id", async (c) => {
  const { Item } = await client.send(new GetCommand({ TableName, Key: { id: c.req.param("id") } }));
  return Item ? c.json(Item) : c.json({ error: "unknown book" }, 404);
});

export const handler = handle(app);
