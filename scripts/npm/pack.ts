import config from "../../deno.json" with { type: "json" };
import { FOLDERS, ROOT } from "./metadata.ts";

/** Builds the modules with `deno pack`, which needs no registry, and returns the folder with the built modules. */
export async function buildWithPack(folder: string): Promise<string> {
  const { name, version, license, compilerOptions, exports } = config;
  const text = JSON.stringify({ name, version, license, compilerOptions, exports });
  await Deno.mkdir(`${folder}/source`);
  await Deno.writeTextFile(`${folder}/source/deno.json`, text);
  for (const name of [...FOLDERS, "mod.ts"]) await copySources(name, `${folder}/source`);
  const archive = `${folder}/package.tgz`;
  const pack = ["pack", "--no-source-maps", "--allow-dirty", "--output", archive];
  await run(Deno.execPath(), pack, `${folder}/source`);
  await run("tar", ["-xzf", archive], folder);
  return `${folder}/package`;
}

async function run(program: string, args: string[], cwd: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args, cwd }).output();
  if (success) return;
  throw new Error(`Cannot run "${program} ${args[0]}": ${new TextDecoder().decode(stderr)}`);
}

/** Copies a file or the sources of a folder, without tests. */
async function copySources(path: string, to: string): Promise<void> {
  if (path.endsWith(".ts")) {
    if (!path.endsWith("_test.ts")) await Deno.copyFile(new URL(path, ROOT), `${to}/${path}`);
    return;
  }
  await Deno.mkdir(`${to}/${path}`);
  for await (const { name, isDirectory } of Deno.readDir(new URL(path, ROOT))) {
    if (isDirectory ? name !== "testdata" : name.endsWith(".ts")) {
      await copySources(`${path}/${name}`, to);
    }
  }
}
