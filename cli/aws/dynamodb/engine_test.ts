import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { FnTableRecord } from "@mate/core/table";
import { Engine } from "./engine.ts";
import { TableError } from "./table_error.ts";
import { findOwnNetwork } from "./own_network.ts";
import { childrenOf, listeners } from "../../../testdata/listeners.ts";
import { killIfThere } from "../../../testdata/own_effects.ts";
import { until, within } from "../../../testdata/waiting.ts";
import { startProgram, succeed, temporaryFolder } from "../../../testdata/programs.ts";

const { problem } = await findOwnNetwork();
if (problem !== undefined) {
  console.error(`NOT RUN: an engine with a network of its own: ${problem}`);
}

Deno.test("without a network of its own, each engine listens at another address", async () => {
  await using first = await Engine.start(undefined, undefined, { problem: "none" });
  await using second = await Engine.start(undefined, undefined, { problem: "none" });
  const [one, other] = [first, second].map(({ url }) => new URL(url));
  assertNotEquals(one!.host, other!.host);
  assert(one!.hostname.startsWith("127."));
  if (Deno.build.os === "linux") assertNotEquals(one!.hostname, other!.hostname);
  assertEquals(await first.call("ListTables", {}), { TableNames: [] });
});

Deno.test("an engine passes on the errors of the service", async () => {
  await using engine = await Engine.start();
  const error = await assertRejects(() => engine.call("DescribeTable", { TableName: "none" }));
  assert(error instanceof TableError);
  assertEquals(error.type, "ResourceNotFoundException");
});

Deno.test("an engine is reached whatever the variables for proxies say", async () => {
  const file = `${temporaryFolder()}/one.ts`;
  const config = new URL("../../../deno.json", import.meta.url).pathname;
  const args = ["run", "-A", "--no-lock", "--no-check", "--quiet", "--config", config, file];
  for (const network of ["undefined", '{ problem: "none" }']) {
    await Deno.writeTextFile(
      file,
      `import { Engine } from "${new URL("./engine.ts", import.meta.url).href}";
      await using engine = await Engine.start(undefined, undefined, ${network});
      console.log(JSON.stringify(await engine.call("ListTables", {})));`,
    );
    for (const variables of [{ NO_PROXY: "*" }, { HTTP_PROXY: "http://127.0.0.1:9" }]) {
      const env = { NO_COLOR: "1", ...variables };
      assertEquals((await succeed(Deno.execPath(), args, { env })).trim(), '{"TableNames":[]}');
    }
  }
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

/** Starts an engine in a platform of its own, which makes its temporary files in a folder of its own. */
async function startElsewhere(options: string) {
  const file = new URL("./engine.ts", import.meta.url).href;
  const code = `
    const { Engine } = await import(${JSON.stringify(file)});
    const engine = await Engine.start(${options});
    console.log(JSON.stringify(await engine.call("ListTables", {})));
    setInterval(() => {}, 1_000);
  `;
  const config = new URL("../../../deno.json", import.meta.url).pathname;
  const folder = temporaryFolder();
  const platform = startProgram(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", "--no-check", "--config", config, "-"],
    env: { TMPDIR: folder },
    stdin: "piped",
    stdout: "piped",
  });
  const writer = platform.stdin.getWriter();
  await writer.write(new TextEncoder().encode(code));
  await writer.close();
  const reader = platform.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = await within("the answer of the engine", reader.read());
  assertEquals(value?.trim(), '{"TableNames":[]}');
  return { platform, reader, folder, children: childrenOf(platform.pid) };
}

const isRunning = (pid: number) => Deno.stat(`/proc/${pid}`).then(() => true, () => false);

for (
  const options of problem === undefined ? ["", 'undefined, undefined, { problem: "" }'] : [""]
) {
  Deno.test({
    name: `an engine ends with its platform, also if the platform is killed: start(${options})`,
    ignore: Deno.build.os !== "linux", // The test finds the processes in /proc.
    async fn() {
      const { platform, reader, folder, children } = await startElsewhere(options);
      assert(children.length >= 2, "the guard and the engine");
      platform.kill("SIGKILL");
      await platform.status;
      await reader.cancel();
      const running = () => Promise.all(children.map(isRunning));
      await until("the end of all processes", async () => !(await running()).includes(true));
      assertEquals([...Deno.readDirSync(folder)], []);
    },
  });
}

Deno.test({
  name: "an engine has a network of its own, and only its platform may connect to its socket",
  ignore: problem !== undefined,
  async fn() {
    const { platform, reader, folder, children } = await startElsewhere("");
    await using _platform = platform;
    assertEquals(listeners([platform.pid, ...children]), []);
    const [{ name }] = [...Deno.readDirSync(folder)] as [Deno.DirEntry];
    assertEquals((await Deno.stat(`${folder}/${name}`)).mode! & 0o777, 0o700);
    // The relay may be killed, too.
    for (const child of children) killIfThere(child);
    await until("the removal of the socket", () => [...Deno.readDirSync(folder)].length === 0);
    await reader.cancel();
  },
});
