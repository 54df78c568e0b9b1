import { lambdaEnvironment } from "../platform/isolation/environment.ts";
import type { Isolation } from "../platform/isolation/isolation.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { type ArchiveFile, writeFiles } from "./archive.ts";
import { workFolder } from "./work_folder.ts";
import { checkCodeCache, warmCodeCache, type WarmUpProblem } from "./code_cache.ts";
import { type Architecture, ownArchitecture } from "./pinned_deno.ts";

/**
 * Adds the code cache for an architecture to every function.
 *
 * @param manifest The settings of the functions.
 * @param functions The functions' files; the caches are added to them.
 * @param architecture The architecture.
 * @param layer The files of its layer.
 * @param isolation How the functions are started.
 * @param signal Ends it early.
 * @returns What is left without a cache, and why.
 * @throws {Error} If a function's handler is none, or the signal says so.
 */
export async function warmFunctions(
  manifest: Manifest,
  functions: ReadonlyMap<string, ArchiveFile[]>,
  architecture: Architecture,
  layer: readonly ArchiveFile[],
  isolation: Isolation,
  signal?: AbortSignal,
): Promise<string[]> {
  if (architecture !== ownArchitecture()) {
    const own = ownArchitecture() ?? `${Deno.build.os} on ${Deno.build.arch}`;
    return [
      `No code cache for ${architecture}: this machine is ${own}. The bundles are correct but start more slowly; ` +
      `bundle on a Linux machine of that architecture to have it`,
    ];
  }
  const problems: string[] = [];
  await using work = await workFolder(isolation);
  await writeFiles(`${work.path}/layer`, layer);
  for (const [name, files] of functions) {
    const folder = `${work.path}/${name}`;
    await writeFiles(`${folder}/task`, files);
    for (const tmp of ["tmp", "tmp-of-check"]) {
      await Deno.mkdir(`${folder}/${tmp}`);
      await Deno.chmod(`${folder}/${tmp}`, 0o777);
    }
    const folders = { task: `${folder}/task`, layer: `${work.path}/layer`, tmp: `${folder}/tmp` };
    const { task } = isolation.place(folders);
    const environment = lambdaEnvironment(name, manifest.functions[name]!, {
      task,
      logStream: "warm-up",
    });
    const warmUp = { folders, environment, isolation, signal };
    const result = await warmCodeCache(warmUp);
    if ("problem" in result) {
      problems.push(describe(name, architecture, result.problem));
      continue;
    }
    const path = `mate/cache-${architecture}`;
    const cache = [...result.files].map(([file, data]) => ({ path: `${path}/${file}`, data }));
    await writeFiles(folders.task, cache);
    // In plain folders the paths are others than on Lambda, so there the cache could only miss.
    const problem = isolation.kind === "plain folders" ? undefined : await checkCodeCache(
      { ...warmUp, folders: { ...folders, tmp: `${folder}/tmp-of-check` } },
    );
    if (problem === undefined) files.push(...cache);
    else problems.push(describe(name, architecture, problem));
  }
  return problems;
}

function describe(
  name: string,
  architecture: Architecture,
  { kind, message }: WarmUpProblem,
): string {
  if (kind === "no handler") throw new Error(`Cannot bundle the function "${name}": ${message}`);
  return kind === "no start"
    ? `The function "${name}" does not start here, so it has no code cache, and may not start on Lambda: ${message}`
    : `No code cache for the function "${name}" on ${architecture}: ${message}. It is correct but starts more slowly`;
}
