/**
 * The platform's limits on what is deployed.
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
  /** What the archive is for, such as `the layer for arm64`. */
  readonly name: string;
  /** The size of the zip. */
  readonly zipped: number;
  /** The size of what is in it. */
  readonly unzipped: number;
}

/**
 * Checks archives against the platform's limits.
 *
 * @param layers The layers; a function has one of them.
 * @param functions The functions.
 * @throws {RangeError} If an archive is over a limit; the message names each that is.
 */
export function checkLimits(layers: readonly Sizes[], functions: readonly Sizes[]): void {
  const problems: string[] = [];
  for (const { name, zipped } of [...layers, ...functions]) {
    if (zipped > MAX_ZIP) {
      problems.push(`${name} has ${formatSize(zipped)} zipped, of ${formatSize(MAX_ZIP)} at most`);
    }
  }
  const layer = Math.max(0, ...layers.map(({ unzipped }) => unzipped));
  for (const { name, unzipped } of functions) {
    if (layer + unzipped > MAX_UNZIPPED) {
      problems.push(
        `${name} has ${formatSize(layer + unzipped)} unzipped with its layer, of ` +
          `${formatSize(MAX_UNZIPPED)} at most`,
      );
    }
  }
  if (problems.length > 0) {
    throw new RangeError(`Cannot bundle what Lambda would refuse: ${problems.join("; ")}`);
  }
}

/** A size for people: `1.2 kB`, `41.4 MB` (powers of 1024, as the platform counts). */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)} kB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}
