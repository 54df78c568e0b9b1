import { assertEquals, assertNotEquals } from "@std/assert";
import config from "../deno.json" with { type: "json" };
import { ROOT } from "./packages/metadata.ts";

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
