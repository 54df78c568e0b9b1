/**
 * Builds the npm package in `npm/core/`: with dnt if JSR can be reached, else with `deno pack`. With `--dnt`, the build fails
 * without JSR.
 *
 * @module
 */
import { stop } from "esbuild";
import { succeed } from "../testdata/programs.ts";
import { finish } from "./npm/finish.ts";
import { OUTPUT } from "./npm/metadata.ts";
import { copySources } from "./npm/sources.ts";
import { isReachable, REGISTRY } from "./std.ts";

const unknown = Deno.args.find((arg) => arg !== "--dnt");
if (unknown !== undefined) {
  console.error(`Unexpected argument "${unknown}": expected --dnt or nothing`);
  Deno.exit(2);
}
await Deno.remove(OUTPUT, { recursive: true }).catch((error) => {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
});
const folder = await Deno.makeTempDir();
try {
  await finish(await buildModules(folder));
} finally {
  await stop();
  await Deno.remove(folder, { recursive: true });
}
console.error(`Built ${OUTPUT.pathname}`);

async function buildModules(folder: string): Promise<string> {
  if (await isReachable(REGISTRY)) {
    const { buildWithDnt } = await import("./npm/dnt.ts");
    return await buildWithDnt(folder);
  }
  if (Deno.args.includes("--dnt")) {
    throw new Error(`Cannot build with dnt: ${REGISTRY} cannot be reached`);
  }
  console.error(`${REGISTRY} cannot be reached: building with "deno pack" instead of dnt`);
  return await buildWithPack(folder);
}

/** Builds the modules with `deno pack`, which needs no registry. */
async function buildWithPack(folder: string): Promise<string> {
  const archive = `${folder}/package.tgz`;
  const sources = `${folder}/sources`;
  await copySources(sources);
  const args = ["pack", "--no-source-maps", "--output", archive];
  await succeed(Deno.execPath(), args, { cwd: sources });
  await succeed("tar", ["-xzf", archive], { cwd: folder });
  return `${folder}/package`;
}
