import { join } from "node:path/posix";
import { build, stop } from "esbuild";
import { OUTPUT } from "./metadata.ts";

const BEHAVIOUR = new URL("behaviour/", import.meta.url).pathname;

/** What a command printed, and how it ended. */
export interface Outcome {
  /** The status. */
  readonly code: number;
  /** What it wrote, errors last. */
  readonly output: string;
  /** What it wrote to the standard output. */
  readonly stdout: string;
}

/** Runs a command in a folder. */
export async function run(folder: string, program: string, args: string[]): Promise<Outcome> {
  const command = new Deno.Command(program, { args, cwd: folder, env: { NO_COLOR: "1" } });
  const { code, stdout, stderr } = await command.output();
  const text = new TextDecoder().decode(stdout);
  return { code, stdout: text, output: text + new TextDecoder().decode(stderr) };
}

/** A file of the package, as `npm pack` lists it. */
export interface PackedFile {
  /** The path in the package. */
  readonly path: string;
}

/** The package as it would be published. */
export interface Tarball {
  /** Where it is. */
  readonly path: string;
  /** How many bytes it has. */
  readonly size: number;
  /** What is in it. */
  readonly files: readonly PackedFile[];
}

/** Packs the package into a folder. */
export async function pack(folder: string): Promise<Tarball> {
  const args = ["pack", "--json", "--ignore-scripts", OUTPUT.pathname];
  const { code, stdout, output } = await run(folder, "npm", args);
  if (code !== 0) {
    throw new Error(
      `Cannot pack ${OUTPUT.pathname}, which "deno task build:npm" makes: ${output}`,
    );
  }
  const [{ filename, size, files }] = JSON.parse(stdout);
  return { path: join(folder, filename), size, files };
}

/** Makes a project that has the package installed and nothing else, with the programs of `behaviour/`. */
export async function makeProject(folder: string, tarball: Tarball): Promise<void> {
  await Deno.mkdir(folder);
  await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ type: "module" }));
  await install(folder, tarball.path);
  await build({
    entryPoints: ["main", "log_program", "loop_program"].map((name) => `${BEHAVIOUR}${name}.ts`),
    outdir: folder,
    bundle: true,
    format: "esm",
    target: "es2022",
    external: ["node:*", "@mate/core"], // and with it everything below its name
    logLevel: "error",
  });
  await stop();
  await Deno.copyFile(`${BEHAVIOUR}types.ts`, `${folder}/types.ts`);
}

/** Installs packages in a folder. */
export async function install(folder: string, ...packages: string[]): Promise<void> {
  const args = ["install", "--no-save", "--no-audit", "--no-fund", ...packages];
  const { code, output } = await run(folder, "npm", args);
  if (code !== 0) throw new Error(`Cannot install ${packages.join()}: ${output}`);
}
