import { keepProgram, type ProgramSource } from "./keep_program.ts";
import { NODE_PACKAGES, type NodeRuntime } from "./pinned_packages.ts";

/** The files of a runtime of Node.js in the user's folder of caches. */
export interface NodeFiles {
  /** The program `node`. */
  readonly program: string;
  /** The module of AWS's client. */
  readonly client: string;
}

/** Where {@linkcode findNode} looks. */
export interface NodeSource extends ProgramSource {
  /** The system, such as `linux-x86_64`. The default is this machine. */
  readonly system?: string | undefined;
}

/**
 * Finds Node.js and AWS's client of the Runtime API: the pinned versions in the cache or in the registry of npm.
 *
 * @throws {Error} If no package is pinned for this system, if one cannot be downloaded, or if its checksum is wrong.
 */
export async function findNode(runtime: NodeRuntime, source: NodeSource = {}): Promise<NodeFiles> {
  const { system = `${Deno.build.os}-${Deno.build.arch}` } = source;
  const { client, programs } = NODE_PACKAGES[runtime];
  const package_ = programs[system];
  if (package_ === undefined) {
    const known = Object.keys(programs).join(", ");
    throw new Error(`Cannot run ${runtime} on ${system}: Node.js is pinned for ${known} only`);
  }
  try {
    const [program, module] = await Promise.all([
      keepProgram({ ...package_, path: "bin/node" }, {
        ...source,
        title: `Node.js ${parseInt(package_.version)}`,
      }),
      keepProgram(client, source),
    ]);
    return { program, client: module };
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`Cannot run ${runtime} on this machine: ${message}`, { cause: error });
  }
}
