/** Runs the runtime in a separate process. */
import type { StubApi } from "./stub_api.ts";

export const BOOTSTRAP = new URL("../bootstrap.ts", import.meta.url).pathname;
export const TASK_ROOT = new URL("task", import.meta.url).pathname;

// The processes count towards the coverage if it is measured.
const coverage = Deno.env.get("DENO_COVERAGE_DIR");
const COVERAGE: Record<string, string> = coverage ? { DENO_COVERAGE_DIR: coverage } : {};

/** The status of a process, and all its output. */
export interface Ended {
  code: number;
  log: string;
}

/** Runs a program in a process with the given environment only. */
export async function runProcess(
  program: string,
  env: Record<string, string>,
  during?: (child: Deno.ChildProcess) => Promise<void>,
  root = TASK_ROOT,
): Promise<Ended> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-lock",
      "--no-config",
      "--allow-env",
      "--allow-net=127.0.0.1",
      `--allow-read=${root}`,
      program,
    ],
    clearEnv: true,
    env: { HOME: "/tmp", NO_COLOR: "1", ...COVERAGE, ...env },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = child.output();
  await during?.(child);
  const { code, stdout, stderr } = await output;
  return { code, log: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

/** Runs the bootstrap, which may read the given folders. */
export function boot(
  stub: StubApi,
  handler: string,
  env: Record<string, string> = {},
  root = TASK_ROOT,
): Promise<Ended> {
  return runProcess(
    BOOTSTRAP,
    { AWS_LAMBDA_RUNTIME_API: stub.api, LAMBDA_TASK_ROOT: TASK_ROOT, _HANDLER: handler, ...env },
    undefined,
    root,
  );
}
