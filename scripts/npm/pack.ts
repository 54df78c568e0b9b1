import { parseTarGzip } from "nanotar";
import { dirname } from "node:path";
import { copySources } from "./sources.ts";

/**
 * Builds the modules with `deno pack`, which needs no registry.
 *
 * @param folder The folder to build in.
 * @returns The folder with the built modules.
 * @throws {Error} If `deno pack` fails; the message holds what it printed.
 */
export async function buildWithPack(folder: string): Promise<string> {
  await copySources(new URL(`file://${folder}/source/`));
  const archive = `${folder}/package.tgz`;
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["pack", "--no-source-maps", "--allow-dirty", "--output", archive],
    cwd: `${folder}/source`,
  }).output();
  if (!success) throw new Error(`Cannot pack the sources: ${new TextDecoder().decode(stderr)}`);
  for (const { name, data } of await parseTarGzip(await Deno.readFile(archive))) {
    if (data === undefined) continue; // a folder
    const file = `${folder}/built/${name.slice("package/".length)}`;
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeFile(file, data);
  }
  return `${folder}/built`;
}
