import type { InvokeOptions, InvokeOutcome } from "../platform/function_host.ts";
import { detectIsolation } from "../platform/isolation/isolation.ts";
import { type Manifest, parseManifest } from "../manifest/manifest.ts";
import {
  openSandboxHost,
  type SandboxHost,
  type SandboxSettings,
} from "../platform/sandbox/host.ts";

/** The best isolation on this machine; none on Windows. */
export const isolation = Deno.build.os === "windows" ? undefined : await detectIsolation();

/** Whether a mount namespace can be made here. */
export const hasNamespace: boolean = isolation !== undefined &&
  isolation.kind !== "plain folders";
if (!hasNamespace) {
  console.error("NOT RUN: the tests of mount namespaces, which this machine does not allow");
}

/** An application with the function `one`, in a host. */
export interface App {
  readonly host: SandboxHost;
  readonly folder: string;
  readonly log: string[];
  invoke(event?: unknown, options?: InvokeOptions): Promise<InvokeOutcome & { json: unknown }>;
}

/** Runs a function `one` with the given module and settings. */
export async function withApp(
  module: string,
  test: (app: App) => Promise<void>,
  settings: Record<string, unknown> = {},
  options: Partial<SandboxSettings> = {},
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const log: string[] = [];
  try {
    await Deno.writeTextFile(`${folder}/one.ts`, module);
    await using host = await openSandboxHost({
      manifest: manifestOf(settings),
      manifestPath: `${folder}/app.json`,
      log: ({ functionName, text }) => functionName && log.push(text),
      ...(isolation === undefined ? {} : { isolation }),
      ...options,
    });
    await test({
      host,
      folder,
      log,
      async invoke(event = {}, invokeOptions) {
        const payload = new TextEncoder().encode(JSON.stringify(event));
        const outcome = await host.invoke("one", payload, invokeOptions);
        return { ...outcome, json: JSON.parse(new TextDecoder().decode(outcome.payload)) };
      },
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The manifest of an application with the function `one`. */
export function manifestOf(settings: Record<string, unknown> = {}): Manifest {
  const functions = { one: { module: "one.ts", timeout: 30, ...settings } };
  return parseManifest(JSON.stringify({ name: "test", stage: "v0", functions }), "app.json");
}
