import { assertEquals, assertStringIncludes } from "@std/assert";
import { run } from "../testdata/programs.ts";
import { ROOT } from "./packages/metadata.ts";

Deno.test("deno task check names the nearest room if there is none with the name", async () => {
  for (
    const [room, hint] of [
      ["gateway/respons", 'did you mean "gateway/response"?'],
      ["cli/rulse/", 'did you mean "cli/rules"?'],
      ["somewhere", "expected a folder such as gateway/response"],
    ] as const
  ) {
    const args = ["run", "-A", "scripts/quick.ts", "check", room];
    const { code, stderr } = await run(Deno.execPath(), args, { cwd: ROOT });
    assertEquals(code, 1);
    assertStringIncludes(stderr, `Unknown room "${room.replace(/\/$/, "")}": ${hint}`);
  }
});
