import { assertEquals } from "@std/assert";
import { manifestReference } from "./manifest_reference.ts";

Deno.test("docs/manifest.md is the reference of the JSON Schema", async () => {
  assertEquals(
    await Deno.readTextFile(new URL("../docs/manifest.md", import.meta.url)),
    await manifestReference(),
    "run: deno run -A scripts/manifest_reference.ts",
  );
});
