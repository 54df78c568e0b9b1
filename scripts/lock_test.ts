import { assertEquals } from "@std/assert";
import cli from "../cli/deno.json" with { type: "json" };
import lock from "../cli/packages.lock.json" with { type: "json" };

Deno.test("cli/packages.lock.json pins every package of the tool: else run deno task lock", () => {
  const packages = Object.values(cli.imports).map((target) =>
    /^npm:(?:@[^/]+\/)?[^/]+/.exec(target)![0]
  );
  assertEquals(Object.keys(lock.specifiers).toSorted(), [...new Set(packages)].toSorted());
  for (const [name, { integrity }] of Object.entries(lock.npm)) {
    assertEquals(/^sha512-/.test(integrity), true, name);
  }
});
