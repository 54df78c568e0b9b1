import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { Command, createApp, greet, manifest } from "../testdata/command.ts";
import { isSource, run } from "./run.ts";
import { temporaryFolder } from "../../testdata/programs.ts";
import { within } from "../../testdata/waiting.ts";

const cases = [
  [["--data", "data"], "SIGINT"],
  [["--in-process"], "SIGTERM"], // with the objects in .mate
] as const;
for (const [mode, signal] of cases) {
  Deno.test(`the command with ${mode[0]} runs an application, reloads it and stops`, async () => {
    const folder = await createApp();
    const module = join(folder, "hello.ts");
    const app = join(folder, "app.json");
    await using command = new Command([...mode, "--port", "0", "app.json"], folder);
    const [, base] = await command.find(
      /^(?:Bundling the functions of greeter\n)?greeter is running\n[^]*Base URL {4}(\S+)\n[^]*Ctrl-C/,
    );
    const hello = async () => await (await fetch(`${base}/hello`)).text();
    assertStringIncludes(command.output, `curl '${base}/hello'`);
    const data = mode[0] === "--data" ? "data" : ".mate/greeter";
    assertEquals((await Deno.stat(join(folder, data, "buckets/files"))).isDirectory, true);
    const names = (await Array.fromAsync(Deno.readDir(join(folder, data)))).map(({ name }) => name);
    assertEquals(names.includes(".gitignore"), mode[0] !== "--data", "git ignores the own folder");
    assertEquals(await hello(), "Hello");

    await Deno.writeTextFile(module, greet("Hello again"));
    await command.find(/platform {5}Reloaded hello: the next invocation runs the new code\n/);
    assertEquals(await hello(), "Hello again");

    await Deno.writeTextFile(module, greet("Hello at last"));
    await Deno.writeTextFile(app, "{");
    await command.find(
      /platform {5}ERROR Cannot read the manifest .* ↵ For now, the old version still answers\n/,
    );
    assertStringIncludes(await hello(), "Hello");

    await Deno.writeTextFile(app, manifest("/greet"));
    await command.find(new RegExp(`[^]*Reloading "[^]*curl '${base}/greet'`));
    const greeting = await fetch(`${base}/greet`);
    assertEquals([await greeting.text(), (await fetch(`${base}/hello`)).status], [
      "Hello at last",
      403,
    ]);

    command.kill(signal);
    assertEquals([await command.status(), await command.errors], [0, ""]);
  });
}

/** Runs an application in the process of the test, until `onLine` stops it. */
async function runHere(
  folder: string,
  isInProcess: boolean,
  onLine: (line: string, stop: () => void) => void,
): Promise<string> {
  const lines: string[] = [];
  const controller = new AbortController();
  const options = { manifestPath: join(folder, "app.json"), data: join(folder, "data") };
  const running = run({ ...options, port: 0, isInProcess }, {
    signal: controller.signal,
    print(line) {
      lines.push(line);
      onLine(line, () => controller.abort());
    },
    isColored: false,
  });
  try {
    await within("the end of the application", running, () => lines.join("\n"));
  } finally {
    controller.abort();
  }
  return lines.join("\n");
}

Deno.test("run() ignores files that no function uses, and reports a fault once", async () => {
  const folder = await createApp();
  // A reload that is under way may read the module at any time. So the new text comes at once, and not after an empty file.
  const replace = async (text: string) => {
    const file = await Deno.makeTempFile();
    await Deno.writeTextFile(file, text);
    await Deno.rename(file, module);
  };
  const module = join(folder, "hello.ts");
  const notes = join(folder, "notes.txt");
  const output = await runHere(folder, false, async (line, stop) => {
    if (line.includes("Stop with Ctrl-C")) {
      await replace("export const handler = (");
    }
    if (line.includes("Cannot bundle")) {
      // The output of the command may be written to a file in the folder.
      for (let i = 0; i < 3; i++) {
        await Deno.writeTextFile(notes, `${i}`);
        await new Promise((resolve) => setTimeout(resolve, 400)); // longer than a watch waits
      }
      await replace(greet("Hello"));
    }
    if (line.includes("Reloaded")) stop();
  });
  const messages = output.match(/(?<= hello {8})ERROR Cannot bundle|For now.*|Reloaded.*/g);
  assertEquals(messages, [
    "ERROR Cannot bundle",
    "For now, the old code of hello still answers",
    "Reloaded hello: the next invocation runs the new code",
  ]);
});

