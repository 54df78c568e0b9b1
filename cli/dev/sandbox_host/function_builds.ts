import type { Application } from "../../application/types.ts";
import type { Code } from "../../lambda/sandbox/sandbox.ts";
import type { Workshop } from "./workshop.ts";

/** The pause before functions are bundled in the background. An invocation in this time comes first. */
const PAUSE = 500;

/** How often the bundling in the background is put off, because an invocation runs. */
const PATIENCE = 12;

/** The number of functions that are bundled together in the background. */
const TOGETHER = 8;

/** What was built of functions. */
export interface Build {
  readonly names: readonly string[];
  readonly built: ReadonlyMap<string, Code>;
  readonly faults: ReadonlyMap<string, string>;
}

/** Who uses what is built. */
interface User {
  /** Whether functions are built in the background, before somebody waits for them. */
  readonly isEarly: boolean;
  /** Lets later invocations use a build. It is late if the code or the settings may have changed since it began. */
  apply(build: Build, isLate: boolean): void;
  /** Is called after a build was applied, and told whether every function was built. */
  readonly onBundled: ((isAll: boolean) => void) | undefined;
  /** Whether an invocation runs. */
  isBusy(): boolean;
  /** Takes the error of a bundling that nobody waits for. */
  fail(error: Error): void;
}

/** Builds the functions of an application, one bundling after the other, and knows which of them were not built yet. */
export class FunctionBuilds {
  readonly #workshop: Workshop;
  readonly #user: User;
  #application: Application;
  /** The functions that were not bundled yet. */
  readonly #pending: Set<string>;
  /** The functions that invocations wait for. */
  readonly #wanted = new Set<string>();
  /** The functions that wait for their runtime only. */
  readonly #coming = new Map<string, Promise<unknown>>();
  /** How often the code or the settings may have changed. */
  #changes = 0;
  /** One bundling runs after the other. */
  #bundling: Promise<unknown> = Promise.resolve();
  #background: ReturnType<typeof setTimeout> | undefined;
  /** How often the bundling in the background was put off. */
  #postponed = 0;
  #isStopped = false;

  constructor(application: Application, workshop: Workshop, user: User) {
    this.#application = application;
    this.#workshop = workshop;
    this.#user = user;
    this.#pending = new Set(Object.keys(application.functions));
  }

  /** Says that the code may have changed, and the settings. */
  change(application: Application): void {
    this.#application = application;
    this.#changes++;
  }

  /** Waits for the bundlings that have begun. */
  async settled(): Promise<void> {
    await this.#bundling;
  }

  /** Adds functions that were not built yet, and forgets those that the application does not have any more. */
  expect(names: readonly string[]): void {
    for (const name of names) this.#pending.add(name);
    for (const name of this.#pending) {
      if (!(name in this.#application.functions)) this.#pending.delete(name);
    }
  }

  /**
   * Waits until a function is built. It is built before all others, together with those that other invocations wait for.
   *
   * @returns Whether it was built. It was not if {@linkcode stop} was called before.
   */
  async waitFor(name: string): Promise<boolean> {
    while (this.#pending.has(name)) {
      if (this.#isStopped) return false;
      await (this.#coming.get(name) ?? this.#buildNow(name));
    }
    return true;
  }

  async #buildNow(name: string): Promise<void> {
    this.#wanted.add(name);
    await this.#bundling;
    if (this.#coming.has(name)) this.#wanted.delete(name); // It is bundled, and waits for its runtime.
    // Another invocation bundles it, or nobody waits for it any more.
    if (!this.#pending.has(name) || !this.#wanted.has(name) || this.#isStopped) return;
    const names = [...this.#wanted];
    this.#wanted.clear();
    await this.#bundle(names, true);
  }

  /** Builds functions, after those that are being built. The caller applies the result. */
  async build(names: readonly string[]): Promise<Build> {
    const { names: own, parts, faults } = await this.#bundle(names, false);
    const built = await Promise.all(parts);
    return { names: own, built: new Map(built.flatMap((codes) => [...codes])), faults };
  }

  /** Applies a build, and says so. */
  apply(build: Build): void {
    this.#apply(build);
    this.#tellBundled();
  }

  #apply(build: Build, isLate = false): void {
    for (const name of build.names) this.#pending.delete(name);
    this.#user.apply(build, isLate);
  }

  #tellBundled(): void {
    this.#user.onBundled?.(this.#pending.size === 0);
  }

  /** Bundles functions, after those that are being bundled. A runtime that is downloaded stops only its own functions. */
  #bundle(names: readonly string[], isApplied: boolean) {
    const bundling = this.#bundling.then(async () => {
      const changes = this.#changes;
      const own = names.filter((name) => name in this.#application.functions);
      const { parts, faults } = await this.#workshop.build(this.#application, own);
      if (!isApplied) return { names: own, parts: parts.map(({ codes }) => codes), faults };
      const waiting = parts.flatMap((part) => part.names);
      this.#apply({
        names: own.filter((name) => !waiting.includes(name)),
        built: new Map(),
        faults,
      });
      const applied = parts.map(({ names, codes }) => {
        const coming = codes.then((built) => {
          const isLate = changes !== this.#changes; // A file was saved meanwhile.
          this.#apply({ names, built, faults: new Map() }, isLate);
          if (!isLate) return built;
          this.expect(names);
          this.buildLater();
          return built;
        }).finally(() => names.forEach((name) => this.#coming.delete(name)));
        for (const name of names) this.#coming.set(name, coming);
        return coming;
      });
      Promise.all(applied).then(() => this.#tellBundled(), () => {}); // Those that wait get the error.
      return { names: own, parts: applied, faults };
    });
    this.#bundling = bundling.catch(() => {}); // The caller gets the error.
    return bundling;
  }

  /** Builds what nobody has invoked yet in the background, some at a time, so that an invocation does not wait for all. */
  buildLater(): void {
    if (!this.#user.isEarly || this.#isStopped) return;
    clearTimeout(this.#background);
    this.#background = setTimeout(async () => {
      await this.#bundling;
      if (this.#user.isBusy() && ++this.#postponed < PATIENCE) return this.buildLater();
      const names = [...this.#pending].slice(0, TOGETHER);
      if (names.length === 0 || this.#isStopped) return;
      try {
        const { parts } = await this.#bundle(names, true);
        await Promise.all(parts);
        this.buildLater();
      } catch (error) {
        this.#user.fail(error as Error);
      }
    }, PAUSE);
  }

  /** Begins no further bundling for invocations, or in the background. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#background);
  }
}
