import type { InvokeOptions, InvokeOutcome, LogRecord, ReloadingHost } from "../function_host.ts";
import { detectIsolation, type Isolation } from "../isolation/isolation.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { FunctionPool } from "./function_pool.ts";
import type { Sandbox } from "./sandbox.ts";
import { Workshop } from "./workshop.ts";

/** What a host with sandboxes runs, and how. */
export interface SandboxHostOptions {
  /** The application. */
  readonly manifest: Manifest;
  /** The path of its manifest, which its modules are relative to. */
  readonly manifestPath: string;
  /** Takes every record of the functions' logs, and the host's own, which have an empty function name. */
  readonly log: (record: LogRecord) => void;
  /** The unpacked layer; without it one is made whose Deno is the one that runs this. */
  readonly layer?: string | undefined;
  /** The most sandboxes of a function at a time, 10 without; further invocations wait. */
  readonly concurrency?: number | undefined;
  /** How long a sandbox is kept that nothing invokes, in milliseconds; 5 minutes without. */
  readonly idleLimit?: number | undefined;
  /** How long the init phase of a function may take, in milliseconds; 10 seconds without, as on Lambda. */
  readonly initLimit?: number | undefined;
  /** Ends bundling early, at the start and later, when the host is to end. */
  readonly signal?: AbortSignal | undefined;
}

/** What a host with sandboxes may be told besides. */
export interface SandboxSettings extends SandboxHostOptions {
  /** How processes are kept apart from the machine; the best that works here without. */
  readonly isolation?: Isolation | undefined;
}

/** A host whose functions run in sandboxes. */
export interface SandboxHost extends ReloadingHost {
  /** The sandboxes of a function, for a look at their processes. */
  sandboxesOf(name: string): readonly Sandbox[];
}

/**
 * Bundles an application and gets ready to run it.
 *
 * @param options What is run, and how.
 * @returns The host.
 * @throws {Error} If a function cannot be bundled; the message names each.
 */
export async function openSandboxHost(options: SandboxSettings): Promise<SandboxHost> {
  const isolation = options.isolation ?? await detectIsolation();
  const log = (functionName: string, text: string) =>
    options.log({ time: new Date(), functionName, text });
  log("", `Functions run in ${isolation.description}`);
  const workshop = await Workshop.open(options.manifestPath, isolation, options);
  const pools = new Map<string, FunctionPool>();
  let faults = new Map<string, string>();
  const take = async (manifest: Manifest, isFirst: boolean) => {
    const { built, problems } = await workshop.build(manifest);
    if (isFirst && problems.length > 0) {
      throw new Error(problems.map(({ message }) => message).join("\n"));
    }
    const former = faults;
    faults = new Map(problems.map(({ name, message }) => [name, message]));
    for (const [name, message] of faults) if (former.get(name) !== message) log(name, message);
    for (const [name, code] of built) {
      const pool = pools.get(name);
      if (pool !== undefined) await pool.replace(code);
      else {
        pools.set(
          name,
          new FunctionPool({
            name,
            isolation,
            log: (line) => log(name, line),
            concurrency: options.concurrency ?? 10,
            idleLimit: options.idleLimit ?? 300_000,
            initLimit: options.initLimit ?? 10_000,
          }, code),
        );
      }
    }
    for (const [name, pool] of pools) {
      if (name in manifest.functions) continue;
      pools.delete(name);
      await pool[Symbol.asyncDispose]();
    }
    return Object.keys(manifest.functions).filter((name) =>
      built.has(name) || former.has(name) && !faults.has(name)
    );
  };
  try {
    await take(options.manifest, true);
  } catch (error) {
    await workshop[Symbol.asyncDispose]();
    throw error;
  }
  let { manifest } = options;
  // One after the other: the last one to be asked for is the one that counts.
  let reloading: Promise<readonly string[]> = Promise.resolve([]);
  return {
    async invoke(name, payload, invokeOptions: InvokeOptions = {}): Promise<InvokeOutcome> {
      const pool = pools.get(name);
      if (pool === undefined) throw new Error(`Cannot invoke "${name}": there is no such function`);
      return await pool.invoke(payload, invokeOptions);
    },
    reload(changed = manifest) {
      manifest = changed;
      return reloading = reloading.catch(() => []).then(() => take(changed, false));
    },
    sandboxesOf: (name) => pools.get(name)?.sandboxes ?? [],
    async [Symbol.asyncDispose]() {
      await Promise.all([...pools.values()].map((pool) => pool[Symbol.asyncDispose]()));
      await reloading.catch(() => {}); // whoever asked for it is told
      await workshop[Symbol.asyncDispose]();
    },
  };
}