Deno.test("run() starts although a function cannot be bundled, and takes its repair", async () => {
  const folder = await createApp();
  await Deno.writeTextFile(join(folder, "hello.ts"), "export const handler = (");
  const output = await runHere(folder, false, async (line, stop) => {
    if (line.includes("nothing answers")) {
      await Deno.writeTextFile(join(folder, "hello.ts"), greet("Hello"));
    }
    if (line.includes("Reloaded")) stop();
  });
  assertMatch(
    output,
    /Ctrl-C[^]* hello {8}ERROR Cannot bundle the function "hello": .* ↵ For now, nothing answers for hello\n[^]*Reloaded hello: /,
  );
});

Deno.test("run() takes a change of the manifest during a restart", async () => {
  const folder = await createApp();
  const changes = ["/greet/1", "/greet/2"].values();
  const output = await runHere(folder, true, async (line, stop) => {
    if (line.includes("/greet/2'")) return stop();
    if (!/Stop with Ctrl-C|Reloading/.test(line)) return;
    const { value } = changes.next();
    if (value) await Deno.writeTextFile(join(folder, "app.json"), manifest(value));
  });
  assertStringIncludes(output, "/greet/2'");
  const services = output.match(/(?<=aws s3 ls --endpoint-url )\S+/g)!;
  assertEquals([services.length, new Set(services).size], [3, 1], "the URL of the services stays");
});

Deno.test("run() restarts the application if the file .env changes", async () => {
  const folder = await createApp();
  const output = await runHere(folder, true, async (line, stop) => {
    if (line.includes("Stop with Ctrl-C")) await Deno.writeTextFile(join(folder, ".env"), "A=1");
    if (line.includes("Reloading")) stop();
  });
  assertStringIncludes(output, 'Reloading "');
});

Deno.test("run() closes every watch, even of a folder in a watched folder", {
  sanitizeResources: true,
  sanitizeOps: true,
}, async () => {
  const folder = await createApp();
  await runHere(folder, true, (line, stop) => line.includes("Stop with Ctrl-C") && stop());
});

/** Opens a named pipe as soon as the bundler of a command reads it. If the command has ended, the pipe opens too. */
async function openRead(pipe: string, command: Command): Promise<Deno.FsFile> {
  command.status().then(async () => (await Deno.open(pipe, { read: true, write: true })).close());
  return await Deno.open(pipe, { write: true });
}

const UNIX = { ignore: Deno.build.os === "windows" };

Deno.test("the command ends in order if the reader of its output is gone", UNIX, async () => {
  const folder = await createApp();
  await using command = new Command(["--port", "0", "app.json"], folder);
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
  const slow = manifest("/hello").replace("hello.ts", join(other, "hello.ts"));
  await Deno.writeTextFile(join(folder, "app.json"), slow);
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
  await command.find(/Reloading "[^]*Reloaded hello/);
  assertEquals(await (await fetch(`${base}/hello`)).text(), "six");
});

Deno.test("the command ends in order if Ctrl-C interrupts its bundling", UNIX, async () => {
  const folder = await createApp();
  const pipe = join(folder, "slow.ts");
  await new Deno.Command("mkfifo", { args: [pipe] }).output();
  await Deno.writeTextFile(join(folder, "hello.ts"), `export { handler } from "./slow.ts";`);
  await using command = new Command(["--port", "0", "app.json"], folder);
  using _module = await openRead(pipe, command);
  command.killGroup("SIGINT");
  assertEquals([await command.status(), await command.errors], [0, ""]);
  assertEquals(command.output, "Bundling the functions of greeter\n");
});

Deno.test("isSource() ignores objects, items and hidden files", () => {
  const isOfInterest = isSource("/app", ["/app/data/buckets/", "/app/data/tables.db"]);
  const ignored = [
    "data/buckets",
    "data/buckets/files/a.ts",
    "data/tables.db",
    "data/tables.db-wal",
    ".mate/app/tables.db",
    "node_modules/a.js",
  ];
  for (const path of ignored) assertEquals(isOfInterest(`/app/${path}`), false, path);
  for (const path of ["a.ts", "data/a.ts", "data/buckets.ts", ".env"]) {
    assertEquals(isOfInterest(`/app/${path}`), true, path);
  }
});
