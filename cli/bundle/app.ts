/**
 * Bundles an application for AWS Lambda: one layer with Deno and the runtime per architecture, and one small zip per
 * function.
 *
 * @module
 */
import { LOCAL } from "../application/arn.ts";
import { resolveApplication } from "../application/resolve.ts";
import { readManifest } from "../manifest/manifest.ts";
import { type ArchiveFile, makeZip, makeZipOnce } from "./archive.ts";
import { cacheFolder } from "./downloads.ts";
import { checkLimits, type Contents, contentsOf, type Sizes } from "./sizes.ts";
import { addCodeCaches } from "./code_cache/mod.ts";
import {
  type Architecture,
  DENO_PACKAGES,
  type DenoPackage,
  type DenoSource,
  getDenoBinary,
} from "./deno_binary.ts";
import { bundleError, bundleFunctions } from "./functions.ts";
import { layerFiles } from "./layer.ts";

/** How an application is bundled. */
export interface BundleOptions {
  /** The stage; by default the stage that the manifest names. */
  readonly stage?: string | undefined;
  /** The folder that the zips are written to. */
  readonly out: string;
  /** The architectures; the architecture of the manifest by default. */
  readonly architectures?: readonly Architecture[] | undefined;
  /** Whether names and white space are shortened. Stack traces are readable by default. */
  readonly isMinified?: boolean | undefined;
  /** Whether functions get a code cache if this machine can make it; yes by default. */
  readonly hasCache?: boolean | undefined;
  /** The registry of Deno, and the folder of downloads. */
  readonly source?: DenoSource | undefined;
  /** The npm packages with Deno; the pinned packages by default. */
  readonly packages?: Readonly<Record<Architecture, DenoPackage>> | undefined;
  /** Ends the bundling early. Then no file is written. */
  readonly signal?: AbortSignal | undefined;
  /** Takes a warning: a function has no code cache, or does not start on this machine. */
  readonly warn: (message: string) => void;
  /** Takes the name of the next step. */
  readonly progress?: ((step: string) => void) | undefined;
}

/** A zip that was written. */
export interface BundledArchive extends Sizes {
  /** The path of the zip. */
  readonly path: string;
  /** The parts of the zip. */
  readonly contents: Contents;
}

/**
 * Bundles an application: writes `layer-<architecture>.zip` and `<function>.zip` to a folder.
 *
 * The same input makes the same bytes if the version of Deno and the kind of machine are the same.
 *
 * @param manifestPath The path of the manifest.
 * @param options How the application is bundled.
 * @returns The zips.
 * @throws {Error} If the manifest is invalid, a module cannot be bundled, Deno cannot be downloaded, or a zip is over a limit
 * or cannot be written. Then no zip is written.
 *
 * @example Bundling an application
 * ```ts
 * import { assertRejects } from "@std/assert";
 * import { bundleApp } from "@mate/cli/bundle";
 *
 * const bundling = bundleApp("no/app.json", { out: "dist", warn: console.warn });
 * await assertRejects(() => bundling, Error, 'Cannot read the manifest "no/app.json"');
 * ```
 */
export async function bundleApp(
  manifestPath: string,
  options: BundleOptions,
): Promise<BundledArchive[]> {
  const { signal, progress = () => {} } = options;
  const manifest = await readManifest(manifestPath, options.stage);
  resolveApplication(manifest, LOCAL); // checks the names and the limits
  progress(`Bundling ${Object.keys(manifest.functions).join(", ")}`);
  const { functions, problems } = await bundleFunctions(manifestPath, manifest, options);
  if (problems.size > 0) throw bundleError(problems);
  const layers = new Map<Architecture, ArchiveFile[]>();
  for (const architecture of options.architectures ?? [manifest.architecture]) {
    progress(`Making the layer for ${architecture}`);
    const package_ = (options.packages ?? DENO_PACKAGES)[architecture];
    const deno = await getDenoBinary(package_, { signal, ...options.source });
    const files = await layerFiles(architecture, signal);
    layers.set(architecture, [...files, { path: "bin/deno", data: deno, isExecutable: true }]);
  }
  if (options.hasCache !== false) {
    progress("Making the code caches");
    for (const [architecture, layer] of layers) {
      const warnings = await addCodeCaches(manifest, functions, { architecture, layer, signal });
      warnings.forEach(options.warn);
    }
  }
  progress("Writing the zips");
  const cache = options.source?.cache ?? cacheFolder();
  const layerArchives = await Promise.all(
    [...layers].map(async ([architecture, files]) =>
      archive(
        `the layer for ${architecture}`,
        `${options.out}/layer-${architecture}.zip`,
        files,
        await makeZipOnce(files, cache, architecture),
      )
    ),
  );
  const functionArchives = await Promise.all(
    [...functions].map(async ([name, files]) =>
      archive(`the function "${name}"`, `${options.out}/${name}.zip`, files, await makeZip(files))
    ),
  );
  signal?.throwIfAborted();
  checkLimits(layerArchives, functionArchives);
  await writeAll(options.out, [...layerArchives, ...functionArchives]);
  return [...layerArchives, ...functionArchives].map(({ data: _, ...sizes }) => sizes);
}

interface Archive extends BundledArchive {
  readonly data: Uint8Array<ArrayBuffer>;
}

function archive(
  name: string,
  path: string,
  files: readonly ArchiveFile[],
  data: Uint8Array<ArrayBuffer>,
): Archive {
  const unzipped = files.reduce((sum, file) => sum + file.data.length, 0);
  return { name, path, data, zipped: data.length, unzipped, contents: contentsOf(files) };
}

/** Writes all files under other names, then renames them. So no file is replaced if one cannot be written. */
async function writeAll(folder: string, files: readonly Archive[]): Promise<void> {
  await attempt(`to the folder "${folder}"`, () => Deno.mkdir(folder, { recursive: true }));
  const suffix = `.${crypto.randomUUID()}`;
  try {
    for (const { path, data } of files) {
      await attempt(`"${path}"`, async () => {
        const isFolder = await Deno.stat(path)
          .then(({ isDirectory }) => isDirectory, () => false); // a new file
        if (isFolder) throw new Error("it is a folder");
        await Deno.writeFile(path + suffix, data);
      });
    }
    for (const { path } of files) {
      await attempt(`"${path}"`, () => Deno.rename(path + suffix, path));
    }
  } catch (error) {
    for (const { path } of files) {
      await Deno.remove(path + suffix).catch(() => {}); // the first error matters
    }
    throw error;
  }
}

async function attempt(name: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    throw new Error(`Cannot write ${name}: ${(error as Error).message}`, { cause: error });
  }
}
