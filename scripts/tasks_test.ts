import { assertEquals } from "@std/assert";
import config from "../deno.json" with { type: "json" };
import { FOLDERS, ROOT } from "./packages/metadata.ts";

function pathsOf(task: "test:library" | "cover" | "test:rest"): string[] {
  const [, list] = /scripts\/std\.ts\) ([\w.* ]+)/.exec(config.tasks[task].command)!;
  return list!.trim().split(" ").toSorted();
}

Deno.test("the tasks run each test once", () => {
  const library = ["mod.ts", "mod_test.ts", ...FOLDERS].toSorted();
  assertEquals(pathsOf("test:library"), library);
  assertEquals(pathsOf("cover"), library);
  const made = ["node_modules", "testdata", ...config.exclude];
  const others = [...Deno.readDirSync(ROOT)]
    .filter(({ name, isDirectory }) => isDirectory && !name.startsWith(".") && !made.includes(name))
    .map(({ name }) => name).filter((name) => !FOLDERS.includes(name));
  assertEquals(pathsOf("test:rest"), ["*.md", ...others].toSorted());
});
