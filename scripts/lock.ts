/**
 * Writes `cli/packages.lock.json`: the versions and checksums of all packages that the tool loads.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import cli from "../cli/deno.json" with { type: "json" };
import { succeed } from "../testdata/programs.ts";

const LOCK = new URL("../cli/packages.lock.json", import.meta.url);

if (import.meta.main) {
  const folder = await Deno.makeTempDir();
  const entry = `${folder}/packages.ts`;
  const imports = Object.values(cli.imports).map((target) => `import "${target}";\n`);
  await Deno.writeTextFile(entry, imports.join(""));
  const lock = `${folder}/lock.json`;
  const args = ["cache", "--no-config", `--lock=${lock}`, entry];
  await succeed(Deno.execPath(), args);
  await Deno.copyFile(lock, LOCK);
  await Deno.remove(folder, { recursive: true });
  console.error(`Wrote ${fileURLToPath(LOCK)}`);
}
