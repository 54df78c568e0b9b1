import type { Bundles } from "../../bundle/modules/bundles.ts";
import { bundleError, describeProblems } from "../../bundle/functions.ts";
import type { Application } from "../../application/types.ts";
import type { ApplicationHost, LogRecord } from "../../lambda/function_host.ts";
import { detectIsolation, type Isolation } from "../../lambda/isolation/isolation.ts";
import { Stopwatch } from "../../lambda/stopwatch.ts";
import { FunctionPool } from "../../lambda/sandbox/function_pool.ts";
import { checkInspected, Inspector } from "../../lambda/sandbox/inspector.ts";
import type { Code, Sandbox } from "../../lambda/sandbox/sandbox.ts";
import { type Build, FunctionBuilds } from "./function_builds.ts";
import { ruleOf } from "./log_rules.ts";
import { Workshop, type WorkshopOptions } from "./workshop.ts";

/** The options of a host with sandboxes. */
export interface HostOptions {
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
  /** The function that debuggers inspect. It has one sandbox at a time, and no time-out while a debugger is attached. */
  readonly inspect?: string | undefined;
  /** Ends the bundling of functions early. */
  readonly signal?: AbortSignal | undefined;
  /**
   * When functions are bundled. The default is `"first"`: before the host opens, which fails if a function cannot be bundled.
   * With `"later"`, the host opens at once and bundles in the background, and with `"when invoked"` only what is invoked. An
   * invocation waits for the bundle of its function, which comes first. The log names what cannot be bundled.
   */
  readonly bundling?: "first" | "later" | "when invoked" | undefined;
  /** Is called when functions were bundled, and told whether these were the last ones. */
  readonly onBundled?: ((isAll: boolean) => void) | undefined;
}

interface Options extends HostOptions, Pick<WorkshopOptions, "source"> {
  readonly application: Application;
  /** The bundles of the folder of the manifest; by default new ones, which end with the host. */
  readonly bundles?: Bundles | undefined;
  /** The function that will probably be invoked first. With the bundling `"later"`, its sandbox starts at once. */
  readonly first?: string | undefined;
}

/** The longest time of a timer, in milliseconds. */
const NEVER = 2 ** 31 - 1;

/** Runs each function in processes of its own. Tests also choose the isolation, and see the sandboxes. */
export class SandboxHost implements ApplicationHost {
  readonly #options: Options;
  readonly #isolation: Isolation;
  readonly #workshop: Workshop;
  readonly #builds: FunctionBuilds;
  readonly #pools = new Map<string, FunctionPool>();
  /** The pools of removed functions whose last invocations run. */
  readonly #retired = new Set<FunctionPool>();
  #application: Application;
  readonly #faults = new Map<string, string>();
  /** The number of invocations. */
  #running = 0;
  #isDisposed = false;
  /** The function that was invoked last, or will probably be invoked first. */
  #last = "";
  #reloading: Promise<readonly string[]> = Promise.resolve([]);
  inspector: Inspector | undefined;

