import { columns } from "../arguments.ts";
import type { BundledArchive } from "../bundle/app.ts";
import { formatSize, MAX_UNZIPPED, MAX_ZIP } from "../bundle/sizes.ts";

/** Describes the zips. */
export function describe(archives: readonly BundledArchive[], isAnalyzed: boolean): string {
  const rows = archives.map(({ path, zipped, unzipped }) => [
    path,
    `${formatSize(zipped)} zipped, ${formatSize(unzipped)} unzipped`,
  ]);
  const limits = `${formatSize(MAX_ZIP)} zipped, ${formatSize(MAX_UNZIPPED)} with the layer`;
  const table = columns([...rows, ["at most", limits]]);
  return isAnalyzed ? [table, ...archives.map(analysis)].join("\n\n") : table;
}

function analysis({ path, contents: { files, sources } }: BundledArchive): string {
  const list = (parts: typeof files) =>
    columns(parts.map(({ name, size }) => [formatSize(size).padStart(8), name]));
  const origins = sources.length === 0 ? [] : ["index.js comes from:", list(sources)];
  return [`${path}:`, list(files), ...origins].join("\n");
}
