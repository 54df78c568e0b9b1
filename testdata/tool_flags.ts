import { fileURLToPath } from "node:url";

/**
 * Writes the import map of the tool of a checkout, and returns the flags with which it runs as the published tool does: with the
 * packages of its lock file. Without the file, Deno would choose the versions of all packages at each start.
 */
export async function toolFlags(checkout: URL, folder: URL): Promise<string[]> {
  const read = async (path: string) => JSON.parse(await Deno.readTextFile(new URL(path, checkout)));
  const [map, core] = [await read(".ci/deno.json"), await read("deno.json")];
  const modules = Object.entries<string>(core.exports)
    .map(([name, path]) => [core.name + name.slice(1), new URL(path, checkout).href]);
  const imports = { ...map.imports, ...Object.fromEntries(modules) };
  const file = new URL("tool_imports.json", folder);
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(file, JSON.stringify({ imports }));
  const lock = fileURLToPath(new URL("cli/packages.lock.json", checkout));
  return ["--no-config", `--import-map=${fileURLToPath(file)}`, `--lock=${lock}`, "--frozen"];
}
