import { assertEquals } from "@std/assert";
import { startProgram } from "../testdata/programs.ts";

/** Runs a program, and acts each time it writes "ready". Returns the exit status and the output. */
async function interrupt(program: string, act: (child: Deno.ChildProcess) => Promise<void>) {
  const module = JSON.stringify(new URL("interruption.ts", import.meta.url).href);
  await using child = startProgram(Deno.execPath(), {
    args: ["eval", "--no-lock", `import { onInterruption } from ${module};${program}`],
    stdin: "piped",
    stdout: "piped",
  });
  let output = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    if (/ready\n$/.test(output)) await act(child);
  }
  return [(await child.status).code, output];
}

for (const [signal, status] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
  Deno.test({
    name: `onInterruption() lets a program end in order although ${signal} comes several times`,
    ignore: Deno.build.os === "windows", // has no signals
    async fn() {
      const program = `
        using interruption = onInterruption();
        setInterval(() => {}, 1_000);
        await new Promise((resolve) => {
          interruption.signal.addEventListener("abort", resolve);
          console.log("ready");
        });
        for await (const _ of Deno.stdin.readable);
        console.log("in order");
        Deno.exit(interruption.status);`;
      const outcome = await interrupt(program, async (child) => {
        for (let i = 0; i < 3; i++) {
          child.kill(signal);
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        await child.stdin.close();
      });
      assertEquals(outcome, [status, "ready\nin order\n"]);
    },
  });
}

Deno.test({
  name: "onInterruption() lets a later signal end a busy program",
  ignore: Deno.build.os === "windows",
  async fn() {
    const program = `
      const interruption = onInterruption();
      setInterval(() => {}, 1_000);
      interruption.signal.addEventListener("abort", () => {
        setTimeout(() => {
          console.log("ready");
          for (;;);
        }, 1_000); // later signals are not ignored
      });
      console.log("ready");`;
    const outcome = await interrupt(program, (child) => Promise.resolve(child.kill("SIGINT")));
    assertEquals(outcome, [130, "ready\nready\n"]);
  },
});
