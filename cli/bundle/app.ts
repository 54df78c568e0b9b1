/**
 * Bundles an application for AWS Lambda: one small zip per function, and one layer with Deno and the runtime per architecture, if
 * a function runs on Deno.
 *
 * @module
 */
import { LOCAL } from "../rules/arn.ts";
import { resolveApplication } from "../application/resolve.ts";
import type { Application } from "../application/types.ts";
import { readManifest } from "../manifest/manifest.ts";
import { bundleForEach } from "./each_architecture.ts";
import { type ArchiveFile, identifyFiles } from "../archives/archive.ts";
import { dirname, resolve } from "node:path";
import { Kept, keyOf } from "../programs/kept.ts";
import { ignorePrograms } from "../programs/find_program.ts";
import { checkLimits, type Contents, contentsOf, type Sizes } from "../archives/sizes.ts";
import { describeApi, makeOwnFiles } from "./api/describe_api.ts";
import { addCodeCaches, type CodeCacheOptions } from "../starts/code_cache.ts";
import {
  type Architecture,
  DENO_PACKAGES,
  ownArchitecture,
  type ProgramPackage,
} from "../programs/pinned_packages.ts";
import { keepProgram, type ProgramSource } from "../programs/keep_program.ts";
import { Bundles } from "./modules/bundles.ts";
import { layerFiles } from "./modules/own_modules.ts";
import { startOnNode } from "../starts/node_start.ts";
import { writeZips } from "../archives/write_zips.ts";
import { type JoinedZip, joinZips, type Zip, zipFiles, zipOnce } from "../archives/zips.ts";

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
  /** The registry of Deno, and the folder of caches. */
  readonly source?: ProgramSource | undefined;
  /** The npm packages with Deno; the pinned packages by default. */
  readonly packages?: Readonly<Record<Architecture, ProgramPackage>> | undefined;
  /** Ends the bundling early. Then no file is written. */
  readonly signal?: AbortSignal | undefined;
  /** Takes a warning: a function has no code cache, does not start on this machine, or uses a variable that nothing sets, a route has no description, or `links` add a folder. */
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
 * Bundles an application: writes `layer-<architecture>.zip` and `<function>.zip` to a folder. With several architectures, a function
 * with native packages has `<function>-<architecture>.zip` for each.
 *
 * The same input makes the same bytes if the version of Deno and the kind of machine are the same.
 *
 * @param manifestPath The path of the manifest.
 * @param options How the application is bundled.
 * @returns The zips.
 * @throws {Error} If the manifest is invalid, a module cannot be bundled, the API cannot be described, Deno cannot be downloaded, or a zip is over a limit
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
  const application = resolveApplication(await readManifest(manifestPath, options.stage), LOCAL);
  return await bundleApplication(manifestPath, application, options);
}

