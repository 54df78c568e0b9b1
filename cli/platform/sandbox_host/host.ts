import { functionName } from "../../application/arn.ts";
import { bundleError, describeProblems } from "../../bundle/functions.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import type { LogRecord, ReloadingHost } from "../../lambda/function_host.ts";
import { detectIsolation, type Isolation } from "../../lambda/isolation/isolation.ts";
import { FunctionPool } from "../../lambda/sandbox/function_pool.ts";
import type { Code, Sandbox } from "../../lambda/sandbox/sandbox.ts";
import { Workshop } from "./workshop.ts";

/** The options of {@linkcode createSandboxHost}. */
export interface SandboxHostOptions {
  /** The application. */
  readonly manifest: Manifest;
  /** The path of the manifest. Modules are relative to it. */
  readonly manifestPath: string;
  /** Takes every record of the functions and of the host. A record of the host has an empty function name. */
  readonly log: (record: LogRecord) => void;
  /** The folder of the unpacked layer. The default is a new layer with the Deno that runs this program. */
  readonly layer?: string | undefined;
  /** The largest number of sandboxes of a function at a time. Further invocations wait. The default is 10. */
  readonly concurrency?: number | undefined;
  /** The time after which an idle sandbox ends, in milliseconds. The default is 5 minutes. */
  readonly idleLimit?: number | undefined;
  /** The longest duration of the init phase, in milliseconds. The default is 10 seconds, as on AWS Lambda. */
  readonly initLimit?: number | undefined;
  /** Ends the bundling of functions early. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the host opens although functions cannot be bundled. Then the log names them. The default is `false`. */
  readonly isTolerant?: boolean | undefined;
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
 * `reload()` bundles every module again. If `isCodeNew` is false, `reload()` bundles only new modules. If the code or the
 * settings of a function have changed, later invocations use the new version. If a function cannot be bundled, the old
 * version still answers, and the log says so and gives the reason.
 *
 * @param options How to run the application.
 * @returns The host. Dispose of it to end the processes.
 * @throws {Error} If functions cannot be bundled, and `isTolerant` is not set. The message names each of them.
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
export function createSandboxHost(options: SandboxHostOptions): Promise<ReloadingHost> {
  return SandboxHost.open(options);
}

/** The host of {@linkcode createSandboxHost}. Tests also choose the isolation, and see the sandboxes. */
export class SandboxHost implements ReloadingHost {
  readonly #options: SandboxHostOptions;
  readonly #isolation: Isolation;
  readonly #workshop: Workshop;
  readonly #pools = new Map<string, FunctionPool>();
  #manifest: Manifest;
  #faults: ReadonlyMap<string, string> = new Map();
  /** The function that was invoked last. */
  #last = "";
  #reloading: Promise<readonly string[]> = Promise.resolve([]);

  private constructor(options: SandboxHostOptions, isolation: Isolation, workshop: Workshop) {
    this.#options = options;
    this.#isolation = isolation;
    this.#workshop = workshop;
    this.#manifest = options.manifest;
    this.#log("", `Functions run in ${isolation.description}`);
  }

  /** Opens a host. The default isolation is the best isolation that this machine allows. */
  static async open(options: SandboxHostOptions, isolation?: Isolation): Promise<SandboxHost> {
    const chosen = isolation ?? await detectIsolation();
    const host = new SandboxHost(options, chosen, await Workshop.open(chosen, options));
    try {
      await host.#take();
      options.signal?.throwIfAborted();
      if (host.#faults.size > 0 && !options.isTolerant) throw bundleError(host.#faults);
      host.#report(host.#faults);
      return host;
    } catch (error) {
      await host[Symbol.asyncDispose]();
      throw error;
    }
  }

  async invoke(...[name, payload, options = {}]: Parameters<ReloadingHost["invoke"]>) {
    const pool = this.#pools.get(name);
    if (pool === undefined) {
      const problem = this.#faults.get(name) ?? "there is no such function";
      throw new Error(`Cannot invoke "${name}": ${problem}`);
    }
    this.#last = name;
    return await pool.invoke(payload, options);
  }

  reload(manifest = this.#manifest, isCodeNew = true): Promise<readonly string[]> {
    this.#manifest = manifest;
    // One reload runs after the other, so that the last manifest counts.
    return this.#reloading = this.#reloading.catch(() => []).then(async () => {
      const former = this.#faults;
      const taken = await this.#take(isCodeNew);
      const isNew = ([name, fault]: [string, string]) => former.get(name) !== fault;
      this.#report(new Map([...this.#faults].filter(isNew)));
      return Object.keys(manifest.functions).filter((name) =>
        taken.has(name) || former.has(name) && !this.#faults.has(name)
      );
    });
  }

