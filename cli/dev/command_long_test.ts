/** The command `mate dev` in a process of its own, when it ends early or much changes meanwhile. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Command, createApp, greet, manifest } from "../testdata/command.ts";
import { Debugger } from "../testdata/debugger.ts";
import { temporaryFolder } from "../../testdata/programs.ts";
import { until } from "../../testdata/waiting.ts";

/** Opens a named pipe as soon as the bundler of a command reads it. If the command has ended, the pipe opens too. */
async function openRead(pipe: string, command: Command): Promise<Deno.FsFile> {
  command.status().then(async () => (await Deno.open(pipe, { read: true, write: true })).close());
  return await Deno.open(pipe, { write: true });
}

const UNIX = { ignore: Deno.build.os === "windows" };

Deno.test(
  "the command serves the document of the API, and tells what is wrong with its description",
  UNIX,
  async () => {
    const folder = await createApp();
    const describe = (key: string) =>
      Deno.writeTextFile(
        join(folder, "api.ts"),
        `export const api = { ${JSON.stringify(key)}: { responses: { 204: "Done" } } };`,
      );
    await describe("GET /bye");
    const settings = JSON.parse(manifest("/hello"));
    const app = join(folder, "app.json");
    await Deno.writeTextFile(app, JSON.stringify({ ...settings, api: "api.ts" }));
    await using command = new Command(["--port", "0", "app.json"], folder);
    const [, controlUrl, base] = await command.find(
      /Start page {2}(\S+)\n {2}Base URL {4}(http:\/\/localhost:\d+\/v0)\n/,
    );
    const problem =
      'Cannot describe the API of "api.ts": no route of the manifest serves "GET /bye"';
    await command.find(new RegExp(`ERROR ${problem}: add the route to a function\n`));
    const ask = async () => {
      const response = await fetch(`${controlUrl}openapi.json`);
      return {
        status: response.status,
        type: response.headers.get("content-type"),
        body: await response.json(),
      };
    };
    const wrong = await ask();
    assertEquals(wrong.status, 500);
    assertStringIncludes(JSON.stringify(wrong.body), JSON.stringify(problem).slice(1, -1));
    await describe("GET /hello");
    await until("the new document", async () => (await ask()).status === 200);
    const { type, body } = await ask();
    assertEquals(type, "application/json");
    assertEquals([body.servers, Object.keys(body.paths)], [[{ url: base }], ["/hello"]]);

    // The check of a new manifest: the description lacks the new route.
    await Deno.writeTextFile(
      app,
      JSON.stringify({
        ...settings,
        api: "api.ts",
        functions: {
          ...settings.functions,
          more: { module: "hello.ts", triggers: { routes: [{ method: "GET", path: "/more" }] } },
        },
      }),
    );
    await command.find(
      /Warning: The route "GET \/more" of the manifest has no description in "api.ts"\n/,
    );
    await Deno.writeTextFile(app, JSON.stringify(settings));
    await command.find(/(Reloading[^]*){2}Ctrl-C/);
    // One write of the manifest may count as two changes.
    await until("the end of the document", async () => (await ask()).status === 404);
    command.kill("SIGINT");
    assertEquals([await command.status(), await command.errors], [0, ""]);
  },
);

Deno.test("the command ends in order if the reader of its output is gone", UNIX, async () => {
  const folder = await createApp();
  await using command = new Command(["--verbose", "--port", "0", "app.json"], folder);
  const [url] = await command.find(/http:\S+v0(?=[^]*Functions run in)/);
  await command.stopReading(); // as `head` does
  // The command logs the request. It may end before it answers.
  await fetch(`${url}/hello`).then((response) => response.body?.cancel(), () => {});
  assertEquals([await command.status(), await command.errors], [0, ""]);
});

Deno.test(
  "the command leaves nothing behind if its terminal is closed, even if a named pipe stopped the watch",
  UNIX,
  async () => {
    const folder = await createApp();
    const temporary = join(folder, "tmp");
    await Deno.mkdir(temporary);
    await using command = new Command(["--port", "0", "app.json"], folder, { TMPDIR: temporary });
    const [, base] = await command.find(/Base URL {4}(\S+)\n/);
    assertEquals(await (await fetch(`${base}/hello`)).text(), "Hello");
    await new Deno.Command("mkfifo", { args: [join(folder, "pipe")] }).output();
    await new Promise((resolve) => setTimeout(resolve, 500)); // until the watch has stopped
    command.kill("SIGHUP");
    const patience = setTimeout(() => command.kill("SIGKILL"), 60_000);
    assertEquals([await command.status(), await command.errors], [0, ""]);
    clearTimeout(patience);
    assertEquals(await Array.fromAsync(Deno.readDir(temporary)), []);
  },
);

