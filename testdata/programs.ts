/**
 * Helpers of the tests that run bundles in processes of Deno and Node.js.
 *
 * @module
 */

/** Bundles and minifies a module, as for a deployment. */
export async function bundle(entry: string, file: string, ...options: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--minify", "--no-lock", "--no-config"]
      .concat(options, "-o", file, entry),
  }).output();
  if (!success) throw new Error(`Cannot bundle ${entry}: ${new TextDecoder().decode(stderr)}`);
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
