import {
  bundle,
  hasProgram,
  startProgram,
  succeed,
  temporaryFolder,
} from "../../testdata/programs.ts";
import { RunningProgram } from "../../testdata/running_program.ts";

const program = `${temporaryFolder()}/program.mjs`;
await bundle(new URL("program.ts", import.meta.url).href, program, "--platform=deno");

/** The commands of the runtimes: Deno and the Node.js at hand, or every one with `EVERY_RUNTIME=1`. */
export const commands: Map<string, string[]> = new Map([
  ["Deno", [Deno.execPath(), "run", "-A", "--no-config", "--v8-flags=--expose-gc", program]],
]);
if (Deno.env.has("EVERY_RUNTIME") && await hasProgram("npx", "servers on Node.js and Bun")) {
  for (const name of ["node@20.16.0", "node@24", "bun@1.4.5"]) {
    const kind = name.split("@")[0]!;
    const find = ["--yes", "--package", name, "--", kind, "-p", "process.execPath"];
    commands.set(name, [(await succeed("npx", find)).trim(), "--expose-gc", program]);
  }
} else if (await hasProgram("node", "servers on Node.js")) {
  commands.set("Node.js", ["node", "--expose-gc", program]);
}

/** A program that listens. */
export async function start(name: string, env: Record<string, string> = {}) {
  const [command, ...args] = commands.get(name)!;
  const running = new RunningProgram(
    startProgram(command!, {
      args,
      env: { PORT: "0", NO_COLOR: "1", AWS_LAMBDA_LOG_LEVEL: "INFO", ...env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }),
  );
  const [, , port] = await running.find(/^ADDRESS (\S+) (\d+)$/m);
  return { running, port: Number(port), base: `http://127.0.0.1:${port}` };
}

/** The last fields of a request. */
export const END = "Host: shop.example\r\nConnection: close\r\n\r\n";
