/**
 * Loads the packages of the tool, those of its lock file and no others, and writes the import map with which it runs from this
 * checkout. The tasks that run the tool begin with this, because `deno task` and Deno with a configuration ask for the packages
 * of the tests, too.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { reasonAt, REGISTRY_REMEDY, registryOf } from "../cli/programs/downloads.ts";
import { toolFlags } from "../testdata/tool_flags.ts";

const ROOT = new URL("../", import.meta.url);

/** Loads what the flags name, and tells the progress on one line. Nothing is told if it is there already. */
async function load(flags: readonly string[]): Promise<void> {
  const args = ["cache", ...flags, fileURLToPath(new URL("cli/main.ts", ROOT))];
  const env = { ...Deno.env.toObject(), NO_COLOR: "1" };
  const deno = spawn(Deno.execPath(), args, {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(deno, "close");
  const write = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(text));
  const rest: string[] = [];
  let count = 0;
  for await (const line of createInterface({ input: deno.stderr })) {
    if (!line.startsWith("Download ")) rest.push(line);
    else if (line.endsWith(".tgz") && count++ === 0) {
      write("Loading the packages of the tool:");
    } else if (line.endsWith(".tgz") && count % 10 === 0) write(` ${count}`);
  }
  const [status] = await ended;
  if (count > 0) write(status === 0 ? ` ${count}\n` : "\n");
  if (status === 0) return;
  const reason = await reasonAt(registryOf("esbuild"), undefined);
  console.error(
    reason === undefined
      ? rest.join("\n")
      : `Error: Cannot load the packages of the tool: ${reason}; ${REGISTRY_REMEDY}`,
  );
  Deno.exit(1);
}

await load(await toolFlags(ROOT, new URL(".mate/", ROOT)));