/** Bundles an application, as {@linkcode bundleApp} does. The place of the application has no effect. */
export async function bundleApplication(
  manifestPath: string,
  application: Application,
  options: Omit<BundleOptions, "stage">,
): Promise<BundledArchive[]> {
  const { signal, progress = () => {} } = options;
  ignorePrograms(dirname(manifestPath));
  progress(`Bundling ${Object.keys(application.functions).join(", ")}`);
  const kept = new Kept(options.warn, options.source?.cache);
  const { api } = application;
  const folder = dirname(resolve(manifestPath));
  const architectures = options.architectures ?? [application.architecture];
  const denos = new Map<Architecture, Promise<string>>();
  const denoFor = (architecture: Architecture) => {
    const { packages = DENO_PACKAGES, source } = options;
    const found = denos.get(architecture) ??
      keepProgram(packages[architecture], {
        signal,
        title: `Deno for ${architecture}`,
        ...source,
      });
    denos.set(architecture, found);
    return found;
  };
  const usesDeno = Object.values(application.functions).some(({ runtime }) => runtime === "deno");
  /** A new bundle needs a new code cache. Deno is read meanwhile, because that takes long. */
  const onBundling = () => {
    const own = architectures.find((architecture) => architecture === ownArchitecture());
    if (usesDeno && own !== undefined && options.hasCache !== false) denoFor(own).catch(() => {});
  };
  await using bundles = new Bundles({ ...options, folder, kept, onBundling });
  const modules = Object.values(application.functions)
    .map(({ code, runtime }) => ({
      path: resolve(folder, code.module),
      target: runtime,
      packages: code.packages,
    }));
  await bundles.begin(modules, undefined); // before the modules of the tool, because it takes longer
  // The modules of the tool are bundled beside those of the application. Their errors come from describeApi() and layerOf().
  const making = { kept, signal };
  const own = api === undefined ? undefined : makeOwnFiles(making);
  const runtime = usesDeno && own === undefined ? layerFiles(architectures[0]!, making) : undefined;
  const ownEnded = Promise.allSettled([own, runtime]);
  await using _own = { [Symbol.asyncDispose]: async () => void await ownEnded };
  const functions = await bundleForEach(manifestPath, application, architectures, {
    ...options,
    bundles,
    kept,
    alongside: api === undefined || options.isMinified ? [] : [resolve(folder, api)],
  });
  await ownEnded;
  const layers: Layer[] = [];
  const ofDeno = new Map(
    functions.filter(({ hasLayer }) => hasLayer).map(({ name, files }) => [name, files]),
  );
  for (const architecture of ofDeno.size > 0 ? architectures : []) {
    progress(`Making the layer for ${architecture}`);
    layers.push(await layerOf(architecture, kept, options, () => denoFor(architecture)));
  }
  // The zips are made while functions start. Deno compresses without a pause, so that no function would start meanwhile.
  const { promise: start, resolve: onStart } = Promise.withResolvers<void>();
  if (options.hasCache === false) onStart();
  const afterStart = <T>(make: () => Promise<T>): Promise<T> => {
    const made = start.then(make);
    made.catch(() => {}); // It may fail while functions start. The error comes below.
    return made;
  };
  const layerZips = layers.map(({ zips }) => zips.map(afterStart));
  const functionZips = new Map(
    functions.map((one) => {
      const files = [...one.files];
      return [one, [afterStart(() => zipFiles(files, kept))]];
    }),
  );
  const works: Promise<readonly (string | readonly string[])[]>[] = [];
  if (api !== undefined) {
    progress("Describing the API");
    const described = describeApi({
      manifestPath,
      application,
      bundles: options.isMinified ? undefined : bundles,
      ownFiles: () => own!,
      kept,
      signal,
    });
    works.push(described.then((api) => api?.warnings ?? []));
  }
  if (options.hasCache !== false && layers.length > 0) {
    progress("Making the code caches");
    const onCache = (function_: string, files: readonly ArchiveFile[]) => {
      const one = functions.find(({ name }) => name === function_)!;
      functionZips.get(one)!.push(afterStart(() => zipFiles(files, kept)));
    };
    works.push(
      Array.fromAsync( // one after the other
        layers,
        (layer) => addCodeCaches(application, ofDeno, { ...layer, kept, signal, onStart, onCache }),
      ),
    );
  }
  if (options.hasCache !== false && functions.some(({ hasLayer }) => !hasLayer)) {
    progress("Starting the functions for Node.js");
    works.push(Array.fromAsync(architectures, (architecture) => {
      const own = functions.filter((one) => (one.architecture ?? architecture) === architecture);
      const files = new Map(own.map(({ name, files }) => [name, files]));
      return startOnNode(application, files, { architecture, kept, signal, onStart });
    }));
  }
  await Promise.allSettled(works);
  onStart(); // if earlier runs have started all functions
  await Promise.allSettled([...layerZips, ...functionZips.values()].flat());
  new Set((await Promise.all(works)).flat(2)).forEach((text) => options.warn(text));
  progress("Writing the zips");
  const layerArchives = await Promise.all(layers.map(({ architecture }, index) => {
    const path = `${options.out}/layer-${architecture}.zip`;
    return archiveOf(`the layer for ${architecture}`, path, layerZips[index]!);
  }));
  const functionArchives = await Promise.all(
    Array.from(functionZips, async ([{ name, architecture, hasLayer, files }, zips]) => {
      const title = `the function "${name}"${architecture ? ` for ${architecture}` : ""}`;
      const path = `${options.out}/${name}${architecture ? `-${architecture}` : ""}.zip`;
      return { ...await archiveOf(title, path, zips, contentsOf(files)), hasLayer };
    }),
  );
  signal?.throwIfAborted();
  checkLimits(layerArchives, functionArchives);
  const all = [...layerArchives, ...functionArchives.map(({ hasLayer: _, ...archive }) => archive)];
  await writeZips(options.out, all);
  return all.map(({ pieces: _, ...sizes }) => sizes);
}

type Archive = BundledArchive & Pick<JoinedZip, "pieces">;

interface Layer extends Pick<CodeCacheOptions, "architecture" | "id" | "files" | "deno"> {
  /** Make its zips. Deno is zipped once for each of its versions, and not with each change of the runtime. */
  readonly zips: readonly (() => Promise<Zip>)[];
}

async function layerOf(
  architecture: Architecture,
  kept: Kept,
  { packages = DENO_PACKAGES, signal }: BundleOptions,
  deno: () => Promise<string>,
): Promise<Layer> {
  const package_ = packages[architecture];
  const files = await layerFiles(architecture, { kept, signal });
  const denoFile = async () => [
    { path: "bin/deno", data: await Deno.readFile(await deno()), isExecutable: true },
  ];
  return {
    architecture,
    id: keyOf(identifyFiles(files), package_),
    files,
    deno,
    zips: [
      () => zipOnce("deno", keyOf(package_), denoFile, kept),
      () => zipFiles(files, kept),
    ],
  };
}

async function archiveOf(
  name: string,
  path: string,
  zips: readonly Promise<Zip>[],
  contents?: Contents,
): Promise<Archive> {
  const { pieces, files, zipped, unzipped } = joinZips(...await Promise.all(zips));
  return { name, path, pieces, zipped, unzipped, contents: contents ?? { files, sources: [] } };
}
