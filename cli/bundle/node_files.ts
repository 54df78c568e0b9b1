import type { FunctionCode } from "../application/types.ts";
import type { BundlesOptions } from "./modules/bundles.ts";
import { type ArchiveFile, fileOf } from "../archives/archive.ts";
import type { ModuleBundle } from "./packages/types.ts";
import { bundleOwn } from "./modules/own_modules.ts";
import { MODULES } from "../runtime/modules.ts";

export interface NodeFilesOptions extends Pick<BundlesOptions, "kept" | "signal"> {
  /** Whether the function reads its secrets when it starts, as in an account; yes by default. */
  readonly readsSecrets?: boolean | undefined;
}

/**
 * Makes the files of a function for Node.js: the bundled module and its source map. A function with secrets gets a module that
 * reads them before it imports the bundled one. So does a CommonJS module get one that names its handler: Node.js finds only
 * what a module exports by name.
 */
export async function filesForNode(
  { secrets, export: handler }: FunctionCode,
  bundle: ModuleBundle,
  packages: readonly ArchiveFile[],
  { readsSecrets = true, kept, signal }: NodeFilesOptions,
): Promise<ArchiveFile[]> {
  const encoder = new TextEncoder();
  const { code, map, exports } = bundle;
  const module = (name: string): ArchiveFile[] => [
    fileOf(bundle, `${name}.mjs`, () => `${code}\n//# sourceMappingURL=${name}.mjs.map\n`),
    fileOf(bundle, `${name}.mjs.map`, () => map),
  ];
  const parameters = readsSecrets ? Object.values(secrets) : [];
  if (parameters.length === 0 && exports !== undefined) return [...module("index"), ...packages];
  const start = startOf(parameters, handler);
  const files = [
    { path: "index.mjs", data: encoder.encode(start) },
    ...module("function"),
    ...packages,
  ];
  if (parameters.length === 0) return files;
  const target = "nodejs22.x"; // the oldest
  const options = { kept, signal, target, isMinified: true } as const;
  const [reader] = await bundleOwn([MODULES.secretReader.url], options);
  return [...files, { path: "secrets.mjs", data: encoder.encode(reader) }];
}

/** Writes the first module. On one machine, the secrets are set already. */
function startOf(parameters: readonly string[], handler: string): string {
  const read = `import { readSecrets } from "./secrets.mjs";
const { env } = process;
const missing = ${
    JSON.stringify(parameters)
  }.filter((name) => env[name.replace(/^.*\\//, "")] === undefined);
if (missing.length > 0) Object.assign(env, await readSecrets(missing, (name) => env[name]));
`;
  return `${parameters.length === 0 ? "" : read}const module = await import("./function.mjs");
const value = (Object.hasOwn(module, "${handler}") ? module : module.default)?.${handler};
export { value as ${handler} };
`;
}
