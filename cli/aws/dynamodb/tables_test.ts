import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { LOCAL } from "../../rules/arn.ts";
import { resolveApplication } from "../../application/resolve.ts";
import { ServiceError } from "../service_call.ts";
import { findEngine } from "../../programs/find_engine.ts";
import { accessesOf, tableArn, Tables, usesOf } from "./tables.ts";
import { findOwnNetwork, type OwnNetwork } from "./own_network.ts";
import { shopWith, startWithTables } from "./testdata/platform.ts";
import { temporaryFolder } from "../../../testdata/programs.ts";

const KEY = { key: { id: "string" } };
const TABLES = {
  orders: {
    key: { customer: "string", id: "number" },
    indexes: { "by-date": { key: { customer: "string", date: "string" } } },
    expires: "expiresAt",
  },
  notes: KEY,
};
const FUNCTIONS = {
  reader: { module: "a.ts", uses: { tables: { orders: "read" } } },
  writer: { module: "a.ts", uses: { tables: { orders: "write", notes: "read-write" } } },
  nobody: { module: "a.ts" },
};
const SHOP = shopWith(TABLES, FUNCTIONS);

/** What a promise rejects with: the name of the error. */
const nameOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(() => undefined, (error) => error);
  return error?.name;
};

Deno.test("a function works with its tables by the document client of the AWS SDK", async () => {
  await using test = await startWithTables(SHOP);
  const writer = test.clientOf("writer").documents;
  const reader = test.clientOf("reader").documents;
  const { TABLE_ORDERS: TableName } = test.environmentOf("writer");
  assertEquals(TableName, "shop-orders");
  const item = { customer: "ada", id: 1, date: "2026-03-01", tags: new Set(["a"]), big: 2n ** 60n };
  await writer.put({ TableName, Item: item });
  const Key = { customer: "ada", id: 1 };
  assertEquals((await reader.get({ TableName, Key })).Item, item);
  const query = {
    TableName,
    IndexName: "by-date",
    KeyConditionExpression: "customer = :c AND begins_with(#d, :d)",
    ExpressionAttributeNames: { "#d": "date" },
    ExpressionAttributeValues: { ":c": "ada", ":d": "2026-" },
  };
  assertEquals((await reader.query(query)).Items, [item]);
  await writer.update({
    TableName,
    Key,
    UpdateExpression: "ADD #n :one",
    ConditionExpression: "attribute_exists(id)",
    ExpressionAttributeNames: { "#n": "count" },
    ExpressionAttributeValues: { ":one": 1 },
  });
  await writer.transactWrite({
    TransactItems: [
      { ConditionCheck: { TableName, Key, ConditionExpression: "attribute_exists(id)" } },
      { Put: { TableName: "shop-notes", Item: { id: "n" } } },
    ],
  });
  await writer.batchWrite({
    RequestItems: { [TableName!]: [{ DeleteRequest: { Key } }] },
  });
  assertEquals((await reader.scan({ TableName, Select: "COUNT" })).Count, 0);
  assertEquals((await writer.get({ TableName: "shop-notes", Key: { id: "n" } })).Item, { id: "n" });
});

