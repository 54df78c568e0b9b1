import { keepProgram, type ProgramSource } from "./keep_program.ts";
import { findProgram } from "./find_program.ts";
import type { ProgramPackage } from "./pinned_packages.ts";

/** The version of Dynoxide, the engine of the tables. */
const VERSION = "1.2.1";

/** The npm packages with Dynoxide, by system. */
export const ENGINE_PACKAGES: Readonly<Record<string, ProgramPackage>> = {
  "linux-x86_64": {
    name: "@dynoxide/linux-x64",
    version: VERSION,
    path: "dynoxide",
    integrity:
      "sha512-sBHqlxJ9ANkLluFkYRfd5r8Y0ApFew4FhOrlhgRAgD4XzEoFOukEo1nuBTQ1+jTtofqwn4NWQ2k0Tn5mNTjgUg==",
    program: "sha256-vpCbeRDT+1UuhdsQ7zyOuuS9Nf7g8m3/2236XMZWQm4=",
  },
};

/** Where {@linkcode findEngine} looks. */
export interface EngineSource extends ProgramSource {
  /** The system, such as `linux-x86_64`. The default is this machine. */
  readonly system?: string | undefined;
  /** The `PATH` of a system without a package. */
  readonly path?: string | undefined;
  /** The packages, by system; the pinned packages by default. */
  readonly packages?: Readonly<Record<string, ProgramPackage>> | undefined;
}

/**
 * Finds Dynoxide: the pinned version in the cache or in the registry of npm. On a system without a pinned package, the program `dynoxide` in the `PATH`.
 *
 * @throws {Error} If no engine is known for this system, if the package cannot be downloaded, or if its checksum is wrong.
 */
export async function findEngine(source: EngineSource = {}): Promise<string> {
  const { system = `${Deno.build.os}-${Deno.build.arch}` } = source;
  const package_ = (source.packages ?? ENGINE_PACKAGES)[system];
  if (package_ === undefined) {
    const installed = await findProgram("dynoxide", source.path);
    if (installed !== undefined) return installed;
    throw new Error(
      `Cannot run tables on ${system}: no package of the engine is pinned for it. ` +
        `Install Dynoxide ${VERSION} (https://github.com/nubo-db/dynoxide) in the PATH, or remove "tables" from the manifest`,
    );
  }
  return await keepProgram(package_, { ...source, title: "Dynoxide, the engine of the tables" });
}
