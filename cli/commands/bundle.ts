import type { BundledArchive } from "../bundle/app.ts";
import type { Part } from "../archives/sizes.ts";
import { columns, type Command, defineCommand, MANIFEST, STAGE } from "./command.ts";
import { visibleText } from "../rules/visible_text.ts";
import { UsageError } from "../manifest/nearest.ts";

/** `mate bundle` */
export const bundle: Command = defineCommand({
  name: "bundle",
  arguments: ["[MANIFEST]"],
  summary: "Makes the zips of an application for AWS Lambda",
  details:
    `MANIFEST is ${MANIFEST} by default. The zips are layer-<architecture>.zip with Deno and the runtime, and
<function>.zip for each function; with both architectures, <function>-<architecture>.zip if it has native packages.
Deno comes from the npm registry, or the registry in NPM_CONFIG_REGISTRY.`,
  options: {
    stage: STAGE,
    out: { value: "FOLDER", default: "dist", description: "The folder of the zips" },
    arch: { value: "NAME", description: "x86_64, arm64 or both (the manifest's architecture)" },
    minify: { description: "Shorten names and white space" },
    "no-cache": {
      description: "Start no function: neither check its start nor make its code cache",
    },
    analyze: { description: "Print the parts of each zip" },
    web: {
      value: "NAME",
      description: "Make one function with routes a Web Function of AWS Lambda",
    },
    json: { description: "Print the zips as JSON" },
  },
  async run([manifest = MANIFEST], values, { signal, print, note }) {
    if (values.web !== undefined) {
      const { bundleWebFunction } = await import("../bundle/web_function.ts");
      const { archive, commands } = await bundleWebFunction(manifest, values.web, {
        stage: values.stage,
        out: values.out,
        isMinified: values.minify,
        signal,
        warn: (message) => note(`Warning: ${message}`),
      });
      if (values.json) return print(JSON.stringify({ ...archive, commands }, undefined, 2));
      const table = await describe([archive], values.analyze);
      return print(`${visibleText(table)}\n\n${visibleText(commands)}`);
    }
    const { bundleApp } = await import("../bundle/app.ts");
    const { ARCHITECTURES } = await import("../programs/pinned_packages.ts");
    const { arch, out, stage } = values;
    const architectures = ARCHITECTURES.filter((name) => [name, "both"].includes(arch ?? ""));
    if (arch !== undefined && architectures.length === 0) {
      throw new UsageError(`Invalid --arch "${arch}": expected x86_64, arm64 or both`);
    }
    const archives = await bundleApp(manifest, {
      stage,
      out,
      ...(arch === undefined ? {} : { architectures }),
      isMinified: values.minify,
      hasCache: !values["no-cache"],
      signal,
      warn: (message) => note(`Warning: ${message}`),
      ...(Deno.stderr.isTerminal() ? { progress: note } : {}),
    });
    print(
      values.json
        ? JSON.stringify(archives, undefined, 2)
        : visibleText(await describe(archives, values.analyze)), // with the names of files of packages
    );
  },
});

/** The file with the code of a function. */
function codeIn(files: readonly Part[]): string {
  return files.some(({ name }) => name === "function.mjs") ? "function.mjs" : "index.mjs";
}

/** Describes the zips. */
export async function describe(
  archives: readonly BundledArchive[],
  isAnalyzed: boolean,
): Promise<string> {
  const { formatSize, MAX_UNZIPPED, MAX_ZIP } = await import("../archives/sizes.ts");
  const rows = archives.map(({ path, zipped, unzipped }) => [
    path,
    `${formatSize(zipped)} zipped, ${formatSize(unzipped)} unzipped`,
  ]);
  const limits = `${formatSize(MAX_ZIP)} zipped, ${formatSize(MAX_UNZIPPED)} with the layer`;
  const table = columns([...rows, ["at most", limits]]);
  if (!isAnalyzed) return table;
  const list = (parts: readonly Part[]) =>
    columns(parts.map(({ name, size }) => [formatSize(size).padStart(8), name]));
  const details = archives.map(({ path, contents: { files, sources } }) => {
    const origins = sources.length === 0 ? [] : [`${codeIn(files)} comes from:`, list(sources)];
    return [`${path}:`, list(files), ...origins].join("\n");
  });
  return [table, ...details].join("\n\n");
}
