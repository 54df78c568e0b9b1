import { assertEquals } from "@std/assert";
import { denoProblem } from "./deno_version.ts";

Deno.test("denoProblem() names the wanted version if Deno is too old", () => {
  for (
    const [version, isOld] of [
      ["1.46.3", true],
      ["2.7.14", true],
      ["2.8.0", false],
      ["2.10.1", false],
      ["3.0.0", false],
      ["2.8.0-rc.1", false],
    ] as const
  ) {
    const problem = denoProblem(version);
    const line =
      `Cannot run on Deno ${version}: expected Deno 2.8 or later; "deno upgrade" installs it`;
    assertEquals(problem, isOld ? line : undefined, version);
  }
  assertEquals(denoProblem(), undefined);
});