Deno.test("a function may do with tables what its manifest grants, also in batches and transactions", async () => {
  await using test = await startWithTables(SHOP);
  const TableName = "shop-orders";
  const Key = { customer: "ada", id: 1 };
  const Put = { TableName, Item: Key };
  const other = { TableName: "shop-notes", Item: { id: "n" } };
  const condition = { TableName, Key, ConditionExpression: "attribute_exists(id)" };
  const values = { ":c": "ada" };
  const query = {
    TableName,
    KeyConditionExpression: "customer = :c",
    ExpressionAttributeValues: values,
  };
  type Documents = typeof test.documents;
  const calls: [string, string[], (documents: Documents) => Promise<unknown>][] = [
    ["get", ["reader"], (d) => d.get({ TableName, Key })],
    ["query", ["reader"], (d) => d.query(query)],
    ["query of an index", ["reader"], (d) => d.query({ ...query, IndexName: "by-date" })],
    ["scan", ["reader"], (d) => d.scan({ TableName })],
    ["batchGet", ["reader"], (d) => d.batchGet({ RequestItems: { [TableName]: { Keys: [Key] } } })],
    ["batchGet of two tables", [], (d) =>
      d.batchGet({
        RequestItems: { [TableName]: { Keys: [Key] }, "shop-notes": { Keys: [{ id: "n" }] } },
      })],
    [
      "transactGet",
      ["reader"],
      (d) => d.transactGet({ TransactItems: [{ Get: { TableName, Key } }] }),
    ],
    ["put", ["writer"], (d) => d.put(Put)],
    ["update", ["writer"], (d) => d.update({ TableName, Key })],
    ["delete", ["writer"], (d) => d.delete({ TableName, Key })],
    ["batchWrite", ["writer"], (d) =>
      d.batchWrite({
        RequestItems: {
          [TableName]: [{ PutRequest: { Item: Key } }],
          "shop-notes": [{ PutRequest: { Item: { id: "n" } } }],
        },
      })],
    [
      "transactWrite of two tables",
      ["writer"],
      (d) => d.transactWrite({ TransactItems: [{ Put: other }, { Put }] }),
    ],
    [
      "transactWrite with a condition",
      ["writer"],
      (d) => d.transactWrite({ TransactItems: [{ Put: other }, { ConditionCheck: condition }] }),
    ],
    ["a table that does not exist", [], (d) => d.get({ TableName: "shop-other", Key })],
    [
      "a table by its ARN",
      ["reader"],
      (d) =>
        d.get({ TableName: `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`, Key }),
    ],
    [
      "a table of another account",
      [],
      (d) =>
        d.get({ TableName: `arn:aws:dynamodb:us-east-1:999999999999:table/${TableName}`, Key }),
    ],
  ];
  await test.documents.put(Put);
  for (const [title, allowed, call] of calls) {
    for (const name of Object.keys(FUNCTIONS)) {
      if (title === "transactWrite with a condition") await test.documents.put(Put);
      const expected = allowed.includes(name) ? undefined : "AccessDeniedException";
      assertEquals(
        await nameOf(call(test.clientOf(name).documents)),
        expected,
        `${name}: ${title}`,
      );
    }
  }
});

Deno.test("the tables of others are hidden, and names and ARNs are those of the account", async () => {
  await using test = await startWithTables(SHOP);
  const { client } = test;
  assertEquals((await client.listTables({})).TableNames, ["shop-notes", "shop-orders"]);
  const first = await client.listTables({ Limit: 1 });
  assertEquals(first.TableNames, ["shop-notes"]);
  const { LastEvaluatedTableName: ExclusiveStartTableName } = first;
  const rest = await client.listTables({ ExclusiveStartTableName });
  assertEquals([rest.TableNames, rest.LastEvaluatedTableName], [["shop-orders"], undefined]);
  const { Table } = await client.describeTable({ TableName: "shop-orders" });
  const arn = "arn:aws:dynamodb:us-east-1:000000000000:table/shop-orders";
  assertEquals(Table!.TableArn, arn);
  assert(!JSON.stringify(Table).includes("dynoxide"));
  const { TimeToLiveDescription } = await client.describeTimeToLive({ TableName: "shop-orders" });
  assertEquals(TimeToLiveDescription?.AttributeName, "expiresAt");
  assertEquals(
    await nameOf(client.describeTable({ TableName: "other" })),
    "ResourceNotFoundException",
  );
});

Deno.test("a table that has left the manifest is hidden, with its items", async () => {
  const data = temporaryFolder();
  {
    await using test = await startWithTables(SHOP, { data });
    await test.documents.put({ TableName: "shop-orders", Item: { customer: "ada", id: 1 } });
  }
  const { notes } = TABLES;
  await using test = await startWithTables(shopWith({ notes }, { nobody: { module: "a.ts" } }), {
    data,
  });
  assertEquals((await test.client.listTables({})).TableNames, ["shop-notes"]);
  const call = test.documents.scan({ TableName: "shop-orders" });
  assertEquals(await nameOf(call), "ResourceNotFoundException");
});

