import type { InvokeOptions } from "../lambda/function_host.ts";
import { detectIsolation, type Isolation } from "../lambda/isolation/isolation.ts";
import { parseManifest, type Runtime } from "../manifest/manifest.ts";
import { findNode } from "../programs/find_node.ts";
import type { NodeRuntime } from "../programs/pinned_packages.ts";
import { resolveGiven } from "../dev/resolve_locally.ts";
import type { Application } from "../application/types.ts";
import { SandboxHost } from "../dev/sandbox_host/host.ts";
import { bundles, parent } from "./bundle.ts";

/** The best isolation on this machine; none on Windows. */
export const isolation = Deno.build.os === "windows" ? undefined : await detectIsolation();

/** Whether a mount namespace can be made here. */
export const hasNamespace: boolean = isolation !== undefined &&
  isolation.kind !== "plain folders";
if (!hasNamespace) {
  console.error("NOT RUN: the tests of mount namespaces, which this machine does not allow");
}

const isEvery = Deno.env.has("EVERY_RUNTIME");

/** The newest runtime of Node.js, or all of them in the tasks `test:runtimes` and `attacks`. */
const TESTED: readonly NodeRuntime[] = isEvery
  ? ["nodejs22.x", "nodejs26.x", "nodejs24.x"]
  : ["nodejs24.x"];

/** The tested runtimes of Node.js. There is none if this machine cannot get them. */
export const NODE_RUNTIMES: readonly NodeRuntime[] = isolation === undefined
  ? []
  : await Promise.all(TESTED.map((runtime) => findNode(runtime)))
    .then(
      () => TESTED,
      ({ message }) => {
        console.error(`NOT RUN: functions for Node.js. ${message}`);
        return [];
      },
    );

/** Deno, and the {@linkcode NODE_RUNTIMES}. */
export const RUNTIMES: readonly Runtime[] = ["deno", ...NODE_RUNTIMES];

/** Defines a test for each of the {@linkcode RUNTIMES}. */
export function testRuntimes(
  name: string,
  test: (runtime: Runtime) => Promise<void>,
  options: { readonly ignore?: boolean } = {},
  runtimes: readonly Runtime[] = RUNTIMES,
): void {
  for (const runtime of runtimes) {
    Deno.test({ ...options, name: `${runtime}: ${name}`, fn: () => test(runtime) });
  }
}

/** Defines a test of the platform alone: Deno is enough, except in the task `test:runtimes`, which runs it with each runtime. */
export function testPlatform(...[name, test, options]: Parameters<typeof testRuntimes>): void {
  testRuntimes(name, test, options, isEvery ? RUNTIMES : ["deno"]);
}

/** An application with the function `one`, in a host. */
export type App = Awaited<ReturnType<typeof startApp>>;

/** Starts an application whose function `one` has the given module and settings. */
export async function startApp(
  module: string,
  settings: Record<string, unknown> = {},
  options: Partial<Parameters<typeof SandboxHost.open>[0]> = {},
  chosen: Isolation | undefined = isolation,
) {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ dir: parent });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  await Deno.writeTextFile(`${folder}/one.ts`, module);
  const log: string[] = [];
  const host = stack.use(
    await SandboxHost.open({
      application: applicationOf(settings),
      manifestPath: `${folder}/app.json`,
      log: ({ functionName, text }) => functionName && log.push(text),
      bundles,
      ...options,
    }, chosen),
  );
  const owned = stack.move();
  return {
    host,
    folder,
    log,
    async invoke(event: unknown = {}, invokeOptions?: InvokeOptions) {
      const payload = new TextEncoder().encode(JSON.stringify(event));
      const outcome = await host.invoke("one", payload, invokeOptions);
      const json: unknown = JSON.parse(new TextDecoder().decode(outcome.payload));
      return { ...outcome, json };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** An application with the function `one`. */
export function applicationOf(settings: Record<string, unknown> = {}, name = "test"): Application {
  const functions = { one: { module: "one.ts", timeout: 30, ...settings } };
  return resolveGiven(parseManifest(JSON.stringify({ name, stage: "v0", functions }), "app.json"));
}
