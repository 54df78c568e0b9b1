/** What is measured: programs that serve the Runtime API with the same handlers. */

const HERE = new URL(".", import.meta.url).pathname;
const ROOT = new URL("../../", import.meta.url).pathname;

/** A program to measure. */
export interface Variant {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** `DENO_DIR`; a fresh one for each run without. */
  readonly denoDir?: string;
}

/** The folder with everything that is built for the measurement, in the places it would have in a sandbox. */
export interface Built {
  readonly folder: string;
  /** Whether the bundle with an S3 client could be built. */
  readonly s3: boolean;
}

/** Bundles the bootstrap and the functions. */
export async function build(): Promise<Built> {
  const folder = await Deno.makeTempDir({ prefix: "mate-bench-" });
  await bundle(`${ROOT}runtime/bootstrap.ts`, `${folder}/bootstrap.mjs`);
  for (const name of ["small", "soak"]) {
    await bundle(`${HERE}functions/${name}.ts`, `${folder}/${name}.mjs`);
  }
  let s3 = true;
  try {
    await bundle(`${HERE}functions/s3.ts`, `${folder}/s3.mjs`);
  } catch (error) {
    s3 = false;
    console.error(`NOT MEASURED: the function with an S3 client: ${(error as Error).message}`);
  }
  return { folder, s3 };
}

async function bundle(entry: string, file: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("deno", {
    args: ["bundle", "--quiet", "--minify", "-o", file, entry],
    cwd: ROOT, // whose deno.json says which SDK
  }).output();
  if (!success) throw new Error(`Cannot bundle "${entry}": ${new TextDecoder().decode(stderr)}`);
}

const PERMISSIONS = ["--no-prompt", "--allow-env", "--allow-net", "--allow-read", "--allow-sys"];

/** Our bundle on Deno. */
export function ours({ folder }: Built, name: string, denoDir?: string): Variant {
  const args = ["run", ...PERMISSIONS, `${folder}/bootstrap.mjs`];
  return { name, program: "deno", args, ...denoDir && { denoDir } };
}

/** All that can be measured here; what cannot is said on the standard error. */
export function variants(built: Built): Variant[] {
  const list: Variant[] = [ours(built, "@mate/core on Deno")];
  for (const client of ["fetch", "node_http"]) {
    const args = ["run", ...PERMISSIONS, `${HERE}loops/${client}.mjs`];
    list.push({ name: `${client.replace("_", ":")} on Deno`, program: "deno", args });
  }
  if (!isInstalled("node")) {
    console.error("NOT MEASURED: everything on Node.js, for `node` is not installed");
    return list;
  }
  const node = (name: string, file: string, ...args: string[]) => {
    list.push({ name: `${name} on Node.js`, program: "node", args: [file, ...args] });
  };
  node("@mate/core", `${built.folder}/bootstrap.mjs`);
  node("node:http", `${HERE}loops/node_http.mjs`);
  const ric = Deno.env.get("AWS_LAMBDA_RIC");
  if (ric) node("aws-lambda-ric", `${ric}/bin/index.mjs`, "small.handler");
  else {
    console.error(
      "NOT MEASURED: aws-lambda-ric: install it (it needs autoconf, automake, libtool, cmake and a C++ compiler) " +
        "and set AWS_LAMBDA_RIC to its folder in node_modules",
    );
  }
  return list;
}

function isInstalled(program: string): boolean {
  try {
    return new Deno.Command(program, { args: ["--version"] }).outputSync().success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Starts a program with the environment of a sandbox. */
export async function start(
  variant: Variant,
  built: Built,
  api: string,
  fn = "small",
): Promise<Deno.ChildProcess> {
  const fresh = variant.denoDir ?? await Deno.makeTempDir({ dir: built.folder });
  return new Deno.Command(variant.program, {
    args: variant.program === "node" && variant.name.startsWith("aws-lambda-ric")
      ? [variant.args[0]!, `${fn}.handler`]
      : [...variant.args],
    cwd: built.folder, // where the official client looks for the handler
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: "/tmp",
      DENO_DIR: fresh,
      AWS_LAMBDA_RUNTIME_API: api,
      AWS_LAMBDA_FUNCTION_NAME: "bench",
      AWS_REGION: "eu-west-1",
      NODE_NO_WARNINGS: "1", // of the AWS SDK, about versions of Node.js
      LAMBDA_TASK_ROOT: built.folder,
      _HANDLER: `${fn}.handler`,
    },
    stdout: Deno.env.has("SHOW_LOG") ? "inherit" : "null",
    stderr: "inherit",
  }).spawn();
}

/** What a process uses: memory in kB, the most and now, and how many files are open. */
export function usage(pid: number): { peak: number; resident: number; files: number } {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  const files = [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
  return { peak: read("VmHWM"), resident: read("VmRSS"), files };
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}

/** Ends a process and waits for its end. */
export async function stop(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // it ended by itself
  }
  await child.status;
}
