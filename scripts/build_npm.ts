/**
 * Builds the npm package in `npm/core/` with dnt, which comes from JSR.
 *
 * @module
 */
import { stop } from "esbuild";
import { finish } from "./npm/finish.ts";
import { OUTPUT } from "./npm/metadata.ts";
import { isReachable, REGISTRY } from "./std.ts";

if (Deno.args.length > 0) {
  console.error(`Unexpected argument "${Deno.args[0]}": expected nothing`);
  Deno.exit(2);
}
if (!await isReachable(REGISTRY)) {
  console.error(
    `Cannot build the npm package: ${REGISTRY} cannot be reached, and dnt comes from there. Set JSR_URL to a registry that ` +
      "has @deno/dnt. The command `deno run -A scripts/jsr/registry.ts $JSR_PACKAGES` starts one and prints its URL, " +
      "if JSR_PACKAGES is a folder of packages, as CONTRIBUTING.md describes it",
  );
  Deno.exit(1);
}
const { buildWithDnt } = await import("./npm/dnt.ts");
await Deno.remove(OUTPUT, { recursive: true }).catch((error) => {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
});
const folder = await Deno.makeTempDir();
try {
  await finish(await buildWithDnt(folder));
} finally {
  await stop();
  await Deno.remove(folder, { recursive: true });
}
console.error(`Built ${OUTPUT.pathname}`);
