import { assertEquals } from "@std/assert";
import config from "../deno.json" with { type: "json" };
import { FOLDERS } from "./npm/metadata.ts";

Deno.test("the tasks run each test of the library once", () => {
  const { tasks } = config;
  const library = ["mod.ts", "mod_test.ts", ...FOLDERS].toSorted();
  for (const name of ["test:library", "cover"] as const) {
    const [, list] = /scripts\/std\.ts\) ([\w. ]+)/.exec(tasks[name].command)!;
    assertEquals(list!.trim().split(" ").toSorted(), library, name);
  }
  const [, ignored] = /--ignore=(.*)$/.exec(tasks["test:rest"].command)!;
  assertEquals(ignored!.split(",").toSorted(), library);
});
