import { extract } from "tar";
import config from "../../deno.json" with { type: "json" };
import { DOCUMENTS, ENTRY_POINTS, FOLDERS, OUTPUT, packageMetadata, ROOT } from "./metadata.ts";

/**
 * Builds the npm package with `deno pack`, which needs no registry, and completes what that leaves out:
 * most of `package.json`.
 *
 * @throws {Error} If `deno pack` fails; the message holds what it printed.
 */
export async function buildWithPack(): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await copySources(folder);
    const archive = `${folder}/package.tgz`;
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["pack", "--no-source-maps", "--allow-dirty", "--output", archive],
      cwd: folder,
    }).output();
    if (!success) {
      throw new Error(`Cannot pack the sources: ${new TextDecoder().decode(stderr)}`);
    }
    await Deno.mkdir(OUTPUT, { recursive: true });
    await extract({ file: archive, cwd: OUTPUT.pathname, strip: 1 });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  await completePackageJson();
}

/** Copies what the package is made of, with a configuration that names no more than that. */
async function copySources(folder: string): Promise<void> {
  await Deno.writeTextFile(
    `${folder}/deno.json`,
    JSON.stringify({
      name: config.name,
      version: config.version,
      license: config.license,
      exports: ENTRY_POINTS,
      compilerOptions: config.compilerOptions,
    }),
  );
  for (const name of [...DOCUMENTS, "mod.ts"]) {
    await Deno.copyFile(new URL(name, ROOT), `${folder}/${name}`);
  }
  for (const name of FOLDERS) {
    await copySourceFolder(new URL(`${name}/`, ROOT), `${folder}/${name}`);
  }
}

async function copySourceFolder(from: URL, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory && name !== "testdata") {
      await copySourceFolder(new URL(`${name}/`, from), `${to}/${name}`);
    } else if (/(?<!_test|_bench)\.ts$/.test(name)) {
      await Deno.copyFile(new URL(name, from), `${to}/${name}`);
    }
  }
}

async function completePackageJson(): Promise<void> {
  const path = new URL("package.json", OUTPUT);
  const { exports } = JSON.parse(await Deno.readTextFile(path));
  const complete = { ...packageMetadata(), exports };
  await Deno.writeTextFile(path, `${JSON.stringify(complete, null, 2)}\n`);
}
