/**
 * Helpers of the tests that run programs.
 *
 * @module
 */

const PIPED = { stdout: "piped", stderr: "piped" } as const;

/**
 * Starts a program. If it still runs after half an hour, ends it and fails the whole test file, which could wait for it
 * forever. SIGTERM lets a program end the programs that it has started.
 */
export function startProgram(program: string, options: Deno.CommandOptions): Deno.ChildProcess {
  const child = new Deno.Command(program, options).spawn();
  const timer = setTimeout(() => {
    child.kill("SIGTERM");
    throw new Error(`Ended "${[program, ...options.args ?? []].join(" ")}" after half an hour`);
  }, 1_800_000);
  child.status.finally(() => clearTimeout(timer));
  return child;
}

/** Runs a program to its end. Returns its exit status and its output as text. */
export async function run(
  program: string,
  args: readonly string[],
  options: Omit<Deno.CommandOptions, "args"> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = startProgram(program, { stdin: "null", ...PIPED, ...options, args: [...args] });
  const { code, stdout, stderr } = await child.output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: decode(stdout), stderr: decode(stderr) };
}

/**
 * Runs a program that has to succeed. Returns its standard output.
 *
 * @throws {Error} If the program fails. The message has everything that the program wrote.
 */
export async function succeed(
  ...[program, args, options]: Parameters<typeof run>
): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, options);
  if (code === 0) return stdout;
  throw new Error(`Cannot run "${[program, ...args].join(" ")}":\n${stdout}\n${stderr}`);
}

/**
 * Copies the Deno that runs this test. Another process copies it: if this one did, a program that another test starts
 * meanwhile could inherit the open file, and the system does not run a file that is open for writing.
 */
export async function copyDeno(file: string): Promise<void> {
  await succeed("cp", [Deno.execPath(), file]);
}

/** Bundles and minifies a module, as for a deployment. */
export async function bundle(entry: string, file: string, ...options: string[]): Promise<void> {
  const args = ["bundle", "--quiet", "--minify", "--no-lock", "--no-config", ...options];
  await succeed(Deno.execPath(), [...args, "-o", file, entry]);
}

/** Tells whether a program is installed. If it is not, the log says which test does not run. */
export async function hasProgram(name: string, test: string): Promise<boolean> {
  try {
    return (await new Deno.Command(name, { args: ["--version"] }).output()).success;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.warn(`NOT RUN: ${test}, because "${name}" is not installed`);
    return false;
  }
}

/** Makes a temporary folder that is deleted when the test file has ended. */
export function temporaryFolder(): string {
  const folder = Deno.makeTempDirSync();
  addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  return folder;
}
