import { checkCases, checkJsonLog, checkLoop, checkTextLog, type Runtime } from "./programs.ts";

// The same programs run in `consumers.ts` on Node.js and Bun, with the package.
const deno: Runtime = {
  program: Deno.execPath(),
  args: (name) => [
    "run",
    "-A",
    new URL(`behaviour/${name}.ts`, import.meta.url).pathname,
  ],
};

Deno.test("the library behaves on Deno", () => checkCases(deno));
Deno.test("the logger writes text on Deno", () => checkTextLog(deno));
Deno.test("the logger writes JSON on Deno", () => checkJsonLog(deno));
Deno.test("the runtime's loop serves on Deno", () => checkLoop(deno));
