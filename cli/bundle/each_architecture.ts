import { missingUses } from "../application/code.ts";
import type { Application } from "../application/types.ts";
import type { Architecture } from "../programs/pinned_packages.ts";
import { type ArchiveFile, identifyFiles } from "../archives/archive.ts";
import { bundleError, bundleFunctions, type FunctionBundleOptions } from "./functions.ts";
import { platformOf } from "./packages/platforms.ts";

/** The files of a function. */
export interface FunctionFiles {
  readonly name: string;
  /** The architecture, if the files differ between those that are wanted. */
  readonly architecture?: Architecture | undefined;
  readonly hasLayer: boolean;
  readonly files: ArchiveFile[];
}

/**
 * Bundles the functions of an application for several architectures. Only those with native packages differ.
 *
 * @throws {Error} If functions cannot be bundled. The message names each of them.
 */
export async function bundleForEach(
  manifestPath: string,
  application: Application,
  architectures: readonly Architecture[],
  { warn, ...options }: Omit<FunctionBundleOptions, "platform">,
): Promise<FunctionFiles[]> {
  const made = new Map<Architecture, ReadonlyMap<string, ArchiveFile[]>>();
  const warnings = new Set<string>();
  for (const architecture of architectures) {
    const { functions, bundles: modules, problems } = await bundleFunctions(
      manifestPath,
      application,
      { ...options, platform: platformOf(architecture), warn: (text) => warnings.add(text) },
    );
    if (problems.size > 0) throw bundleError(problems);
    made.set(architecture, functions);
    for (const [name, { code }] of modules) {
      missingUses(application, name, code).forEach((text) => warnings.add(text));
    }
  }
  warnings.forEach((text) => warn?.(text));
  return Object.entries(application.functions).flatMap(([name, { runtime }]) => {
    const hasLayer = runtime === "deno";
    const found = [...made].map(([architecture, functions]) => ({
      architecture,
      files: functions.get(name)!,
    }));
    const isSame = new Set(found.map(({ files }) => identifyFiles(files))).size === 1;
    return isSame
      ? [{ name, hasLayer, files: found[0]!.files }]
      : found.map((one) => ({ name, hasLayer, ...one }));
  });
}
