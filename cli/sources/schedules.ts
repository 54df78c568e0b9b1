import { scheduledEvent } from "@mate/core/testing";
import { Buffer } from "node:buffer";
import { nextTime } from "../rules/schedule.ts";
import { ACCOUNT_ID, REGION, ruleArn, scheduleArn } from "../rules/arn.ts";
import { Clock, MAX_TIMEOUT } from "../aws/clock.ts";
import type { Application } from "../application/types.ts";
import type { AsyncInvocations } from "./async_invocations.ts";

/** A schedule of an application. */
export interface Schedule {
  readonly function: string;
  readonly expression: string;
  readonly timezone: string;
  /** The event, if it is not that of the service. */
  readonly input: string | undefined;
  readonly source: "aws.events" | "aws.scheduler";
  readonly arn: string;
}

/** The schedules of an application. Each schedule fires at its times. A caller can fire it at any time. */
export class Schedules implements Disposable {
  /** The schedules of each function, in the order of the manifest. */
  readonly #byFunction: ReadonlyMap<string, readonly Schedule[]>;
  readonly #timers = new Map<Schedule, ReturnType<typeof setTimeout>>();

  constructor(
    application: Application,
    private readonly asyncInvocations: AsyncInvocations,
    private readonly clock: Clock = new Clock(),
  ) {
    this.#byFunction = new Map(
      Object.entries(application.functions).map(([key, { schedules }]) =>
        [key, schedules.map((name) => scheduleOf(application, name))] as const
      ),
    );
    for (const schedule of [...this.#byFunction.values()].flat()) {
      this.#wait(schedule, nextTime(schedule, Date.now()));
    }
  }

  /** Lists the schedules of a function in the order of the manifest; `undefined` if there is no such function. */
  of(functionName: string): readonly Schedule[] | undefined {
    return this.#byFunction.get(functionName);
  }

  /**
   * Fires a schedule now. Its next time does not change. Returns the identifier of the request.
   *
   * @param traceId The trace header; by default, a trace begins.
   */
  fire(
    { input, source, arn, ...schedule }: Schedule,
    time = this.clock.date(),
    traceId?: string,
  ): string {
    const facts = { source, time, account: ACCOUNT_ID, region: REGION, resources: [arn] };
    const event = input ?? JSON.stringify(scheduledEvent(facts));
    const trigger = { type: "schedule", name: schedule.expression } as const;
    const options = { traceId, facts: { trigger } };
    return this.asyncInvocations.start(schedule.function, Buffer.from(event), options);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  /** Waits until a time. A long wait takes several timers. */
  #wait(schedule: Schedule, time: number | undefined): void {
    if (time === undefined) return;
    const left = time - Date.now();
    const timer = setTimeout(() => {
      if (left > MAX_TIMEOUT) return this.#wait(schedule, time);
      this.#wait(schedule, nextTime(schedule, time));
      this.fire(schedule, new Date(time));
    }, Math.max(0, Math.min(left, MAX_TIMEOUT)));
    this.#timers.set(schedule, timer);
  }
}

/** Finds a schedule by its name: a rule of EventBridge, which knows only UTC, or a schedule of its Scheduler. */
function scheduleOf({ rules, schedules }: Application, name: string): Schedule {
  const rule = Object.hasOwn(rules, name) ? rules[name]! : undefined;
  if (rule === undefined) {
    return { ...schedules[name]!, source: "aws.scheduler", arn: scheduleArn(name) };
  }
  const { expression, input } = rule;
  const times = { expression: expression!, timezone: "UTC" };
  return { function: rule.function, input, ...times, source: "aws.events", arn: ruleArn(name) };
}
