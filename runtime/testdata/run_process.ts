/** Runs the runtime in a separate process. */
import { startProgram, temporaryFolder } from "../../testdata/programs.ts";
import type { StubApi } from "./stub_api.ts";

export const BOOTSTRAP = new URL("../bootstrap.ts", import.meta.url).pathname;

/** The modules of the function, by their paths below the root of the task. */
const MODULES: Record<string, string> = {
  "index.js": Deno.readTextFileSync(new URL("handlers.js", import.meta.url)),
  // The engine does not see the names of these exports.
  "common.cjs": `module.exports = Object.fromEntries([["handler", () => "cjs"]]);`,
  "missing_require.cjs": `require("./nowhere.js");`,
  "nested/a b#1%.mjs": `export const handler = () => "deep";`,
  "typed.ts": `export const handler = (): string => "typed";`,
  "typed_module.mts": `export const handler = (): string => "typed";`,
  "late.js":
    `for (const name of ["nobody handles this", "nor this"]) Promise.reject(new Error(name));
    await new Promise((resolve) => setTimeout(resolve, 20));
    export const handler = () => 1;`,
  "console.js": `console.info("module loaded");
    export const handler = async (event, context) => {
      console.log("%s begins", context.awsRequestId);
      await new Promise((resolve) => setTimeout(resolve, event.delay));
      console.warn("waited", { id: context.awsRequestId });
      console.debug("not written");
    };`,
  "deep.js": Deno.readTextFileSync(new URL("deep.js", import.meta.url)),
  "deep_10.js": `Error.stackTraceLimit = 10; export { handler } from "./deep.js";`,
  "stuck.js": `await new Promise(() => {}); export const handler = () => 1;`,
  "throws.js": `throw new RangeError("no such configuration");`,
  "missing_import.js": `export { handler } from "./nowhere.js";`,
  "parse.js": `export const handler = ( => {};`,
  "twice.js": `let a; let a; export const handler = 1;`,
};

/** The root of the task. */
export const TASK_ROOT = temporaryFolder();
Deno.mkdirSync(`${TASK_ROOT}/nested`);
for (const [path, text] of Object.entries(MODULES)) {
  Deno.writeTextFileSync(`${TASK_ROOT}/${path}`, text);
}

// If the coverage is measured, the processes count too.
const coverage = Deno.env.get("DENO_COVERAGE_DIR");
const COVERAGE: Record<string, string> = coverage ? { DENO_COVERAGE_DIR: coverage } : {};

/** The command that runs a program on Deno as in the layer, before the path of the program. */
export const DENO = [Deno.execPath(), "run", "--no-prompt", "--no-lock", "--no-config"]
  .concat("--allow-env", "--allow-net=127.0.0.1", `--allow-read=${TASK_ROOT}`);

/**
 * Runs a command in a process that has only the given environment. Its standard input ends after `during`. Returns its status
 * and all its output.
 */
export async function runProcess(
  [program, ...args]: readonly string[],
  env: Record<string, string>,
  during?: (child: Deno.ChildProcess) => Promise<void>,
) {
  const child = startProgram(program!, {
    args,
    clearEnv: true,
    env: { HOME: "/tmp", NO_COLOR: "1", ...COVERAGE, ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  const output = child.output();
  await during?.(child);
  await child.stdin.close();
  const { code, stdout, stderr } = await output;
  return { code, log: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

export function boot(
  stub: StubApi,
  handler: string,
  env: Record<string, string> = {},
  command: readonly string[] = [...DENO, BOOTSTRAP],
) {
  return runProcess(command, {
    AWS_LAMBDA_RUNTIME_API: stub.api,
    LAMBDA_TASK_ROOT: TASK_ROOT,
    _HANDLER: handler,
    ...env,
  });
}