Deno.test("the right for a table does not include its indexes", async () => {
  const arn = "arn:aws:dynamodb:${region}:${account}:table/shop-orders";
  const statementOf = (
    Resource: string,
  ) => [{ Effect: "Allow", Action: "dynamodb:Query", Resource }];
  const functions = {
    table: { module: "a.ts", statements: statementOf(arn) },
    index: { module: "a.ts", statements: statementOf(`${arn}/index/by-date`) },
  };
  await using test = await startWithTables(shopWith(TABLES, functions));
  for (const name of ["table", "index"]) {
    for (const IndexName of [undefined, "by-date"]) {
      const call = test.clientOf(name).documents.query({
        TableName: "shop-orders",
        IndexName,
        KeyConditionExpression: "customer = :c",
        ExpressionAttributeValues: { ":c": "ada" },
      });
      const isAllowed = (name === "index") === (IndexName !== undefined);
      assertEquals(await nameOf(call), isAllowed ? undefined : "AccessDeniedException");
    }
  }
});

Deno.test("accessesOf() takes an index that is null for the table", () => {
  const uses = usesOf("Query", { TableName: "shop-orders", IndexName: null });
  assertEquals(accessesOf("Query", uses), [
    { action: "dynamodb:Query", resource: tableArn("shop-orders") },
  ]);
});

Deno.test("an operation or parameter that is not on the list is refused with 501 and its name", async () => {
  await using test = await startWithTables(SHOP);
  const { client } = test;
  const TableName = "shop-notes";
  const Key = { id: { S: "1" } };
  const calls: [Promise<unknown>, string][] = [
    [client.executeStatement({ Statement: `SELECT * FROM "${TableName}"` }), "ExecuteStatement"],
    [client.deleteTable({ TableName }), "DeleteTable"],
    [
      client.updateTimeToLive({ TableName, TimeToLiveSpecification: undefined }),
      "UpdateTimeToLive",
    ],
    [client.getItem({ TableName, Key, AttributesToGet: ["id"] }), "AttributesToGet"],
    [client.putItem({ TableName, Item: Key, Expected: {} }), "Expected"],
    [
      client.batchGetItem({ RequestItems: { [TableName]: { Keys: [Key], AttributesToGet: [] } } }),
      "AttributesToGet",
    ],
  ];
  for (const [call, name] of calls) {
    const error = await assertRejects(() => call) as Error & {
      $metadata: { httpStatusCode: number };
    };
    assertEquals([error.name, error.$metadata.httpStatusCode], ["NotImplemented", 501], name);
    assertStringIncludes(error.message, `"${name}"`);
  }
});

Deno.test("malformed requests and items that are too large get the errors of the service", async () => {
  await using test = await startWithTables(SHOP);
  const put = (x: string) => test.documents.put({ TableName: "shop-notes", Item: { id: "1", x } });
  await put("x".repeat(409_590));
  assertEquals(await nameOf(put("x".repeat(409_600))), "ValidationException");
  const send = (body: string, target = "DynamoDB_20120810.TransactWriteItems") =>
    fetch(test.platform.servicesUrl, {
      method: "POST",
      headers: { "X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.0" },
      body,
    });
  for (
    const [body, type] of [
      ["{", "SerializationException"],
      ["5", "SerializationException"],
      ["null", "SerializationException"],
      ["[]", "SerializationException"],
      ['{"TransactItems":5}', "ValidationException|SerializationException"],
      ['{"TransactItems":[5]}', "ValidationException|SerializationException"],
    ] as const
  ) {
    const response = await send(body);
    assertEquals(response.status, 400, body);
    const { __type } = await response.json();
    assert(new RegExp(type).test(__type), `${body}: ${__type}`);
  }
  assertEquals(
    (await (await send("{}", "DynamoDB_20120810.GetItem")).json()).__type.split("#").at(-1),
    "ValidationException",
  );
});

