/** A linked checkout is checked with the options of the project that links it, which may be Deno's own. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };
import { succeed, temporaryFolder } from "../testdata/programs.ts";
import { testFlags } from "./std.ts";

Deno.test("the modules of the library pass the compiler's checks with the options that Deno has by default", async () => {
  const path = join(temporaryFolder(), "deno.json");
  await Deno.writeTextFile(path, "{}");
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const args = ["check", "--config", path, ...await testFlags(), ...Object.values(config.exports)];
  await succeed(Deno.execPath(), args, { cwd });
});
