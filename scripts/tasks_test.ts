import { assertEquals, assertNotEquals } from "@std/assert";
import config from "../deno.json" with { type: "json" };
import { FOLDERS, ROOT } from "./packages/metadata.ts";

function pathsOf(task: "test:library" | "cover"): string[] {
  const [, list] = / (mod_test\.ts[\w ]+)/.exec(config.tasks[task].command) ?? [];
  if (list === undefined) throw new Error(`The task "${task}" of deno.json lists no folders`);
  return list.trim().split(" ").toSorted();
}

Deno.test("the tasks of the library run the tests of all its folders", () => {
  const library = ["mod_test.ts", ...FOLDERS].toSorted();
  assertEquals(pathsOf("test:library"), library);
  assertEquals(pathsOf("cover"), library);
});

Deno.test("everything that runs tests gives each a limit, by the flags of scripts/std.ts", async () => {
  const files = [".ci/run", "AGENTS.md", "CONTRIBUTING.md"];
  for (const { name } of Deno.readDirSync(new URL(".github/workflows", ROOT))) {
    files.push(`.github/workflows/${name}`);
  }
  const texts = files.map((file) => Deno.readTextFile(new URL(file, ROOT)));
  const commands = Object.entries(config.tasks).map((
    [name, task],
  ) => [`deno.json, task "${name}"`, "command" in task ? task.command : ""]);
  for (const [index, text] of (await Promise.all(texts)).entries()) {
    for (const line of text.split("\n")) commands.push([files[index]!, line]);
  }
  const runs = commands.filter(([, command]) => /^[^#"]*\bdeno test -/.test(command!));
  assertEquals(runs.filter(([, command]) => !command!.includes("scripts/std.ts)")), []);
  assertNotEquals(runs, []);
});
