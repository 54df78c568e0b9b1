import config from "../../deno.json" with { type: "json" };
import { ENTRY_POINTS, FOLDERS, ROOT } from "./metadata.ts";

/**
 * Copies what the package is made of to another folder, with a configuration that names no more than that.
 *
 * @param folder Where to copy to.
 * @param isWanted Which of the tests to copy too, by path; without it, none.
 */
export async function copySources(
  folder: URL,
  isWanted?: (path: string) => Promise<boolean>,
): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  await Deno.copyFile(new URL("mod.ts", ROOT), new URL("mod.ts", folder));
  for (const name of isWanted ? [...FOLDERS, "testdata"] : FOLDERS) {
    await copyFolder(`${name}/`, folder, isWanted);
  }
  const { name, version, license, compilerOptions } = config;
  const text = JSON.stringify({ name, version, license, compilerOptions, exports: ENTRY_POINTS });
  await Deno.writeTextFile(new URL("deno.json", folder), text);
}

async function copyFolder(
  path: string,
  to: URL,
  isWanted: ((path: string) => Promise<boolean>) | undefined,
): Promise<void> {
  await Deno.mkdir(new URL(path, to));
  for await (const { name, isDirectory } of Deno.readDir(new URL(path, ROOT))) {
    const file = `${path}${name}`;
    if (isDirectory) {
      if (isWanted || name !== "testdata") await copyFolder(`${file}/`, to, isWanted);
    } else if (/_test\.ts$/.test(name)) {
      if (await isWanted?.(file)) {
        await Deno.copyFile(new URL(file, ROOT), new URL(file, to));
      }
    } else if (/(?<!_bench)\.(ts|json)$/.test(name)) {
      await Deno.copyFile(new URL(file, ROOT), new URL(file, to));
    }
  }
}

/** The files of a folder and of those below it. */
export async function* filesBelow(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesBelow(new URL(`${name}/`, folder));
    else yield new URL(name, folder);
  }
}
