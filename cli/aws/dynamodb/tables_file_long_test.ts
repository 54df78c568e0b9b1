import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { shopWith, startWithTables } from "./testdata/platform.ts";

const TableName = "shop-orders";

const SHOP = shopWith({ orders: { key: { id: "string" } } }, {
  writer: { module: "a.ts", uses: { tables: { orders: "read-write" } } },
  listener: { module: "a.ts", triggers: { tables: [{ name: "orders" }] } },
});

Deno.test("the file of the tables does not grow with every change, and a slow reader misses none", async () => {
  const data = temporaryFolder();
  await using test = await startWithTables(SHOP, { data });
  const size = async () => (await Deno.stat(join(data, "tables.db"))).size;
  const pad = "x".repeat(2_000);
  const change = async (from: number, to: number) => {
    for (let count = from; count < to; count++) {
      await test.documents.put({ TableName, Item: { id: "1", count, pad } });
    }
    await test.platform.settled();
  };
  await change(0, 450);
  const before = await size();
  await change(450, 900);
  assert(await size() - before < 500_000, `${before} bytes, then ${await size()}`);
  const counts = test.host.calls.flatMap(({ event }) => event.Records)
    .map(({ dynamodb }) => Number(dynamodb.NewImage.count.N));
  assertEquals(counts, Array.from({ length: 900 }, (_, count) => count));
});
