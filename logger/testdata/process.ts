import { bundle, hasProgram, run, temporaryFolder } from "../../testdata/programs.ts";

/** The folder of the copies and the scripts. */
export const directory: string = temporaryFolder();

/** Two copies of the module, because a function and its runtime are bundled separately. */
export const COPIES: readonly string[] = [`${directory}/one.js`, `${directory}/two.js`];
for (const copy of COPIES) await bundle(import.meta.resolve("../mod.ts"), copy);

/** The commands of the runtimes that this machine has. */
export const RUNTIMES: Record<string, string[]> = {
  Deno: [Deno.execPath(), "run", "--no-config", "--no-prompt", "--allow-env", `--allow-read`],
  "Node.js": ["node"],
};
if (!await hasProgram("node", "the logger on Node.js")) delete RUNTIMES["Node.js"];

/** Runs a script in which `one` and `two` are the copies. `shell` redirects the output. */
export function runScript(
  command: string[],
  script: string,
  env: Record<string, string> = {},
  shell = "",
) {
  const file = Deno.makeTempFileSync({ dir: directory, suffix: ".mjs" });
  const imports = 'import * as one from "./one.js"; import * as two from "./two.js";';
  Deno.writeTextFileSync(file, `${imports} ${script}`);
  return run("sh", ["-c", `"$@" ${shell}`, "sh", ...command, file], {
    env: { PATH: Deno.env.get("PATH")!, HOME: directory, NO_COLOR: "1", ...env },
    clearEnv: true,
  });
}
