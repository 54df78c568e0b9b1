import { assertEquals } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import { restoreState } from "./state.ts";

Deno.test("restoreState() replaces only a truncated state by the backup", async () => {
  const folder = temporaryFolder();
  const file = `${folder}/terraform.tfstate`;
  await restoreState(folder); // nothing is deployed
  await Deno.writeTextFile(`${file}.backup`, '{"serial":1}');
  for (const [text, wanted] of [["", 1], ['{"ser', 1], ['{"serial":2}', 2]] as const) {
    await Deno.writeTextFile(file, text);
    await restoreState(folder);
    assertEquals(JSON.parse(await Deno.readTextFile(file)), { serial: wanted }, text);
  }
});
