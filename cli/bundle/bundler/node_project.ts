import { dirname, join } from "node:path";
import { DENO_CONFIGS } from "../../programs/child_environment.ts";

/**
 * Whether the nearest configuration of a folder is a `package.json`, and not one of Deno. It may lie above the application,
 * where the bundler sees only `node_modules`.
 */
export async function isNodeProject(folder: string): Promise<boolean> {
  if ((await Promise.all(DENO_CONFIGS.map((name) => isThere(join(folder, name))))).includes(true)) {
    return false;
  }
  if (await isThere(join(folder, "package.json"))) return true;
  const parent = dirname(folder);
  return parent !== folder && await isNodeProject(parent);
}

/** Whether a file exists and may be read. A deployment may not read every folder. */
function isThere(path: string): Promise<boolean> {
  return Deno.stat(path).then(({ isFile }) => isFile, () => false);
}
