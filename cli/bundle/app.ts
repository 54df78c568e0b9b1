/**
 * Bundles an application for Lambda: one layer with Deno and the runtime per architecture, and one small zip a function.
 *
 * @module
 */
import { detectIsolation } from "../platform/isolation/isolation.ts";
import { type Manifest, parseManifest } from "../manifest/manifest.ts";
import { type ArchiveFile, makeZip } from "./archive.ts";
import { makeZipOnce } from "./archive_cache.ts";
import { cacheFolder } from "./cache_folder.ts";
import { type DenoSource, getDenoBinary } from "./deno_binary.ts";
import { functionFiles } from "./function_files.ts";
import { layerFiles } from "./layer_files.ts";
import { checkLimits, type Sizes } from "./limits.ts";
import { type Architecture, DENO_PACKAGES, type DenoPackage } from "./pinned_deno.ts";
import { warmFunctions } from "./warm_functions.ts";
import { writeAll } from "./write_all.ts";

/** How an application is bundled. */
export interface BundleOptions {
  /** The folder that the zips are written to. */
  readonly out: string;
  /** The architectures. */
  readonly architectures: readonly Architecture[];
  /** Whether names and white space are shortened; without, stack traces are readable. */
  readonly isMinified?: boolean | undefined;
  /** Whether functions get a code cache where it can be made; they do without this. */
  readonly hasCache?: boolean | undefined;
  /** Where Deno comes from. */
  readonly source?: DenoSource | undefined;
  /** The npm packages with Deno; the pinned ones without. */
  readonly packages?: Readonly<Record<Architecture, DenoPackage>> | undefined;
  /** Ends the bundling early: nothing is left of it. */
  readonly signal?: AbortSignal | undefined;
  /** Is told which code caches could not be made, and which functions do not start here. */
  readonly warn: (message: string) => void;
}

/** An archive that was written. */
export interface BundledArchive extends Sizes {
  /** The path of the zip. */
  readonly path: string;
}

/**
 * Bundles an application: writes `layer-<architecture>.zip` and `<function>.zip` to a folder.
 *
 * The same input makes the same bytes, with the same version of Deno at work and the same kind of machine warming up.
 *
 * @param manifestPath The path of the manifest.
 * @param options How it is bundled.
 * @returns What was written.
 * @throws {Error} If the manifest, a module or Deno cannot be had, or an archive is over a limit or cannot be written; no
 * archive is written then.
 */
export async function bundleApp(
  manifestPath: string,
  options: BundleOptions,
): Promise<BundledArchive[]> {
  const { signal } = options;
  const manifest = await readManifest(manifestPath);
  const functions = await bundleFunctions(manifestPath, manifest, options);
  const layers = new Map<Architecture, ArchiveFile[]>();
  for (const architecture of options.architectures) {
    const package_ = (options.packages ?? DENO_PACKAGES)[architecture];
    const deno = await getDenoBinary(package_, { signal, ...options.source });
    const files = await layerFiles(architecture, signal);
    layers.set(architecture, [...files, { path: "bin/deno", data: deno, isExecutable: true }]);
  }
  if (options.hasCache !== false) {
    const isolation = await detectIsolation();
    for (const [architecture, layer] of layers) {
      const problems = await warmFunctions(
        manifest,
        functions,
        architecture,
        layer,
        isolation,
        signal,
      );
      problems.forEach(options.warn);
    }
  }
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

/**
 * Reads a manifest.
 *
 * @param path The path of the manifest.
 * @returns The manifest.
 * @throws {Error} If it cannot be read, or is no manifest.
 */
export async function readManifest(path: string): Promise<Manifest> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    const problem = error instanceof Deno.errors.NotFound
      ? "there is no such file"
      : (error as Error).message;
    throw new Error(`Cannot read the manifest "${path}": ${problem}`, { cause: error });
  }
  const manifest = parseManifest(text, path);
  const clash = Object.keys(manifest.functions).find((name) => /^layer-(arm64|x86_64)$/.test(name));
  if (clash === undefined) return manifest;
  throw new TypeError(
    `Cannot use the manifest "${path}": "functions.${clash}" has the name of the layer's zip`,
  );
}

/** Bundles every function, as many at a time as there are processors, and tells of all that cannot be. */
async function bundleFunctions(
  manifestPath: string,
  manifest: Manifest,
  { isMinified, signal }: BundleOptions,
): Promise<Map<string, ArchiveFile[]>> {
  const functions = new Map<string, ArchiveFile[]>();
  const problems: Error[] = [];
  const waiting = Object.entries(manifest.functions);
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const [name, settings] = item;
      try {
        functions.set(
          name,
          await functionFiles(manifestPath, name, settings, { isMinified, signal }),
        );
      } catch (error) {
        problems.push(error as Error);
      }
    }
  };
  await Promise.all(Array.from({ length: navigator.hardwareConcurrency }, work));
  if (problems.length === 1) throw problems[0];
  if (problems.length > 1) {
    const list = problems.map(({ message }) => message).join("\n");
    throw new AggregateError(problems, list);
  }
  // In the manifest's order, whichever was done first.
  return new Map(Object.keys(manifest.functions).map((name) => [name, functions.get(name)!]));
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
  return { name, path, data, zipped: data.length, unzipped };
}
