/**
 * The schedules of Amazon EventBridge and its Scheduler: one grammar, with which the manifest is checked and the local
 * platform finds the times.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
 */
import { Cron } from "croner";

const UNITS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** One of the six fields of a `cron` expression. */
interface Field {
  /** The name with its article. */
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** The names of the values, the least first. */
  readonly names?: readonly string[];
  /** The texts that stand alone in the field. */
  readonly alone?: RegExp;
  /** Whether the field has no steps. */
  readonly isStepless?: boolean;
  readonly example: string;
}

const FIRST_YEAR = 1970;

const FIELDS: readonly Field[] = [
  { name: "a minute", min: 0, max: 59, example: "0/15" },
  { name: "an hour", min: 0, max: 23, example: "8-17" },
  {
    name: "a day of the month",
    min: 1,
    max: 31,
    alone: /^(\?|L|LW|([1-9]|[12]\d|3[01])W)$/,
    example: "1,15, L, LW or 3W",
  },
  {
    name: "a month",
    min: 1,
    max: 12,
    names: "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" "),
    example: "JAN,JUL",
  },
  {
    name: "a day of the week",
    min: 1,
    max: 7,
    names: "SUN MON TUE WED THU FRI SAT".split(" "),
    alone: /^(\?|L|[1-7]L|([1-7]|SUN|MON|TUE|WED|THU|FRI|SAT)#[1-5])$/,
    isStepless: true,
    example: "MON-FRI, 6L or 6#3, and no steps",
  },
  { name: "a year", min: FIRST_YEAR, max: 2199, example: "2026-2030" },
];

/** The expression is not one of the grammar. The message says what it must be. */
class GrammarError extends Error {}

/** Says what is wrong with the expression of a schedule, or returns `undefined`. */
export function scheduleProblem(expression: string): string | undefined {
  try {
    parse(expression);
  } catch (error) {
    if (error instanceof GrammarError) return error.message;
    throw error;
  }
}

/**
 * Returns the first time after `after` at which a schedule fires, in milliseconds, or `undefined` if there is none. If the
 * clocks go forward, the times that are left out do not fire. If they go back, the repeated times fire once.
 */
export function nextTime(
  { expression, timezone }: { readonly expression: string; readonly timezone: string },
  after: number,
): number | undefined {
  const parsed = parse(expression);
  if (typeof parsed === "number") return after + parsed;
  const cron = new Cron(parsed, { timezone, paused: true, alternativeWeekdays: true });
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    dateStyle: "short",
    timeStyle: "short",
  });
  for (let next = cron.nextRun(new Date(after)); next; next = cron.nextRun(next)) {
    const time = next.getTime();
    const shown = clock.format(time);
    // Clocks go back by an hour, or by half an hour on Lord Howe Island.
    const isRepeated = [1, 2].some((halves) => clock.format(time - halves * 1_800_000) === shown);
    if (cron.match(next) && !isRepeated) return time; // Croner moves the times that are left out.
  }
}

/** Returns the interval of a rate in milliseconds, or the pattern of croner for a cron. */
function parse(expression: string): number | string {
  const [, count, unit, plural] = /^rate\((\d+) (minute|hour|day)(s?)\)$/.exec(expression) ?? [];
  if (count === "1" && plural) {
    throw new GrammarError(`must have the singular after 1: write rate(1 ${unit})`);
  }
  if (count !== undefined && /^[1-9]/.test(count)) {
    if (count !== "1" && !plural) {
      throw new GrammarError(`must have the plural after ${count}: write rate(${count} ${unit}s)`);
    }
    return Number(count) * UNITS[unit as keyof typeof UNITS];
  }
  const fields = /^cron\((.+)\)$/.exec(expression)?.[1]?.split(" ");
  if (fields === undefined) {
    throw new GrammarError(
      "must be a rate such as rate(5 minutes), or a cron such as cron(0 3 * * ? *)",
    );
  }
  if (fields.length !== FIELDS.length) {
    throw new GrammarError(
      "must have six fields, the year included, such as cron(0 3 * * ? *), and one of the two days must be ?",
    );
  }
  if ((fields[2] === "?") === (fields[4] === "?")) {
    throw new GrammarError(
      "must have ? for one of its two days, the third or the fifth field, such as cron(0 3 * * ? *)",
    );
  }
  return ["0", ...fields.map((text, index) => toCroner(text, FIELDS[index]!))].join(" ");
}

/** Writes a field for croner, which has no ranges such as `22-4`, and no `L` for Saturday. */
function toCroner(text: string, field: Field): string {
  if (field.alone?.test(text)) {
    return field.name === "a day of the week" && text === "L" ? "7" : text;
  }
  const values = text.split(",").flatMap((part) => {
    const found = valuesOfPart(part, field);
    if (found !== undefined) return found;
    const { name, example } = field;
    throw new GrammarError(
      `must have ${name} such as ${example} in place of ${JSON.stringify(text)}`,
    );
  });
  return values.join();
}

/** Lists the values of a part: a value, a range such as `1-5`, or steps such as `0/15`. */
function valuesOfPart(part: string, field: Field): number[] | undefined {
  const { min, max, names = [], isStepless = false } = field;
  const [, range = "", step] = /^([^/]*)(?:\/(\d+))?$/.exec(part) ?? [];
  if (step !== undefined && (isStepless || Number(step) < 1 || Number(step) > max)) return;
  const ends = range === "*" ? [min, max] : range.split("-").map((value) => {
    const named = names.indexOf(value);
    return named >= 0 ? named + min : /^\d+$/.test(value) ? Number(value) : NaN;
  });
  const [first, last = step === undefined ? first : max] = ends as [number, number?];
  if (ends.length > 2 || !ends.every((value) => value >= min && value <= max)) return;
  if (last! < first && min === FIRST_YEAR) return; // Every other field begins again after its largest value.
  const size = max - min + 1;
  const length = (last! - first + size) % size + 1;
  return Array.from(
    { length: Math.ceil(length / Number(step ?? 1)) },
    (_, index) => min + (first - min + index * Number(step ?? 1)) % size,
  );
}
