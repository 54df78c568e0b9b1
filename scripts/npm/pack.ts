import { extract } from "tar";
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
  await Deno.mkdir(`${folder}/built`);
  await extract({ file: archive, cwd: `${folder}/built`, strip: 1 });
  return `${folder}/built`;
}