  get foldersElsewhere(): ReadonlySet<string> {
    return this.#workshop.foldersElsewhere;
  }

  sandboxesOf(name: string): readonly Sandbox[] {
    return this.#pools.get(name)?.sandboxes ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool[Symbol.asyncDispose]()));
    await this.#reloading.catch(() => {}); // The caller of reload() gets the error.
    await this.#workshop[Symbol.asyncDispose]();
  }

  #report(faults: ReadonlyMap<string, string>): void {
    for (const { names, message } of describeProblems(faults)) {
      const old = names.filter((name) => this.#pools.has(name));
      const state = old.length > 0
        ? `the old code of ${old.join(", ")} still answers`
        : `nothing answers for ${names.join(", ")}`;
      this.#log(names.length === 1 ? names[0]! : "", `ERROR ${message}\nFor now, ${state}`);
    }
  }

  #log(functionName: string, text: string): void {
    this.#options.log({ time: new Date(), functionName, text });
  }

  /** Builds the functions. Returns the names of the functions with new code or settings. */
  async #take(isCodeNew = true): Promise<ReadonlySet<string>> {
    const { functions } = this.#manifest;
    const { built, faults } = await this.#workshop.build(this.#manifest, isCodeNew);
    this.#faults = faults;
    for (const [name, code] of built) {
      const pool = this.#pools.get(name);
      if (pool !== undefined) pool.replace(code, name === this.#last);
      else this.#pools.set(name, this.#createPool(name, code));
    }
    for (const [name, pool] of this.#pools) {
      if (name in functions) continue;
      this.#pools.delete(name);
      await pool[Symbol.asyncDispose]();
    }
    return new Set(built.keys());
  }

  #createPool(name: string, code: Code): FunctionPool {
    const { concurrency = 10, idleLimit = 300_000, initLimit = 10_000 } = this.#options;
    const log = (line: string) => {
      this.#log(name, line);
      const rule = ruleOf(name, line);
      if (rule !== undefined) this.#log("", rule);
    };
    const isolation = this.#isolation;
    const limits = { concurrency, idleLimit, initLimit };
    const inAccount = functionName(this.#manifest, name);
    return new FunctionPool({ name: inAccount, isolation, log, ...limits }, code);
  }
}

/**
 * Returns the rule of the platform that a line of the log is probably about. Anybody may have written the line: a client whose
 * text the function logs, for example. So the rule repeats nothing of the line, and nobody is told to grant something.
 */
function ruleOf(name: string, line: string): string | undefined {
  const [, kind] = /Requires (net|read|write|run) access to "/.exec(line) ?? [];
  if (kind === "net") {
    return `The function "${name}" may connect only to the hosts of "permissions.net" and "uses" in the manifest`;
  }
  if (kind !== undefined) {
    return "A function may read its own files and /tmp, write to /tmp, and run no program";
  }
  if (/^Runtime\.OutOfMemory$|^# Fatal JavaScript out of memory/.test(line)) {
    return `The function "${name}" may keep only the "memory" that the manifest gives it`;
  }
  if (/no such file or directory.*'(?:\/var\/task\/)?[^'/][^']*'/i.test(line)) {
    return 'A bundle has only files that the code imports, such as a text with { type: "text" }';
  }
}
