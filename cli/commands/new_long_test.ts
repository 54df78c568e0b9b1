import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import { hasTerminal, typeOnTerminal } from "../testdata/command.ts";

Deno.test({
  name: "mate new asks on a terminal for the runtime, and proposes Deno to a user of Deno",
  ignore: !hasTerminal,
  async fn() {
    const folder = temporaryFolder();

    const question = "Which runtime (deno, nodejs22.x, nodejs24.x, nodejs26.x)?";
    for (
      const [name, keys, expected] of [
        ["proposed", ["\r"], "deno"],
        ["typed", ["nodejs22.x\r"], "nodejs22.x"],
        ["again", ["node\r", "nodejs20.x\r", "nodejs22.x\r"], "nodejs22.x"],
      ] as const
    ) {
      const shown = await typeOnTerminal(["new", name], question, keys, { cwd: folder });
      assertStringIncludes(shown, `Wrote ${name}/app.json`);
      const manifest = await Deno.readTextFile(`${folder}/${name}/app.json`);
      assertEquals(JSON.parse(manifest).runtime, expected);
    }
    const wrong = await typeOnTerminal(["new", "no"], question, ["a\r", "b\r", "c\r", "deno\r"], {
      cwd: folder,
    });
    assertStringIncludes(wrong, 'Unknown runtime "c": expected one of deno, ');
    const stopped = await typeOnTerminal(["new", "no"], question, ["\x04"], { cwd: folder });
    assertStringIncludes(stopped, "nothing was made");
    await assertRejects(() => Deno.stat(`${folder}/no`));
  },
});