  private constructor(options: Options, isolation: Isolation, workshop: Workshop) {
    this.#options = options;
    this.#isolation = isolation;
    this.#workshop = workshop;
    this.#application = options.application;
    this.#builds = new FunctionBuilds(options.application, workshop, {
      isEarly: options.bundling === "later",
      apply: (build, isLate) => {
        this.#apply(build);
        if (isLate) this.#retireRemoved(); // It may be of a function that was removed meanwhile.
      },
      onBundled: options.onBundled,
      isBusy: () => this.#running > 0,
      fail: ({ message }) => {
        if (!options.signal?.aborted) this.#log("", `ERROR ${message}`);
      },
    });
    this.#log("", `Functions run in ${isolation.description}`);
  }

  /** Opens a host. The default isolation is the best isolation that this machine allows. */
  static async open(
    options: Options,
    isolation: Isolation | Promise<Isolation> = detectIsolation(),
  ): Promise<SandboxHost> {
    const choosing = Promise.resolve(isolation);
    choosing.catch(() => {}); // It may fail while the workshop opens. The error comes below.
    const workshop = await Workshop.open(choosing, options).catch(async (error) => {
      await choosing; // Its error says more: on Windows, the workshop cannot open either.
      throw error;
    });
    const isLater = options.bundling === "later";
    if (isLater) workshop.prepare(options.application);
    let host: SandboxHost | undefined;
    try {
      const chosen = await choosing;
      const { inspect: name } = options;
      if (name !== undefined) checkInspected(name, options.application.functions, chosen);
      host = new SandboxHost(options, chosen, workshop);
      if (name !== undefined) await host.#inspect(name);
      if ((options.bundling ?? "first") !== "first") {
        if (isLater && options.first !== undefined) {
          host.#last = options.first; // Its sandbox starts early, as at times on AWS Lambda.
          host.#builds.waitFor(options.first).catch(() => {}); // The first invocation tries again, and gets the error.
        }
        host.#builds.buildLater();
        return host;
      }
      const build = await host.#builds.build(Object.keys(options.application.functions));
      options.signal?.throwIfAborted();
      if (build.faults.size > 0) throw bundleError(build.faults);
      host.#builds.apply(build);
      return host;
    } catch (error) {
      await (host ?? workshop)[Symbol.asyncDispose]();
      throw error;
    }
  }

  async invoke(...[name, payload, options = {}]: Parameters<ApplicationHost["invoke"]>) {
    this.#running++;
    try {
      const pool = await this.#poolOf(name);
      if (typeof pool === "string") throw new Error(`Cannot invoke "${name}": ${pool}`);
      this.#last = name;
      const outcome = await pool.invoke(payload, options);
      return this.#workshop.libraries.has(name)
        ? { ...outcome, hasLibrary: true as const }
        : outcome;
    } finally {
      this.#running--;
    }
  }

  /** Waits for the bundle of a function. Returns why nothing can run the function, if so. */
  async #poolOf(name: string): Promise<FunctionPool | string> {
    if (!await this.#builds.waitFor(name)) return "the local platform is stopping";
    return this.#pools.get(name) ?? this.#faults.get(name) ?? "there is no such function";
  }

  timeOf(name: string): Stopwatch {
    return name === this.#options.inspect ? this.inspector!.time : new Stopwatch();
  }

  async #inspect(name: string): Promise<void> {
    this.inspector = await Inspector.open({
      name,
      isConfined: this.isConfined,
      note: (text) => this.#log("", text),
      find: async () => {
        const pool = await this.#poolOf(name);
        if (typeof pool === "string") throw new Error(pool);
        return await pool.inspection();
      },
    });
  }

  reload(
    application = this.#application,
    onReady?: () => Promise<void>,
  ): Promise<readonly string[]> {
    const { inspect: name } = this.#options;
    if (name !== undefined && name in application.functions) {
      checkInspected(name, application.functions, this.#isolation);
    }
    this.#application = application;
    this.#builds.change(application);
    // One reload runs after the other, so that the last application counts.
    return this.#reloading = this.#reloading.catch(() => []).then(async () => {
      await this.#builds.settled(); // A first bundle that is being made has the former settings, so it is made again below.
      const isKnown = (name: string) => this.#pools.has(name) || this.#faults.has(name);
      const names = Object.keys(application.functions);
      const isAll = (this.#options.bundling ?? "first") === "first";
      this.#builds.expect(names.filter((name) => !isAll && !isKnown(name)));
      const former = new Map(this.#faults);
      const build = await this.#builds.build(names.filter((name) => isAll || isKnown(name)));
      // Nothing is locked here, because the invocations that `onReady` waits for may need bundles.
      await onReady?.();
      this.#builds.apply(build);
      this.#retireRemoved();
      this.#builds.buildLater();
      return names.filter((name) =>
        build.built.has(name) || former.has(name) && !this.#faults.has(name)
      );
    });
  }

  get isConfined(): boolean {
    return this.#isolation.kind !== "plain folders";
  }

  get foldersElsewhere(): ReadonlySet<string> {
    return this.#workshop.foldersElsewhere;
  }

  sandboxesOf(name: string): readonly Sandbox[] {
    return this.#pools.get(name)?.sandboxes ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#builds.stop();
    await this.inspector?.[Symbol.asyncDispose]();
    const pools = [...this.#pools.values(), ...this.#retired];
    await Promise.all(pools.map((pool) => pool[Symbol.asyncDispose]()));
    await this.#builds.settled();
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

  /** Lets later invocations use what was built, and reports new faults. */
  #apply({ names, built, faults }: Build): void {
    const news = new Map([...faults].filter(([name, fault]) => this.#faults.get(name) !== fault));
    for (const name of names) this.#faults.delete(name);
    for (const [name, fault] of faults) this.#faults.set(name, fault);
    this.#report(news);
    for (const [name, code] of built) {
      if (this.#isDisposed) break;
      const pool = this.#pools.get(name) ?? this.#createPool(name, code);
      this.#pools.set(name, pool);
      pool.replace(code, name === this.#last);
    }
  }

  #retireRemoved(): void {
    const { functions } = this.#application;
    for (const name of this.#faults.keys()) if (!(name in functions)) this.#faults.delete(name);
    for (const [name, pool] of this.#pools) {
      if (name in functions) continue;
      this.#pools.delete(name);
      this.#retired.add(pool);
      void pool.retire("the manifest has no such function any more")
        .then(() => this.#retired.delete(pool));
    }
  }

  #createPool(name: string, code: Code): FunctionPool {
    const { concurrency = 10, idleLimit = 300_000, initLimit = 10_000 } = this.#options;
    const isolation = this.#isolation;
    const log = (text: string, requestId: string) => {
      const time = new Date();
      this.#options.log({ time, functionName: name, text, ...requestId && { requestId } });
      const rule = ruleOf(name, text, isolation.kind !== "plain folders");
      if (rule !== undefined) this.#log("", rule);
    };
    const inspected = name === this.#options.inspect ? this.inspector!.time : undefined;
    const limits = inspected === undefined
      ? { concurrency, idleLimit, initLimit }
      : { concurrency: 1, idleLimit: NEVER, initLimit, inspected };
    return new FunctionPool({ isolation, log, ...limits }, code);
  }
}
