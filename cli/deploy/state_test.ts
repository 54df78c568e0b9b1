import { assertEquals } from "@std/assert";
import { restoreState } from "./state.ts";

Deno.test("restoreState() replaces only a truncated state by the backup", async () => {
  const folder = await Deno.makeTempDir();
  const file = `${folder}/terraform.tfstate`;
  try {
    await restoreState(folder); // nothing is deployed
    await Deno.writeTextFile(`${file}.backup`, '{"serial":1}');
    for (const [text, wanted] of [["", 1], ['{"ser', 1], ['{"serial":2}', 2]] as const) {
      await Deno.writeTextFile(file, text);
      await restoreState(folder);
      assertEquals(JSON.parse(await Deno.readTextFile(file)), { serial: wanted }, text);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