Deno.test("the command answers while it bundles for a changed manifest", UNIX, async () => {
  // The named pipe is in the workspace of the application, but outside of the watch, which a named pipe stops.
  const root = temporaryFolder();
  const [folder, other] = [join(root, "app"), join(root, "other")];
  await createApp(folder);
  await Deno.mkdir(other);
  await Deno.writeTextFile(join(root, "deno.json"), `{ "workspace": ["./app"] }`);
  await Deno.writeTextFile(join(folder, "deno.json"), "{}");
  const pipe = join(other, "slow.ts");
  await new Deno.Command("mkfifo", { args: [pipe] }).output();
  await Deno.writeTextFile(join(other, "hello.ts"), `export { handler } from "./slow.ts";`);
  await using command = new Command(["--port", "0", "app.json"], folder);
  const [, base] = await command.find(/Base URL {4}(\S+)\n[^]*Ctrl-C/);
  assertEquals(await (await fetch(`${base}/hello`)).text(), "Hello");
  const slow = manifest("/hello").replace("hello.ts", join(other, "hello.ts"));
  await Deno.writeTextFile(join(folder, "app.json"), slow);
  await command.find(/Ctrl-C/);
  using _module = await openRead(pipe, command);
  assertEquals(await (await fetch(`${base}/hello`)).text(), "Hello");
  command.killGroup("SIGINT");
  assertEquals([await command.status(), await command.errors], [0, ""]);
});

Deno.test("the command reloads a function whose import from another member of the workspace changes", async () => {
  const root = temporaryFolder();
  const folder = await createApp(join(root, "app"));
  const write = async (files: Record<string, string>) => {
    for (const [file, text] of Object.entries(files)) {
      await Deno.writeTextFile(join(root, file), text);
    }
  };
  for (const name of ["words", "later"]) await Deno.mkdir(join(root, name));
  await write({
    "deno.json": `{ "workspace": ["./app", "./words", "./later"] }`,
    "app/deno.json": "{}",
    "words/deno.json": `{ "name": "@test/words", "exports": "./mod.ts" }`,
    "words/mod.ts": `export const text = "one";`,
    "later/deno.json": "{}",
    "app/hello.ts":
      `import { text } from "@test/words"; export const handler = () => ({ body: text });`,
  });
  await using command = new Command(["--port", "0", "app.json"], folder);
  const [, base] = await command.find(/Base URL {4}(\S+)\n[^]*Ctrl-C/);
  assertEquals(await (await fetch(`${base}/hello`)).text(), "one");
  const changes = [
    ["words/mod.ts", `export const text = "two";`, 1, "two"],
    ["later/mod.ts", `export const text = "three";`, 1, "two"], // No function imports it yet.
    ["words/mod.ts", `export { text } from "../later/mod.ts";`, 2, "three"],
    ["later/mod.ts", `export const text = "four";`, 3, "four"],
  ] as const;
  for (const [file, text, reloads, expected] of changes) {
    await write({ [file]: text });
    await command.find(new RegExp(`(?:Reloaded hello[^]*){${reloads}}`));
    assertEquals(await (await fetch(`${base}/hello`)).text(), expected, text);
  }
  // A new function may import from elsewhere, too.
  await Deno.mkdir(join(root, "fresh"));
  await write({
    "fresh/mod.ts": greet("five"),
    "app/other.ts": `export { handler } from "../fresh/mod.ts";`,
    "app/app.json": manifest("/hello", "other.ts"),
  });
  await command.find(/Reloading "[^]*Ctrl-C/);
  await write({ "fresh/mod.ts": greet("six") });
  // The manifest was written in two steps, so that it may be read twice, and the second time reads this change, too.
  await until("the last change", async () => await (await fetch(`${base}/hello`)).text() === "six");
});

Deno.test("the command ends in order if Ctrl-C interrupts its bundling", UNIX, async () => {
  const folder = await createApp();
  const pipe = join(folder, "slow.ts");
  await new Deno.Command("mkfifo", { args: [pipe] }).output();
  await Deno.writeTextFile(join(folder, "hello.ts"), `export { handler } from "./slow.ts";`);
  await using command = new Command(["--port", "0", "app.json"], folder);
  await command.find(/Ctrl-C/);
  using _module = await openRead(pipe, command);
  command.killGroup("SIGINT");
  assertEquals([await command.status(), await command.errors], [0, ""]);
});

Deno.test(
  "the command without --data keeps its data in .mate, which git ignores, and ends at SIGTERM",
  UNIX,
  async () => {
    const folder = await createApp();
    await using command = new Command(["--verbose", "--port", "0", "app.json"], folder);
    const [, base] = await command.find(/Base URL {4}(\S+)\n[^]*Ctrl-C/);
    const data = join(folder, ".mate/greeter");
    assertEquals((await Deno.stat(join(data, "buckets/files"))).isDirectory, true);
    assertEquals((await Deno.stat(join(data, ".gitignore"))).isFile, true);
    assertEquals(await (await fetch(`${base}/hello`)).text(), "Hello");
    command.kill("SIGTERM");
    assertEquals([await command.status(), await command.errors], [0, ""]);
  },
);

Deno.test("mate dev --inspect prints where a debugger attaches, and keeps the address", async () => {
  const folder = await createApp();
  await using other = new Command(["--inspect", "helo", "--port", "0", "app.json"], folder);
  assertEquals(await other.status(), 1);
  assertMatch(
    await other.errors,
    /Cannot inspect "helo": the functions are "hello"/,
  );

  await using command = new Command(["--inspect", "hello", "--port", "0", "app.json"], folder);
  const [, address] = await command.find(
    / {2}Inspector {3}of "hello": .*(ws:\/\/\S+), or open devtools:\S+ in/,
  );
  await command.find(/Ctrl-C/);
  await Deno.writeTextFile(join(folder, "app.json"), manifest("/greet"));
  await command.find(/Reloading "[^]*Ctrl-C/);
  await using client = await Debugger.attach(address!);
  await client.breakAt(pathToFileURL(join(folder, "hello.ts")).href, 1, false);
});
