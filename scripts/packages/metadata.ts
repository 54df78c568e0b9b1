/**
 * The facts of the npm packages, from `deno.json`.
 *
 * @module
 */
import config from "../../deno.json" with { type: "json" };

/** The folder of the project. */
export const ROOT: URL = new URL("../../", import.meta.url);

/** The folder that the package of the library is built in. */
export const OUTPUT: URL = new URL("npm/core/", ROOT);

/** The folder that the package of the tool is built in. */
export const TOOL_OUTPUT: URL = new URL("npm/cli/", ROOT);

/** The entry points of the package: the name of each, such as `./gateway`, and its source. */
export const ENTRY_POINTS: Readonly<Record<string, string>> = config.exports;

/** The entry points that are modules. The bootstrap is a program: importing it starts the runtime. */
export const MODULES: readonly (readonly [name: string, path: string])[] = Object.entries(
  ENTRY_POINTS,
).filter(([name]) => name !== "./runtime/bootstrap");

/** The folders with the sources of the package. */
export const FOLDERS: readonly string[] = [
  ...new Set(Object.values(ENTRY_POINTS).map((path) => path.split("/")[1]!)),
].filter((name) => name !== "mod.ts");

/** Files that go into the package as they are. */
export const DOCUMENTS: readonly string[] = ["README.md", "CHANGELOG.md", "LICENSE"];

/** The contents of `package.json` without the entry points. */
export function packageMetadata() {
  return {
    name: config.name,
    version: config.version,
    description: config.description,
    keywords: config.keywords,
    license: config.license,
    repository: { type: "git", url: `git+${config.repository}.git` },
    bugs: { url: `${config.repository}/issues` },
    homepage: `${config.repository}#readme`,
    type: "module",
    sideEffects: ["./runtime/bootstrap.js"], // importing it starts the runtime
    // These versions have process.getBuiltinModule(). Node.js 22.3 has it, too, but sends foreign memory for a
    // `new Response(stream)`.
    engines: { node: "^20.16.0 || >=22.4.0" },
  };
}

/** Writes `package.json`, with which a package is complete. */
export async function writePackageJson(
  folder: URL,
  { exports, ...metadata }: Record<string, unknown> & { exports: Record<string, unknown> },
): Promise<void> {
  const complete = { ...metadata, exports: { ...exports, "./package.json": "./package.json" } };
  const text = `${JSON.stringify(complete, null, 2)}\n`;
  await Deno.writeTextFile(new URL("package.json", folder), text);
  console.error(`Built ${folder.pathname}`);
}
