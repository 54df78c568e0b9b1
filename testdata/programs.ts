/**
 * Helpers of the tests that run programs.
 *
 * @module
 */

/** Runs a program to its end. Returns its exit status and its output as text. */
export async function run(
  program: string,
  args: readonly string[],
  options: Omit<Deno.CommandOptions, "args"> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = new Deno.Command(program, { ...options, args: [...args] });
  const { code, stdout, stderr } = await command.output();
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
