/**
 * Writes `cli/packages.lock.json`: the versions and checksums of all packages that the tool loads.
 *
 * @module
 */
import { succeed, temporaryFolder } from "../testdata/programs.ts";
import { toolPackages } from "./packages/tool_packages.ts";

const folder = temporaryFolder();
const imports = toolPackages().map((target) => `import "${target}";\n`);
await Deno.writeTextFile(`${folder}/packages.ts`, imports.join(""));
const args = ["cache", "--no-config", "--lock=lock.json", "packages.ts"];
await succeed(Deno.execPath(), args, { cwd: folder });
await Deno.copyFile(`${folder}/lock.json`, new URL("../cli/packages.lock.json", import.meta.url));