Deno.test("a call without the name of a table gets the error of the service, also without a right", async () => {
  // https://github.com/Netflix-Skunkworks/iep-apps/pull/527 quotes the real service.
  const absent = /Value null at 'tableName' failed to satisfy constraint: Member must not be null/;
  const id = { id: { S: "1" } };
  for (const tables of [TABLES, {}]) {
    const none = { nobody: FUNCTIONS.nobody };
    await using test = await startWithTables(shopWith(tables, none));
    const { client } = test.clientOf("nobody");
    const messageOf = async (call: Promise<unknown>) => {
      const error = await assertRejects(() => call) as Error;
      assertEquals(error.name, "ValidationException", error.message);
      return error.message;
    };
    for (const TableName of [undefined, null as unknown as undefined]) {
      assert(absent.test(await messageOf(client.getItem({ TableName, Key: id }))));
      assert(absent.test(await messageOf(client.putItem({ TableName, Item: id }))));
      assert(absent.test(await messageOf(client.query({ TableName }))));
      await messageOf(client.describeTable({ TableName }));
      const Put = { TableName, Item: id };
      await messageOf(client.transactWriteItems({ TransactItems: [{ Put }] }));
    }
    await messageOf(client.getItem({ TableName: "", Key: id }));
    // The name of a table that the code has put together without a value needs a right, as in the account.
    await assertRejects(
      () => client.getItem({ TableName: "undefined", Key: id }),
      Error,
      "may not dynamodb:GetItem on arn:aws:dynamodb:us-east-1:000000000000:table/undefined",
    );
    const Get = { TableName: "shop-notes", Key: id };
    const mixed = { TransactItems: [{ Get }, { Get: { ...Get, TableName: undefined } }] };
    await assertRejects(() => client.transactGetItems(mixed), Error, "may not dynamodb:GetItem on");
  }
});

Deno.test("items stay if the manifest changes, and indexes follow it", async () => {
  const data = temporaryFolder();
  const scan = async (tables: object) => {
    await using test = await startWithTables(shopWith(tables, FUNCTIONS), { data });
    const { Table } = await test.client.describeTable({ TableName: "shop-orders" });
    const indexes = Table!.GlobalSecondaryIndexes ?? [];
    const { Items } = await test.documents.scan({ TableName: "shop-orders" });
    const ttl = await test.client.describeTimeToLive({ TableName: "shop-orders" });
    return [
      Items?.length,
      indexes.map(({ IndexName, Projection }) => [IndexName, Projection?.ProjectionType]),
      ttl.TimeToLiveDescription?.AttributeName,
    ];
  };
  {
    await using test = await startWithTables(SHOP, { data });
    const Item = { customer: "ada", id: 1, date: "d", state: "new" };
    await test.documents.put({ TableName: "shop-orders", Item });
  }
  const { orders } = TABLES;
  assertEquals(await scan(TABLES), [1, [["by-date", "ALL"]], "expiresAt"]);
  const indexes = {
    "by-date": { key: { customer: "string", date: "string" }, projection: ["state"] },
    "by-state": { key: { state: "string" }, projection: [] },
  };
  const changed = { ...TABLES, orders: { ...orders, indexes, expires: "end" } };
  const both = [1, [["by-date", "INCLUDE"], ["by-state", "KEYS_ONLY"]], "end"];
  assertEquals(await scan(changed), both);
  assertEquals(await scan(changed), both);
  assertEquals(await scan({ ...TABLES, orders: { key: orders.key } }), [1, [], undefined]);
  const wrong = { ...TABLES, orders: { key: { customer: "string", id: "string" } } };
  const { message } = await assertRejects(() => scan(wrong)) as Error;
  assertEquals(
    message,
    'Cannot change the key of the table "orders" from customer (S), id (N) to customer (S), id (S), because its items ' +
      `have the old key: give the table another name, or delete the items of all tables with "${data}/tables.db"`,
  );
});

