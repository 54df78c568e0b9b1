/**
 * Runs functions as the platform does: real bundles, each in processes of its own, behind an emulated Runtime API.
 *
 * @module
 */
import type { ReloadingHost } from "../function_host.ts";
import { openSandboxHost, type SandboxHostOptions } from "./host.ts";

export type { SandboxHostOptions } from "./host.ts";

/**
 * Bundles an application and makes a host that runs each function in processes of its own, as the cloud does: the same
 * bundle, the same start, an emulated Runtime API, the manifest's memory, time-out, environment and permissions.
 *
 * A sandbox starts with the first invocation that needs it, serves one invocation at a time, and is frozen between them.
 * Where mount namespaces can be made (most of Linux) a function sees a read-only `/var/task` and `/opt` and a `/tmp` of
 * its own, and runs as another user; elsewhere it gets plain folders, and the first record of the log says so.
 *
 * `reload()` bundles every function anew. Where the code or the settings differ, invocations from then on get the new ones,
 * and what is under way ends with the old; a function that cannot be bundled stays as it was, and the log says why.
 *
 * @param options What is run, and how.
 * @returns The host; dispose of it to end the processes.
 * @throws {Error} If a function cannot be bundled; the message names each.
 *
 * @example Invoking a function in a process of its own
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createSandboxHost, parseManifest } from "@mate/cli/platform";
 *
 * const folder = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${folder}/add.ts`, `export const handler = ([a, b]: number[]) => a + b;`);
 * const manifestPath = `${folder}/app.json`;
 * const manifest = parseManifest(
 *   `{ "name": "sums", "stage": "v0", "functions": { "add": { "module": "add.ts" } } }`,
 *   manifestPath,
 * );
 *
 * await using host = await createSandboxHost({ manifest, manifestPath, log() {} });
 * const { payload, failure } = await host.invoke("add", new TextEncoder().encode("[2, 3]"));
 *
 * assertEquals(new TextDecoder().decode(payload), "5");
 * assertEquals(failure, undefined);
 * ```
 */
export async function createSandboxHost(options: SandboxHostOptions): Promise<ReloadingHost> {
  return await openSandboxHost(options);
}
