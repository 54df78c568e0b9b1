import type { ApplicationFunction } from "../../application/types.ts";
import type { NodeRuntime } from "../../programs/pinned_packages.ts";
import { PRELOAD } from "./preload.ts";

/** The folders of a runtime of Node.js, as the process sees them. */
export interface NodePlace {
  /** The program `node`. */
  readonly program: string;
  /** The folder with AWS's client of the Runtime API, `/var/runtime` on AWS Lambda. */
  readonly runtime: string;
  readonly task: string;
  readonly tmp: string;
  /** Whether the process has a root folder of its own, which it cannot leave by a program or a native library. */
  readonly isConfined: boolean;
}

/** The features that Node.js 22 has, and that AWS Lambda switches off unless `NODE_OPTIONS` switches them on. */
const OFF = ["require-module", "detect-module"];

/**
 * Makes the command that starts a function for Node.js. The limits of the memory are those of AWS Lambda.
 *
 * With a root folder of its own, a function gets no permissions of Node.js, because they refuse calls that AWS Lambda allows,
 * such as `fs.symlink`, and each worker would log a warning about them.
 *
 * The permissions do not count for programs, native libraries and workers. So without a root folder of its own, a function
 * gets none of these three.
 *
 * @param inspecting The options of the inspector.
 */
export function nodeCommand(
  { memory, runtime, environment }: ApplicationFunction,
  place: NodePlace,
  inspecting: readonly string[] = [],
): [string, ...string[]] {
  const { isConfined, task, tmp } = place;
  const given = (environment["NODE_OPTIONS"] ?? "").split(/\s+/);
  const off = runtime === "nodejs22.x"
    ? OFF.filter((name) => !given.includes(`--experimental-${name}`))
      .map((name) => `--no-experimental-${name}`)
    : [];
  const permissions = isConfined ? [] : [
    "--permission",
    ...inspecting.length === 0 ? [] : ["--allow-inspector"],
    ...runtime === "nodejs26.x" ? ["--allow-net"] : [], // older versions limit no connections
    ...[task, place.runtime, tmp].map((folder) => `--allow-fs-read=${folder}`),
    `--allow-fs-write=${tmp}`,
    ...given.filter((option) => option === "--enable-source-maps"), // NODE_OPTIONS has no effect
  ];
  return [
    place.program,
    "--expose-gc",
    `--max-semi-space-size=${Math.floor(memory * 0.05)}`,
    `--max-old-space-size=${Math.floor(memory * 0.9)}`,
    ...off,
    ...permissions,
    ...inspecting,
    `--require=${place.runtime}/preload.cjs`,
    `${place.runtime}/index.mjs`,
  ];
}

/**
 * Makes the variables that AWS Lambda sets for a runtime of Node.js besides those of every runtime.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
export function nodeEnvironment(runtime: NodeRuntime, task: string): Record<string, string> {
  const major = /\d+/.exec(runtime)![0];
  return {
    AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
    HOME: "/tmp",
    LD_LIBRARY_PATH:
      `/var/lang/lib:/lib64:/usr/lib64:/var/runtime:/var/runtime/lib:${task}:${task}/lib:/opt/lib`,
    NODE_PATH: `/opt/nodejs/node${major}/node_modules:/opt/nodejs/node_modules:` +
      `/var/runtime/node_modules:/var/runtime:${task}`,
    PATH: "/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin",
  };
}

/** Makes the files of `/var/runtime`: AWS's client of the Runtime API, and the program that runs before. */
export async function nodeRuntimeFiles(
  runtime: NodeRuntime,
  client: string,
): Promise<RuntimeFile[]> {
  const data = await Deno.readFile(client);
  const encoder = new TextEncoder();
  const preload = { path: "preload.cjs", data: encoder.encode(PRELOAD) };
  if (runtime !== "nodejs22.x") return [preload, { path: "index.mjs", data }];
  // This client is a library, and AWS's program that calls it is not in the package.
  const start = `import { run } from "./client.mjs";
await run(process.env.LAMBDA_TASK_ROOT, process.env._HANDLER);
`;
  return [
    preload,
    { path: "client.mjs", data },
    { path: "index.mjs", data: encoder.encode(start) },
  ];
}

/** A file of `/var/runtime`. */
interface RuntimeFile {
  readonly path: string;
  readonly data: Uint8Array;
}
