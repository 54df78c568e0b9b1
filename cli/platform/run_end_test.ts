import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { Command, createApp, MAIN } from "../testdata/command.ts";
import { run } from "./run.ts";

Deno.test({
  name: "the command ends in order when the reader of its output is gone",
  ignore: Deno.build.os === "windows",
  async fn() {
    const folder = await createApp();
    const process = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-lock",
        MAIN,
        "dev",
        "--port",
        "0",
        "--data",
        folder,
        `${folder}/app.json`,
      ],
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    try {
      let output = "";
      const reader = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
      while (!output.includes("Functions run in")) output += (await reader.read()).value ?? "";
      await reader.cancel(); // as `head` does when it has seen enough
      const [url] = /http:\S+v0/.exec(output)!;
      // Makes it log, whether or not there is time for an answer.
      await fetch(`${url}/hello`).then((response) => response.body?.cancel(), () => {});
      assertEquals([(await process.status).code, await new Response(process.stderr).text()], [
        0,
        "",
      ]);
    } finally {
      try {
        process.kill("SIGKILL");
      } catch {
        // it has ended by itself
      }
    }
    await Deno.remove(folder, { recursive: true });
  },
});

Deno.test("run() closes every watch, those below another one too", {
  sanitizeResources: true,
  sanitizeOps: true,
}, async () => {
  const folder = await createApp();
  const options = {
    manifestPath: join(folder, "app.json"),
    port: 0,
    data: join(folder, "data"),
    isInProcess: true,
  };
  const controller = new AbortController();
  await run(options, {
    signal: controller.signal,
    print: (line) => void (line.includes("Stop with Ctrl-C") && controller.abort()),
    isColored: false,
  });
  await Deno.remove(folder, { recursive: true });
});

/** The command with an application, and a temporary folder that must be empty at the end. */
async function startWithTemporary() {
  const folder = await createApp();
  const temporary = join(folder, "tmp");
  await Deno.mkdir(temporary);
  const args = ["--port", "0", "--data", join(folder, "data"), join(folder, "app.json")];
  const command = new Command(args, folder, { TMPDIR: temporary });
  return {
    folder,
    command,
    /** Waits for the end, which must be in order. */
    async end() {
      assertEquals([await command.status(), await command.errors], [0, ""]);
      assertEquals(await Array.fromAsync(Deno.readDir(temporary)), []);
      await Deno.remove(folder, { recursive: true });
    },
    [Symbol.asyncDispose]: () => command[Symbol.asyncDispose](),
  };
}

Deno.test({
  name: "the command leaves nothing behind when its terminal is closed",
  ignore: Deno.build.os === "windows", // which has no such signal
  async fn() {
    await using app = await startWithTemporary();
    const [, base] = await app.command.find(/Base URL {4}(\S+)\n/);
    assertEquals(await (await fetch(`${base}/hello`)).text(), "Hello");
    app.command.kill("SIGHUP");
    await app.end();
  },
});

Deno.test({
  name: "the command ends in order although a named pipe stopped the watching",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using app = await startWithTemporary();
    await app.command.find(/Stop with Ctrl-C/);
    await new Deno.Command("mkfifo", { args: [join(app.folder, "pipe")] }).output();
    await new Promise((resolve) => setTimeout(resolve, 500)); // until it was seen
    app.command.kill("SIGINT");
    const patience = setTimeout(() => app.command.kill("SIGKILL"), 60_000);
    await app.end();
    clearTimeout(patience);
  },
});

Deno.test({
  name: "the command ends in order when Ctrl-C interrupts its bundling",
  ignore: Deno.build.os === "windows",
  async fn() {
    const folder = await createApp();
    const pipe = join(folder, "slow.ts");
    await new Deno.Command("mkfifo", { args: [pipe] }).output();
    await Deno.writeTextFile(join(folder, "hello.ts"), `export { handler } from "./slow.ts";`);
    await using command = new Command(["--port", "0", join(folder, "app.json")], folder);
    using _module = await Deno.open(pipe, { write: true }); // once it is read, which has no end
    command.killGroup("SIGINT");
    assertEquals([await command.status(), await command.errors, command.output], [0, "", ""]);
    await Deno.remove(folder, { recursive: true });
  },
});
