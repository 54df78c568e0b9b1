import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "node:path";
import { killIfThere, ownProcesses } from "../../../testdata/own_effects.ts";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { until } from "../../../testdata/waiting.ts";
import { findEngine } from "../../programs/find_engine.ts";
import { LastingEngine } from "./lasting_engine.ts";
import { findOwnNetwork } from "./own_network.ts";
import { shopWith, startWithTables } from "./testdata/platform.ts";

const TableName = "shop-orders";

const { problem } = await findOwnNetwork();

const SHOP = shopWith({ orders: { key: { id: "string" } } }, {
  writer: { module: "a.ts", uses: { tables: { orders: "read-write" } } },
  listener: { module: "a.ts", triggers: { tables: [{ name: "orders" }] } },
});

/** Kills the engines that this test file has started, as a crash does. */
async function killEngine(): Promise<void> {
  for (const pid of ownProcesses()) {
    const program = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
    if (/^[^\0]*dynoxide\0/.test(program)) killIfThere(pid);
  }
}

for (const keepsItems of [true, false]) {
  const where = keepsItems ? "in a file" : "in memory";
  Deno.test({
    name: `the end of an engine with its items ${where} is logged, and it is started again`,
    ignore: Deno.build.os !== "linux", // The test finds the process in /proc.
    async fn() {
      const data = keepsItems ? temporaryFolder() : undefined;
      await using test = await startWithTables(SHOP, { ...data && { data } });
      const { documents } = test.clientOf("writer");
      const idsOf = async () =>
        (await documents.scan({ TableName })).Items!.map(({ id }) => id).sort();
      await documents.put({ TableName, Item: { id: "1" } });
      await test.platform.settled();
      await killEngine();
      assertEquals(await idsOf(), keepsItems ? ["1"] : [], "a read waits for the new engine");
      await documents.put({ TableName, Item: { id: "2" } });
      assertEquals(await idsOf(), keepsItems ? ["1", "2"] : ["2"]);
      await test.platform.settled();
      const seen = test.host.calls.flatMap(({ event }) => event.Records)
        .map(({ dynamodb }) => dynamodb.Keys.id.S);
      assertEquals(seen, ["1", "2"], "the listener goes on");
      const [note, ...others] = test.log.after(0).map(({ text }) => text);
      assertMatch(
        note!,
        /^ERROR The engine of the tables has ended \(.*137.*\): it is started again/,
      );
      assertEquals([note!.endsWith("which were in memory"), others], [!keepsItems, []]);
    },
  });
}

Deno.test({
  name: "a write during the end of the engine fails as the service fails, and the next one works",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using test = await startWithTables(SHOP);
    const put = (id: string) => test.client.putItem({ TableName, Item: { id: { S: id } } });
    const writing = Promise.allSettled(Array.from({ length: 200 }, (_, id) => put(`${id}`)));
    await killEngine();
    for (const result of await writing) {
      if (result.status === "fulfilled") continue;
      assertEquals(result.reason.name, "InternalServerError", result.reason.message);
    }
    await put("after");
  },
});

Deno.test({
  name: "a read waits for the new engine, also while the folder of the former one is removed",
  ignore: problem !== undefined,
  async fn() {
    await using test = await startWithTables(SHOP);
    const reads: Promise<unknown>[] = [];
    const { remove } = Deno;
    Deno.remove = async (...args) => {
      reads.push(test.client.scan({ TableName }));
      await new Promise((resolve) => setTimeout(resolve, 100));
      await remove(...args);
    };
    try {
      await killEngine();
      await until("the end of the engine", () => reads.length > 0);
      for (const read of reads) assertEquals((await read as { Items: unknown }).Items, []);
    } finally {
      Deno.remove = remove;
    }
  },
});

Deno.test({
  name: "an engine that cannot be started again is named, and every call says so",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = temporaryFolder();
    const program = join(folder, "dynoxide");
    await Deno.copyFile(await findEngine(), program);
    await Deno.chmod(program, 0o755);
    const notes: string[] = [];
    await using engine = await LastingEngine.start({
      file: undefined,
      program,
      prepare: () => Promise.resolve(),
      note: (text) => void notes.push(text),
    });
    await Deno.remove(program);
    await killEngine();
    await until("both lines of the log", () => notes.length === 2, () => notes);
    assertMatch(notes[1]!, /^ERROR Cannot start the engine of the tables/);
    await assertRejects(() => engine.call("ListTables", {}), Error, "Cannot start the engine");
  },
});
