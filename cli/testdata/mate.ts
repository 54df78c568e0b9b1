import { fileURLToPath } from "node:url";
import { MAIN } from "./command.ts";

/** The repository. */
export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** The configuration of the repository, which tells where the packages of the tool are. */
export const CONFIG: string = `${ROOT}deno.json`;

/** How the tool ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface MateOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  /** Flags of Deno. */
  readonly flags?: readonly string[];
}

/** Starts the tool. */
export function startMate(
  args: readonly string[],
  { flags = [], env, ...options }: MateOptions = {},
): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", ...flags, `--config=${CONFIG}`, MAIN, ...args],
    cwd: ROOT,
    ...options,
    env: { NO_COLOR: "1", ...env },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs the tool to its end. */
export async function mate(args: readonly string[], options?: MateOptions): Promise<Ended> {
  const { code, stdout, stderr } = await startMate(args, options).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: decode(stdout), stderr: decode(stderr) };
}
