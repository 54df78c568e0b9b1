import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { FnTableRecord } from "@mate/core/table";
import { Engine, TableError } from "./engine.ts";
import { within } from "../../../testdata/waiting.ts";
import { startProgram } from "../../../testdata/programs.ts";

Deno.test("each engine listens at another address, and passes on the errors of the service", async () => {
  await using first = await Engine.start();
  await using second = await Engine.start();
  const [one, other] = [first, second].map(({ url }) => new URL(url));
  assertNotEquals(one!.host, other!.host);
  assert(one!.hostname.startsWith("127."));
  if (Deno.build.os === "linux") assertNotEquals(one!.hostname, other!.hostname);
  assertEquals(await first.call("ListTables", {}), { TableNames: [] });
  const error = await assertRejects(() => first.call("DescribeTable", { TableName: "none" }));
  assert(error instanceof TableError);
  assertEquals(error.type, "ResourceNotFoundException");
});

Deno.test("an engine that cannot start says why", async () => {
  const { message } = await assertRejects(() => Engine.start("/no/such/folder/tables.db")) as Error;
  assert(/^Cannot start the engine of the tables \(.*\): ./.test(message), message);
});

Deno.test("FnTableRecord reads the records of the engine's stream", async () => {
  await using engine = await Engine.start();
  const TableName = "notes";
  await engine.call("CreateTable", {
    TableName,
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    BillingMode: "PAY_PER_REQUEST",
    StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" },
  });
  await engine.call("PutItem", { TableName, Item: { id: { S: "1" }, count: { N: "1e2" } } });
  const { Table } = await engine.call<{ Table: { LatestStreamArn: string } }>("DescribeTable", {
    TableName,
  });
  const StreamArn = Table.LatestStreamArn;
  const { StreamDescription } = await engine.call<{
    StreamDescription: { Shards: { ShardId: string }[] };
  }>("DescribeStream", { StreamArn });
  const { ShardIterator } = await engine.call<{ ShardIterator: string }>("GetShardIterator", {
    StreamArn,
    ShardId: StreamDescription.Shards[0]!.ShardId,
    ShardIteratorType: "TRIM_HORIZON",
  });
  const event = await engine.call<{ Records: object[] }>("GetRecords", { ShardIterator });
  const record = new FnTableRecord(event);
  assertEquals([record.eventName(), record.viewType()], ["INSERT", "KEYS_ONLY"]);
  assertEquals([record.keys(), record.newImage()], [{ id: "1" }, null]);
});

Deno.test("an engine ends with its platform, also if the platform is killed", async () => {
  const file = new URL("./engine.ts", import.meta.url).href;
  const code = `
    const { Engine } = await import(${JSON.stringify(file)});
    console.log((await Engine.start()).url);
    setInterval(() => {}, 1_000);
  `;
  const config = new URL("../../../deno.json", import.meta.url).pathname;
  await using platform = startProgram(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", "--no-check", "--config", config, "-"],
    stdin: "piped",
    stdout: "piped",
  });
  const writer = platform.stdin.getWriter();
  await writer.write(new TextEncoder().encode(code));
  await writer.close();
  const reader = platform.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const url = (await within("the URL of the engine", reader.read())).value!.trim();
  const ask = async () => await fetch(url).then((response) => response.text(), () => undefined);
  assert((await ask())?.startsWith("healthy"));
  platform.kill("SIGKILL");
  await platform.status;
  await reader.cancel();
  let attempts = 0;
  while (await ask() !== undefined && ++attempts < 500) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assertEquals(await ask(), undefined);
});
