import { assertEquals } from "@std/assert";
import { findProgram } from "./find_program.ts";
import { temporaryFolder } from "../testdata/programs.ts";

Deno.test("findProgram() takes the first executable file in PATH", async () => {
  const folder = temporaryFolder();
  for (const [name, mode] of [["a", 0o644], ["b", 0o755], ["c", 0o755]] as const) {
    await Deno.mkdir(`${folder}/${name}`);
    await Deno.writeTextFile(`${folder}/${name}/tool`, "");
    await Deno.chmod(`${folder}/${name}/tool`, mode);
  }
  const path = `relative:${folder}/none:${folder}/a:${folder}/b:${folder}/c`;
  assertEquals(await findProgram("tool", path), `${folder}/b/tool`);
  assertEquals(await findProgram("other", path), undefined);
});
