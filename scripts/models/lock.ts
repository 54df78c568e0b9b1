/**
 * Many platforms that want one folder of data, while one after the other is killed: one at a time holds the folder, each
 * refusal names a process that held it, and nothing stays locked after a kill.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { startProgram, temporaryFolder } from "../../testdata/programs.ts";
import { until } from "../../testdata/waiting.ts";

/** A process that takes the folder again and again, and says so. It keeps its mark in the folder while it holds it. */
const WORKER = `
  const { openDataFolder } = await import(${
  JSON.stringify(new URL("../../cli/dev/data_folder.ts", import.meta.url).href)
});
  const [path, journal] = Deno.args;
  const say = (text) => Deno.writeTextFile(journal, Deno.pid + " " + text + "\\n", { append: true });
  for (;;) {
    try {
      await using folder = await openDataFolder(path);
      await say("takes");
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
      await say("gives");
    } catch (error) {
      await say("refused " + error.message);
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
  }`;

/** The number of processes at a time. */
const WORKERS = 3;

/** Runs the model for some seconds. Throws if two processes hold the folder. */
export async function run(seconds: number, next: (limit: number) => number): Promise<void> {
  const folder = temporaryFolder();
  const [path, journal] = [join(folder, "data"), join(folder, "journal")];
  await Deno.writeTextFile(journal, "");
  await Deno.writeTextFile(join(folder, "worker.ts"), WORKER);
  await using stack = new AsyncDisposableStack();
  const start = () =>
    stack.use(startProgram(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--no-config", join(folder, "worker.ts"), path, journal],
      stdout: "null",
    }));
  const workers = Array.from({ length: WORKERS }, start);
  const read = async () => (await Deno.readTextFile(journal)).split("\n").slice(0, -1);
  await until(
    "every process",
    async () => new Set((await read()).map((line) => parseInt(line))).size === WORKERS,
  );
  const killed = new Set<number>();
  for (const end = Date.now() + seconds * 1_000; Date.now() < end;) {
    await new Promise((resolve) => setTimeout(resolve, 20 + next(200)));
    const [worker] = workers.splice(next(workers.length), 1, start());
    worker!.kill("SIGKILL");
    await worker!.status;
    killed.add(worker!.pid);
    const size = (await read()).length;
    await until(
      "the folder after the kill",
      async () => (await read()).slice(size).some((line) => line.endsWith(" takes")),
    );
  }
  for (const worker of workers) worker.kill("SIGKILL");
  await Promise.all(workers.map(({ status }) => status));

  const lines = await read();
  const holders = new Set<number>();
  for (const [index, line] of lines.entries()) {
    const [, pid, what, rest] = /^(\d+) (\w+) ?(.*)$/.exec(line)!;
    const [own, context] = [Number(pid), lines.slice(Math.max(0, index - 5), index + 1).join("\n")];
    if (what === "refused") {
      assert(/: (the process \d+|another process) runs a platform with it;/.test(rest!), context);
      continue;
    }
    // Whoever was killed says nothing more. Its lock ends with it.
    const others = [...holders].filter((other) => other !== own);
    const areDead = others.every((other) =>
      killed.has(other) && lines.slice(index).every((later) => parseInt(later) !== other)
    );
    assert(areDead, `The processes ${others} and ${own} held the folder:\n${context}`);
    for (const other of others) holders.delete(other);
    assertEquals(holders.has(own), what === "gives", context);
    if (what === "takes") holders.add(own);
    else holders.delete(own);
  }
}
