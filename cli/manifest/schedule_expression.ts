/**
 * The schedule expressions of Amazon EventBridge.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 * @module
 */

const RATE = /^rate\((1 (minute|hour|day)|([2-9]|[1-9]\d+) (minutes|hours|days))\)$/;

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/** The fields of a `cron` expression: the least and the greatest value, the names of values, and special values. */
const FIELDS: readonly {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
  readonly special?: RegExp;
}[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31, special: /^(\?|L|LW|([1-9]|[12]\d|3[01])W)$/ },
  { min: 1, max: 12, names: MONTHS },
  {
    min: 1,
    max: 7,
    names: DAYS,
    special: /^(\?|L|[1-7]L|([1-7]|SUN|MON|TUE|WED|THU|FRI|SAT)#[1-5])$/,
  },
  { min: 1970, max: 2199 },
];

/** Says what is wrong with the expression of a schedule; `undefined` if it is right. */
export function scheduleProblem(text: string): string | undefined {
  if (RATE.test(text) || isCron(text)) return undefined;
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(text) ?? [];
  if (count === "1") return `must have the singular after 1: write rate(1 ${unit})`;
  if (count !== undefined && count !== "0") {
    return `must have the plural after ${count}: write rate(${count} ${unit}s)`;
  }
  if (/^cron\(\S+( \S+){4}\)$/.test(text)) {
    return "must have six fields, the year included, such as cron(0 3 * * ? *), and one of the two days must be ?";
  }
  return "must be a rate such as rate(5 minutes), or a cron such as cron(0 3 * * ? *)";
}

/**
 * Tells whether a text is a `cron` expression such as `cron(0 3 * * ? *)`: minutes, hours, day of month, month, day of week
 * and year. One of the two days must be `?`.
 */
function isCron(text: string): boolean {
  const fields = /^cron\((.*)\)$/.exec(text)?.[1]?.split(" ");
  if (fields?.length !== FIELDS.length) return false;
  const isQuestion = [fields[2] === "?", fields[4] === "?"];
  return isQuestion[0] !== isQuestion[1] &&
    fields.every((field, index) => field.split(",").every((part) => isPart(part, FIELDS[index]!)));
}

/** Tells whether a text is one part of a list: a value, a range such as `1-5`, or steps such as `0/15`. */
function isPart(part: string, { min, max, names = [], special }: typeof FIELDS[number]): boolean {
  if (special?.test(part)) return true;
  const [, range = "", step] = /^([^/]*)(?:\/(\d+))?$/.exec(part) ?? [];
  if (step !== undefined && (Number(step) < 1 || Number(step) > max)) return false;
  if (range === "*") return true;
  const values = range.split("-").map((value) => {
    const named = names.indexOf(value);
    return named >= 0 ? named + min : /^\d+$/.test(value) ? Number(value) : NaN;
  });
  return values.length <= 2 && values.every((value) => value >= min && value <= max);
}
