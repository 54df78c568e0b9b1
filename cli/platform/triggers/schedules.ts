import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { ACCOUNT_ID, REGION, ruleArn } from "../arn.ts";
import type { AsyncInvocations } from "../invoke/async_invocations.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { isRate } from "../../manifest/schedule_expression.ts";

const UNITS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** The longest delay of a timer. A timer with a longer delay fires at once. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/**
 * The interval of a rate expression.
 *
 * @param rate The expression, such as `rate(5 minutes)`, as a manifest may hold it.
 * @returns The interval, in milliseconds.
 * @throws {RangeError} If it is not a rate expression.
 */
export function readRate(rate: string): number {
  const [, value, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(rate) ?? [];
  if (unit === undefined) {
    throw new RangeError(`Cannot read the rate "${rate}": expected one such as rate(5 minutes)`);
  }
  return Number(value) * UNITS[unit as keyof typeof UNITS];
}

/**
 * Makes the event that Amazon EventBridge sends for a schedule.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-rule-schedule.html
 */
export function createScheduledEvent(rule: string, time: Date): Readonly<Record<string, unknown>> {
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account: ACCOUNT_ID,
    time: time.toISOString().replace(/\.\d+/, ""),
    region: REGION,
    resources: [ruleArn(rule)],
    detail: {},
  };
}

/** Timers, which tests replace. */
export interface Timers {
  /** Calls back after some milliseconds. Returns the timer. */
  setTimeout(callback: () => void, milliseconds: number): unknown;
  /** Stops a timer. */
  clearTimeout(timer: unknown): void;
}

const TIMERS: Timers = {
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as number),
};

/** The schedules of an application. Each fires by itself, and on demand. */
export class Schedules implements Disposable {
  readonly #manifest: Manifest;
  readonly #asyncInvocations: AsyncInvocations;
  readonly #timers: Timers;
  readonly #waiting = new Set<{ timer: unknown }>();

  constructor(manifest: Manifest, asyncInvocations: AsyncInvocations, timers: Timers = TIMERS) {
    this.#timers = timers;
    this.#manifest = manifest;
    this.#asyncInvocations = asyncInvocations;
    for (const [name, { triggers }] of Object.entries(manifest.functions)) {
      for (const { expression } of triggers.schedules) {
        if (isRate(expression)) this.#wait(name, readRate(expression));
      }
    }
  }

  /** Whether a function has a schedule. */
  has(functionName: string): boolean {
    return Object.hasOwn(this.#manifest.functions, functionName) &&
      this.#manifest.functions[functionName]!.triggers.schedules.length > 0;
  }

  /** Fires a schedule now. Its next own time stays as it is. */
  fire(functionName: string): string {
    const event = createScheduledEvent(`${this.#manifest.name}-${functionName}`, new Date());
    return this.#asyncInvocations.start(functionName, Buffer.from(JSON.stringify(event)));
  }

  /** Stops the schedules. */
  [Symbol.dispose](): void {
    for (const { timer } of this.#waiting) this.#timers.clearTimeout(timer);
    this.#waiting.clear();
  }

  /** Waits for the next firing, or for as much of that time as a timer can wait. */
  #wait(
    functionName: string,
    interval: number,
    left = interval,
    waiting: { timer: unknown } = { timer: undefined },
  ): void {
    const step = Math.min(left, MAX_TIMEOUT);
    waiting.timer = this.#timers.setTimeout(() => {
      if (left > step) return this.#wait(functionName, interval, left - step, waiting);
      this.#wait(functionName, interval, interval, waiting);
      this.fire(functionName);
    }, step);
    this.#waiting.add(waiting);
  }
}
