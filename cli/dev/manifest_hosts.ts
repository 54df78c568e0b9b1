import type { FunctionHost } from "../lambda/function_host.ts";
import type { Manifest } from "../manifest/types.ts";
import { resolveGiven } from "./resolve_locally.ts";
import { type HostOptions, SandboxHost } from "./sandbox_host/host.ts";

/** A host that can load the functions again. */
export interface ReloadingHost extends FunctionHost {
  /** The folders outside of the manifest's folder from which functions import files that a reload reads again. */
  readonly foldersElsewhere?: ReadonlySet<string>;

  /**
   * Loads the functions again.
   *
   * @param manifest The manifest of the application. The default is the manifest in use.
   * @param onReady Is called and awaited before the new functions replace the old ones, which answer until then.
   * @returns The names of the functions that have changed.
   */
  reload(manifest?: Manifest, onReady?: () => Promise<void>): Promise<readonly string[]>;
}

/** The options of {@linkcode createSandboxHost}. */
export interface SandboxHostOptions extends HostOptions {
  /** The application. */
  readonly manifest: Manifest;
}

/**
 * Bundles an application and makes a host that runs each function in its own processes, as AWS Lambda does. The bundle,
 * the bootstrap and the Runtime API are those of AWS Lambda. Memory, time-out, environment and permissions are those of the
 * manifest.
 *
 * A sandbox starts with the first invocation that needs it, serves one invocation at a time, and is frozen between two
 * invocations. If the machine allows mount namespaces (most Linux machines do), a function sees a read-only `/var/task` and
 * `/opt`, has its own `/tmp`, and runs as another user. Otherwise a function gets plain folders. The first record of the
 * log names the isolation.
 *
 * `reload()` bundles again what has changed. If the code or the settings of a function have changed, later invocations use
 * the new version. If a function cannot be bundled, the old version still answers, and the log says so and gives the reason.
 *
 * @param options How to run the application.
 * @returns The host. Dispose of it to end the processes.
 * @throws {Error} If functions cannot be bundled, and `bundling` is `"first"`. The message names each of them.
 *
 * @example Invoking a function in a process of its own
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createSandboxHost, readManifest } from "@mate/cli/platform";
 *
 * const folder = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${folder}/add.ts`, `export const handler = ([a, b]: number[]) => a + b;`);
 * const manifestPath = `${folder}/app.json`;
 * await Deno.writeTextFile(
 *   manifestPath,
 *   `{ "name": "sums", "stage": "v0", "functions": { "add": { "module": "add.ts" } } }`,
 * );
 *
 * const manifest = await readManifest(manifestPath);
 * await using host = await createSandboxHost({ manifest, manifestPath, log() {} });
 * const { payload, failure } = await host.invoke("add", new TextEncoder().encode("[2, 3]"));
 *
 * assertEquals(new TextDecoder().decode(payload), "5");
 * assertEquals(failure, undefined);
 * ```
 */
export async function createSandboxHost(
  { manifest, ...options }: SandboxHostOptions,
): Promise<ReloadingHost> {
  const host = await SandboxHost.open({ ...options, application: resolveGiven(manifest) });
  return {
    invoke: (...invocation) => host.invoke(...invocation),
    inspector: host.inspector,
    timeOf: (name) => host.timeOf(name),
    foldersElsewhere: host.foldersElsewhere,
    reload: async (manifest, onReady) =>
      await host.reload(manifest && resolveGiven(manifest), onReady),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}