Deno.test("/tables/NAME lists the first items, puts and deletes, and names what is wrong", async () => {
  await using test = await startWithTables(SHOP);
  const url = `${test.platform.controlUrl}/tables/notes`;
  const send = async (method: string, body: string, at = url) => {
    const response = await fetch(at, { method, body });
    return [response.status, (await response.text()).slice(0, 60)];
  };
  const Item = { id: "1", tags: new Set(["a"]), digest: new Uint8Array([1]), big: 2n ** 60n };
  await test.documents.put({ TableName: "shop-notes", Item });
  assertEquals(await (await fetch(url)).json(), {
    items: [{
      key: { id: { S: "1" } },
      text: '{"id":"1","big":"1152921504606846976","digest":"AQ==","tags":["a"]}',
    }],
  });
  assertEquals(await send("POST", '{"id":"2","list":[1.5]}'), [204, ""]);
  const { Items } = await test.documents.scan({ TableName: "shop-notes" });
  assertEquals(Items?.length, 2);
  assertEquals(await send("DELETE", '{"id":{"S":"2"}}'), [204, ""]);
  const cases = [
    ["POST", "{", 400],
    ["POST", "[]", 400],
    ["POST", '{"id":7}', 400],
    ["POST", `{"id":"${"x".repeat(1_100_000)}"}`, 413],
    ["DELETE", '{"id":"2"}', 400],
    ["PUT", "{}", 405],
  ] as const;
  for (const [method, body, status] of cases) {
    const [got, message] = await send(method, body);
    assertEquals(got, status, `${method} ${body.slice(0, 20)}: ${message}`);
  }
  assertEquals((await send("POST", "{}", url.replace("notes", "other")))[0], 404);
  for (let id = 0; id < 60; id++) await send("POST", `{"id":"${id}"}`);
  assertEquals((await (await fetch(url)).json()).items.length, 50);
});

Deno.test("without an engine, the log says so once, and every call is refused with the remedy", async () => {
  const notes: string[] = [];
  const find = () => findEngine({ system: "plan9-x86_64", path: "" });
  const application = resolveApplication(SHOP, LOCAL);
  const note = (text: string) => notes.push(text);
  await using tables = await Tables.open(application.tables, { note, find });
  const problem = "Cannot run tables on plan9-x86_64: ";
  assertEquals([notes.length, notes[0]!.startsWith(`ERROR ${problem}`)], [1, true]);
  const headers = new Headers({ "X-Amz-Target": "DynamoDB_20120810.GetItem" });
  const call = tables.parse(headers, '{"TableName":"shop-notes","Key":{"id":{"S":"1"}}}');
  const error = await assertRejects(async () => await call.run());
  assert(error instanceof ServiceError && error.status === 501);
  assertStringIncludes(error.message, problem);
});

Deno.test("no engine starts that functions for Node.js reach, and the log names the remedy", async () => {
  const { tables } = resolveApplication(SHOP, LOCAL);
  const alone: OwnNetwork = await findOwnNetwork();
  const none: OwnNetwork = { problem: "none here" };
  const noted = async (unlimited: string[], network: OwnNetwork, isPlain: boolean) => {
    const notes: string[] = [];
    const note = (text: string) => notes.push(text);
    const seeFolders = () => Promise.resolve(isPlain);
    await using opened = await Tables.open(tables, { note, network, unlimited, seeFolders });
    assertEquals(opened.engine === undefined, opened.problem.startsWith("Cannot run tables here"));
    if (opened.engine === undefined) assertEquals(notes, [`ERROR ${opened.problem}`]);
    return notes.join("\n");
  };
  const start = "ERROR Cannot run tables here beside functions for Node.js ";
  const remedy = ": run these functions on Deno, or the platform on a Linux with namespaces";
  const cases = [
    [["a", "b"], none, false, `${start}("a", "b"),`, `no network of its own (none here)${remedy}`],
    [["a"], none, true, `${start}("a"),`, "(none here)"],
    [
      ["a"],
      alone,
      true,
      `${start}("a"),`,
      alone.problem ?? `functions run in plain folders${remedy}`,
    ],
    [[], none, true, "WARN Other programs of this machine can use the local tables, ", "none here"],
  ] as const;
  for (const [unlimited, network, isPlain, first, last] of cases) {
    const line = await noted([...unlimited], network, isPlain);
    assertEquals([line.startsWith(first), line.includes(last)], [true, true], line);
  }
  if (alone.problem !== undefined) return; // Then no engine is out of reach.
  for (const [unlimited, isPlain] of [[["a"], false], [[], true]] as const) {
    assertEquals(await noted([...unlimited], alone, isPlain), "");
  }
});
