/**
 * Lambda's limits on the size of layers and functions.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 * @module
 */

/** The largest zip that is uploaded directly, in bytes. */
export const MAX_ZIP = 50 * 1024 * 1024;

/** The most that a function and its layers hold when unpacked, in bytes. */
export const MAX_UNZIPPED = 250 * 1024 * 1024;

/** The sizes of an archive, in bytes. */
export interface Sizes {
  /** The content of the archive, such as `the layer for arm64`. */
  readonly name: string;
  /** The size of the zip. */
  readonly zipped: number;
  /** The size of its files. */
  readonly unzipped: number;
}

/**
 * Checks archives against Lambda's limits.
 *
 * @param layers The layers; a function has one of them.
 * @param functions The functions.
 * @throws {RangeError} If an archive is over a limit; the message names each such archive.
 */
export function checkLimits(layers: readonly Sizes[], functions: readonly Sizes[]): void {
  const problems: string[] = [];
  for (const { name, zipped } of [...layers, ...functions]) {
    if (zipped > MAX_ZIP) {
      problems.push(
        `${name} has ${formatSize(zipped)} zipped: expected at most ${formatSize(MAX_ZIP)}`,
      );
    }
  }
  const layer = Math.max(0, ...layers.map(({ unzipped }) => unzipped));
  for (const { name, unzipped } of functions) {
    if (layer + unzipped > MAX_UNZIPPED) {
      problems.push(
        `${name} has ${formatSize(layer + unzipped)} unzipped with its layer: expected at most ` +
          formatSize(MAX_UNZIPPED),
      );
    }
  }
  if (problems.length > 0) {
    throw new RangeError(`Cannot bundle archives that Lambda refuses: ${problems.join("; ")}`);
  }
}

/** Renders a size for people: `1.2 kB`, `41.4 MB` (powers of 1024, as Lambda counts). */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)} kB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}
