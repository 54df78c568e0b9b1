import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProgram } from "../programs/find_program.ts";
import { startProgram, temporaryFolder } from "../../testdata/programs.ts";
import { RunningProgram } from "../../testdata/running_program.ts";
import { main } from "../main.ts";

export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** The configuration of the repository, which tells where the packages of the tool are. */
export const CONFIG: string = `${ROOT}deno.json`;

export const MAIN: string = `${ROOT}cli/main.ts`;

/**
 * A lock file that Deno may change. It makes the tool start ten times as fast, because Deno does not look for versions of
 * packages.
 */
export const LOCK: string = `${Deno.makeTempDirSync({ prefix: "mate-lock-" })}/deno.lock`;
Deno.copyFileSync(`${ROOT}cli/packages.lock.json`, LOCK);
addEventListener("unload", () => Deno.removeSync(dirname(LOCK), { recursive: true }));

interface MateOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly flags?: readonly string[];
  readonly stdin?: "piped";
  /** Whether the tool has its own process group, as in a terminal. */
  readonly detached?: boolean;
}

export function startMate(
  args: readonly string[],
  { flags = [], env, ...options }: MateOptions = {},
): Deno.ChildProcess {
  return startProgram(Deno.execPath(), {
    args: argumentsOf(args, flags),
    cwd: ROOT,
    ...options,
    env: { NO_COLOR: "1", ...env },
    stdout: "piped",
    stderr: "piped",
  });
}

/** The arguments of Deno. It is quiet, because it tells of downloads on the standard error. */
function argumentsOf(args: readonly string[], flags: readonly string[] = []): string[] {
  return ["run", "--quiet", "-A", `--lock=${LOCK}`, ...flags, `--config=${CONFIG}`, MAIN, ...args];
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function mate(args: readonly string[], options?: MateOptions): Promise<Ended> {
  const { code, stdout, stderr } = await startMate(args, options).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: decode(stdout), stderr: withoutDownloads(decode(stderr)) };
}

/**
 * Runs a command within this process, because a start of the tool takes a third of a second. The tool remembers the folder of the
 * manifest, and runs no program that lies there any more.
 *
 * @param env Variables for the command. They are not in the environment of the process, which the tests of other threads share.
 */
export async function mateHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  let [stdout, stderr] = ["", ""];
  const variables = new Map(Object.entries(env));
  const { get, has, toObject, set } = Deno.env;
  Object.assign(Deno.env, { // `process.env` calls these methods, too.
    get: (name: string) => variables.get(name) ?? get(name),
    has: (name: string) => variables.has(name) || has(name),
    toObject: () => ({ ...toObject(), ...Object.fromEntries(variables) }),
    set: (name: string, value: string) => void variables.set(name, value),
  });
  const { error } = console;
  const { writeSync } = Deno.stdout;
  console.error = (line: string) => stderr += `${line}\n`;
  Deno.stdout.writeSync = (bytes) => {
    stdout += new TextDecoder().decode(bytes);
    return bytes.length;
  };
  try {
    const code = await main(args);
    return { code, stdout, stderr: withoutDownloads(stderr) };
  } finally {
    console.error = error;
    Deno.stdout.writeSync = writeSync;
    Object.assign(Deno.env, { get, has, toObject, set });
  }
}

/** Removes the lines about programs that a fresh machine has to fetch. */
export function withoutDownloads(text: string): string {
  return text.replace(/^Fetching .*\n/gm, "");
}

const script = await findProgram("script");

/** Whether {@linkcode typeOnTerminal} works here. */
export const hasTerminal: boolean = script !== undefined;
if (!hasTerminal) console.error("NOT RUN: commands on a terminal, because script is missing");

/** Runs a command on a terminal, types the next keys when a question appears, and returns what the terminal shows. */
export async function typeOnTerminal(
  args: readonly string[],
  question: string,
  keys: readonly string[],
  { env = {}, ...options }: Pick<MateOptions, "cwd" | "env"> = {},
): Promise<string> {
  const terminal = startProgram(script!, {
    args: ["-qec", [Deno.execPath(), ...argumentsOf(args)].join(" "), "/dev/null"],
    ...options,
    env: { NO_COLOR: "1", ...env },
    stdin: "piped",
    stdout: "piped",
  });
  let shown = "";
  const writer = terminal.stdin.getWriter();
  const rest = keys.map((text) => new TextEncoder().encode(text));
  let asked: number | undefined;
  for await (const text of terminal.stdout.pipeThrough(new TextDecoderStream())) {
    shown += text;
    const line = shown.lastIndexOf("\n"); // The terminal draws the line of a question again after each key.
    if (line === asked || !shown.includes(question, line + 1)) continue;
    asked = line;
    await writer.write(rest.shift());
  }
  await writer.close().catch(() => {}); // the terminal is gone
  await terminal.status;
  return shown;
}

/** A running `mate dev` with its own process group, as in a terminal. It prints every address. */
export class Command extends RunningProgram {
  constructor(args: readonly string[], cwd: string = ROOT, env: Record<string, string> = {}) {
    super(startMate(["dev", "--verbose", ...args], { cwd, env, detached: true }));
  }
}

/** A function that answers a text. */
export const greet = (text: string) =>
  `export const handler = () => ({ body: ${JSON.stringify(text)} });`;

/** The manifest of an application of one function. */
export function manifest(path: string, module = "hello.ts"): string {
  const triggers = { routes: [{ method: "GET", path }] };
  const buckets = [{ name: "files", events: ["s3:ObjectCreated:*"] }];
  const functions = { hello: { module, timeout: 10, triggers: { ...triggers, buckets } } };
  return JSON.stringify({ name: "greeter", stage: "v0", functions });
}

/** A folder with an application of one function. */
export async function createApp(folder: string = temporaryFolder()): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, "app.json"), manifest("/hello"));
  await Deno.writeTextFile(join(folder, "hello.ts"), greet("Hello"));
  return folder;
}
