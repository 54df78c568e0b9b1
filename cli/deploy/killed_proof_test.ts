import { assertEquals } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import { until } from "../../testdata/waiting.ts";

Deno.test({
  name: "endWithTest() ends the programs with the mark when the test was killed, and no others",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const file = `${temporaryFolder()}/proof.ts`;
    const module = new URL("testdata/end_with_test.ts", import.meta.url);
    await Deno.writeTextFile(
      file,
      `import { endWithTest } from "${module}";
      endWithTest("PROOF=${file}");
      const start = (PROOF) => new Deno.Command("sleep", { args: ["600"], env: { PROOF }, detached: true }).spawn().pid;
      console.log([start("${file}"), start("${file} too")].join(" "));
      setInterval(() => {}, 1_000);`,
    );
    const test = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-config", file],
      stdout: "piped",
    }).spawn();
    const reader = test.stdout.getReader();
    const { value } = await reader.read();
    const [marked, other] = new TextDecoder().decode(value).trim().split(" ").map(Number);
    // A killed program whose parent has gone may stay in the list of processes, but without an environment.
    const runs = (pid: number) => {
      const { stdout } = new Deno.Command("cat", { args: [`/proc/${pid}/environ`] }).outputSync();
      return stdout.length > 0;
    };
    try {
      assertEquals([runs(marked!), runs(other!)], [true, true]);
      test.kill("SIGKILL");
      await test.status;
      await until("the end of the marked program", () => !runs(marked!));
      assertEquals(runs(other!), true);
    } finally {
      await reader.cancel();
      Deno.kill(other!, "SIGKILL");
    }
  },
});
