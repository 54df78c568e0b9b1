import { scheduledEvent } from "@mate/core/testing";
import { Cron } from "croner";
import { Buffer } from "node:buffer";
import type { Manifest, ScheduleTrigger } from "../../manifest/manifest.ts";
import { ACCOUNT_ID, REGION, ruleArn, scheduleArn } from "../../application/arn.ts";
import { isRule, triggerName } from "../../application/triggers.ts";
import type { Application } from "../../application/types.ts";
import type { AsyncInvocations } from "../invoke/async_invocations.ts";

const UNITS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** The largest value of each field of a `cron` expression. */
const LAST_VALUES = [59, 23, 31, 12, 7, 2199] as const;

/** The longest delay of a timer. A timer with a longer delay fires at once. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/** Returns the first time after `after` at which a schedule fires, in milliseconds, or `undefined` if there is none. */
export function nextTime(
  { expression, timezone }: Pick<ScheduleTrigger, "expression" | "timezone">,
  after: number,
): number | undefined {
  const [, value, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  if (value !== undefined) return after + Number(value) * UNITS[unit as keyof typeof UNITS];
  const cron = new Cron(toPattern(expression), { timezone, paused: true });
  return cron.nextRun(new Date(after))?.getTime();
}

/** Translates a `cron` expression for croner, which expects seconds, 0 for Sunday, and a range before each step. */
function toPattern(expression: string): string {
  const fields = expression.slice("cron(".length, -1).split(" ").map((field, index) =>
    field.replaceAll(/(?<=^|,)(\d+)\//g, `$1-${LAST_VALUES[index]}/`)
  );
  const days = fields[4] === "L"
    ? "6"
    : fields[4]!.replaceAll(/(?<![#/\d])\d/g, (day) => `${+day - 1}`);
  return ["0", ...fields.with(4, days)].join(" ");
}

export interface Schedule extends ScheduleTrigger {
  readonly functionName: string;
}

/** The schedules of an application. Each schedule fires at its times. A caller can fire it at any time. */
export class Schedules implements Disposable {
  readonly #application: Application;
  readonly #schedules: readonly Schedule[];
  readonly #asyncInvocations: AsyncInvocations;
  readonly #timers = new Map<Schedule, ReturnType<typeof setTimeout>>();

  constructor(
    { manifest: { functions }, application, asyncInvocations }: {
      readonly manifest: Manifest;
      readonly application: Application;
      readonly asyncInvocations: AsyncInvocations;
    },
  ) {
    this.#application = application;
    this.#asyncInvocations = asyncInvocations;
    this.#schedules = Object.entries(functions).flatMap(([functionName, { triggers }]) =>
      triggers.schedules.map((schedule) => ({ ...schedule, functionName }))
    );
    for (const schedule of this.#schedules) this.#wait(schedule, nextTime(schedule, Date.now()));
  }

  /** Finds a schedule of a function by its position in the manifest. */
  find(functionName: string, index: number): Schedule | undefined {
    return this.#schedules.filter((schedule) => schedule.functionName === functionName)[index];
  }

  /** Fires a schedule now. Its next time does not change. Returns the identifier of the request. */
  fire({ functionName, ...schedule }: Schedule, time = new Date()): string {
    const name = triggerName(this.#application.functions[functionName]!, schedule);
    const [source, arn] = isRule(schedule)
      ? ["aws.events", ruleArn(name)]
      : ["aws.scheduler", scheduleArn(name)];
    const facts = { source, time, account: ACCOUNT_ID, region: REGION, resources: [arn] };
    const event = schedule.input === undefined ? scheduledEvent(facts) : schedule.input;
    return this.#asyncInvocations.start(functionName, Buffer.from(JSON.stringify(event)));
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
