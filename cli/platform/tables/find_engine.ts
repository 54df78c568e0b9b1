import { type DenoPackage, type DenoSource, getProgram } from "../../bundle/deno_binary.ts";
import { cacheFolder, keep } from "../../bundle/downloads.ts";
import { findProgram } from "../../find_program.ts";

/** The version of Dynoxide, the engine of the tables. */
const VERSION = "1.2.1";

/** The npm packages with Dynoxide, by system. A new version needs new integrities. */
export const ENGINE_PACKAGES: Readonly<Record<string, DenoPackage>> = {
  "linux-x86_64": {
    name: "@dynoxide/linux-x64",
    version: VERSION,
    integrity:
      "sha512-sBHqlxJ9ANkLluFkYRfd5r8Y0ApFew4FhOrlhgRAgD4XzEoFOukEo1nuBTQ1+jTtofqwn4NWQ2k0Tn5mNTjgUg==",
  },
};

/** Where {@linkcode findEngine} looks. */
export interface EngineSource extends DenoSource {
  /** The system, such as `linux-x86_64`. The default is this machine. */
  readonly system?: string | undefined;
  /** The `PATH` of a system without a package. */
  readonly path?: string | undefined;
}

/**
 * Finds Dynoxide: the pinned version in the cache or in the registry of npm. On a system without a pinned package, the program
 * `dynoxide` in the `PATH`.
 *
 * @throws {Error} If no engine is known for this system, if the package cannot be downloaded, or if its checksum is wrong.
 */
export async function findEngine(source: EngineSource = {}): Promise<string> {
  const { system = `${Deno.build.os}-${Deno.build.arch}` } = source;
  const package_ = ENGINE_PACKAGES[system];
  if (package_ === undefined) {
    const installed = await findProgram("dynoxide", source.path);
    if (installed !== undefined) return installed;
    throw new Error(
      `Cannot run tables on ${system}: no package of the engine is pinned for it. ` +
        `Install Dynoxide ${VERSION} (https://github.com/nubo-db/dynoxide) in the PATH, or remove "tables" from the manifest`,
    );
  }
  // Not inside the cache folder, because other programs of the tool may write there.
  const folder = `${source.cache ?? cacheFolder()}-dynoxide-${VERSION}`;
  const cached = await findProgram("dynoxide", folder);
  if (cached !== undefined) return cached;
  const program = `${folder}/dynoxide`;
  await keep(program, await getProgram(package_, "dynoxide", source));
  await Deno.chmod(program, 0o755);
  return program;
}
