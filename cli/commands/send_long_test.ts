import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { serve } from "../testdata/bundle.ts";
import { Command, mate } from "../testdata/command.ts";
import { temporaryFolder } from "../../testdata/programs.ts";

const MANIFEST = {
  name: "sender",
  stage: "v0",
  functions: {
    all: {
      module: "all.ts",
      environment: { PLACE: "here" },
      triggers: {
        queues: [{ name: "jobs" }],
        topics: [{ name: "news" }],
        buckets: [{ name: "files", events: ["s3:ObjectCreated:*"] }],
        tables: [{ name: "orders" }],
        events: [{ pattern: { source: ["shop"] } }],
        schedules: ["cron(0 0 1 1 ? 2099)"],
      },
    },
  },
  queues: { jobs: {} },
  tables: { orders: { key: { id: "string" } } },
};

const CODE = `export const handler = (event) => {
  console.log("got " + JSON.stringify(event));
  return Deno.env.get("PLACE");
};`;

async function makeFolder(): Promise<string> {
  const folder = temporaryFolder();
  await Deno.writeTextFile(join(folder, "app.json"), JSON.stringify(MANIFEST));
  await Deno.writeTextFile(join(folder, "all.ts"), CODE);
  await Deno.writeTextFile(join(folder, "note.txt"), "Hello");
  return folder;
}

/** What each command sends, and a part of the event that the function gets. */
const SENT = [
  [["queue", "jobs", "tea"], /got .*"body":"tea"/],
  [["topic", "news", "tea", "--subject", "Hot"], /got .*"Subject":"Hot".*"Message":"tea"/],
  [["bucket", "files", "note.txt", "--key", "in/a b.txt"], /got .*"key":"in\/a\+b\.txt"/],
  [["table", "orders", '{"id":"7"}'], /got .*"eventName":"INSERT"/],
  [["event", '{"source":"shop","detail-type":"Ordered","detail":{"id":7}}'], /got .*"Ordered"/],
  [["schedule", "all"], /got .*"Scheduled Event"/],
] as const;

/** Wrong words, and what is wrong with them. */
const WRONG = [
  [["queue", "job", "tea"], 2, 'Unknown queue "job": did you mean "jobs"?'],
  [["schedule", "al"], 2, 'Unknown function "al": did you mean "all"?'],
  [["schedule", "all", "--number", "1"], 1, "has no schedule 1"],
  [["schedule", "all", "--number", "x"], 2, 'Invalid --number "x"'],
  [["bucket", "files", "none.txt"], 1, 'Cannot read "none.txt"'],
  [["table", "orders", "{"], 1, 'Cannot put an item into "orders"'],
  [["event", "{}"], 1, "Source"],
  [["que", "jobs"], 2, 'Unknown command "send que": did you mean "queue"?'],
] as const;

Deno.test("mate send and mate invoke use the platform of mate dev, and no secret of it", async () => {
  const cwd = await makeFolder();
  await using command = new Command(["--port", "0"], cwd);
  const [, base] = await command.find(/Start page {2}(http:\/\/[\d.:]+\/)[^]*Ctrl-C/);
  // A proxy would learn the secret of the platform.
  const env = { HTTP_PROXY: "http://127.0.0.1:1", http_proxy: "http://127.0.0.1:1", NO_PROXY: "" };
  // As in a terminal: the process of the tests may have connections to functions, which its process group shares.
  const terminal = { cwd, env, detached: true };
  for (const [args, event] of SENT) {
    const { code, stderr } = await mate(["send", ...args], terminal);
    assertEquals([code, stderr], [0, ""], args.join(" "));
    await command.find(event);
  }
  for (const [args, status, problem] of WRONG) {
    const { code, stderr } = await mate(["send", ...args], terminal);
    assertEquals([code, stderr.trim().split("\n").length], [status, 1], stderr);
    assertStringIncludes(stderr, problem);
  }
  const { code, stdout, stderr } = await mate(
    ["invoke", "all", "--event", '{"by":"hand"}'],
    terminal,
  );
  assertEquals([code, stdout], [0, '"here"\n']);
  const origin = base!.replace(/\/$/, "");
  assertStringIncludes(stderr, `Invoking "all" on the platform of sender at ${origin}\n`);
  await command.find(/got \{"by":"hand"\}/);
  const own = await mate(["invoke", "all", "--stage", "v0"], terminal);
  assertMatch(own.stderr, /^Bundling "all"\n/, "the platform may run another stage");
  const file = join(cwd, ".mate/sender/.address");
  const { mode } = await Deno.stat(file);
  assertEquals([mode! & 0o777, await Deno.readTextFile(file)], [0o600, base]);

  // A clone may bring the address of a stranger, and a link to the lock of a platform that runs.
  const requests: string[] = [];
  await using stranger = serve(({ url }) => {
    requests.push(url);
    return new Response();
  });
  const clone = await makeFolder();
  const data = join(clone, ".mate/sender");
  await Deno.mkdir(data, { recursive: true });
  await Deno.symlink(join(cwd, ".mate/sender/.lock"), join(data, ".lock"));
  await Deno.writeTextFile(join(data, ".address"), `${stranger.url}/`);
  const led = await mate(["send", "queue", "jobs", "tea"], { ...terminal, cwd: clone });
  assertMatch(led.stderr, /^Error: Cannot use ".*\/\.lock": it is a link, .*\n$/);
  assertEquals([led.code, requests], [1, []]);
});

Deno.test("mate send says how to start the platform, if none holds the folder of the data", async () => {
  const cwd = await makeFolder();
  const send = () => mate(["send", "queue", "jobs", "tea"], { cwd });
  const problem = 'Error: No platform runs "sender": start it with "mate dev"\n';
  assertEquals(await send(), { code: 1, stdout: "", stderr: problem });
  // The address of a platform that has ended may be that of another program.
  await Deno.mkdir(join(cwd, ".mate/sender"), { recursive: true });
  await Deno.writeTextFile(join(cwd, ".mate/sender/.lock"), "         7");
  await Deno.writeTextFile(join(cwd, ".mate/sender/.address"), "http://127.0.0.1:1/");
  assertEquals(await send(), { code: 1, stdout: "", stderr: problem });
  const { stderr } = await mate(["invoke", "all"], { cwd });
  assertMatch(stderr, /^Bundling "all"\n/);
});
