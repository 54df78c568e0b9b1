import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { succeed } from "../../testdata/programs.ts";
import { ENTRY_POINTS, ROOT } from "./metadata.ts";

/** TypeScript has this type from 5.4 on. The package works from 5.2 on, and dnt has an older compiler, too. */
const NO_INFER = "\ntype NoInfer<T> = [T][T extends unknown ? 0 : never];\n";

/** Copies the modules of the package into a folder. Returns the modules of Node.js that they import, such as `node:net`. */
export async function copySources(folder: string): Promise<string[]> {
  const { name, version, exports, compilerOptions } = config;
  await Deno.mkdir(folder);
  const settings = JSON.stringify({ name, version, exports, compilerOptions });
  await Deno.writeTextFile(join(folder, "deno.json"), settings);
  const modules = new Set<string>();
  for (const path of Object.values(ENTRY_POINTS)) {
    const args = ["info", "--json", "--no-config", fileURLToPath(new URL(path, ROOT))];
    const { modules: found } = JSON.parse(await succeed(Deno.execPath(), args));
    for (const { specifier } of found) modules.add(specifier);
  }
  const sources = [...modules].filter((url) => url.startsWith(ROOT.href));
  for (const url of sources) {
    const file = join(folder, relative(fileURLToPath(ROOT), fileURLToPath(url)));
    const text = await Deno.readTextFile(new URL(url));
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, text + (/\bNoInfer</.test(text) ? NO_INFER : ""));
  }
  const others = [...modules].filter((specifier) => !sources.includes(specifier));
  const foreign = others.filter((specifier) => !specifier.startsWith("node:"));
  if (foreign.length > 0) throw new Error(`The package may not import ${foreign.join(", ")}`);
  return others;
}
