/**
 * Builds the npm package in `npm/`: with dnt where its registry can be reached, else with `deno pack`.
 *
 * @module
 */
import { OUTPUT } from "./npm/metadata.ts";
import { isReachable, REGISTRY } from "./std.ts";

await Deno.remove(OUTPUT, { recursive: true }).catch((error) => {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
});
if (await isReachable(REGISTRY)) {
  const { buildWithDnt } = await import("./npm/dnt.ts");
  await buildWithDnt();
} else {
  console.error(`${REGISTRY} cannot be reached: building with "deno pack" in place of dnt`);
  const { buildWithPack } = await import("./npm/pack.ts");
  await buildWithPack();
}
console.error(`Built ${OUTPUT.pathname}`);
