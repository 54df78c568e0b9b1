import { isIPv6 } from "node:net";
import type { Format } from "./checker.ts";
import { fillPlaceholders, hasKnownPlaceholders, PLACEHOLDERS } from "./variables.ts";

/** The formats that the JSON Schema of the manifest names, because no pattern describes them. */
export const FORMATS: Readonly<Record<string, Format>> = {
  host: (text) =>
    text === "*" || isHost(fillPlaceholders(text, () => "x"))
      ? undefined
      : "must be a host such as api.example.com:443, or *",
  placeholders: placeholderProblem,
  // IAM's own variables, such as ${aws:username}, are not placeholders.
  "policy-placeholders": (text) =>
    placeholderProblem(text.replaceAll(/\$\{(\w+:[^}]*|[*?$])\}/g, "")),
  schedule: scheduleProblem,
  "time-zone": (text) => isTimeZone(text) ? undefined : "must be a time zone such as Europe/Paris",
};

function placeholderProblem(text: string): string | undefined {
  return hasKnownPlaceholders(text)
    ? undefined
    : `must have no placeholders except ${PLACEHOLDERS}`;
}

const HOST_PATTERN =
  /^(?:(?:\*\.)?[\w-]+(?:\.[\w-]+)*|\[(?<address>[^\]%]*)\])(?::(?<port>\d{1,5}))?$/;

/** Tells whether Deno accepts a text such as `api.example.com:443` or `[::1]:80` in `--allow-net`. */
function isHost(text: string): boolean {
  const { groups } = HOST_PATTERN.exec(text) ?? {};
  if (groups === undefined) return false;
  const { address, port = "1" } = groups;
  return (address === undefined || isIPv6(address)) && Number(port) >= 1 && Number(port) <= 65_535;
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

const RATE = /^rate\((1 (minute|hour|day)|([2-9]|[1-9]\d+) (minutes|hours|days))\)$/;

interface CronField {
  readonly min: number;
  readonly max: number;
  /** The names of the values, the least first. */
  readonly names?: readonly string[];
  /** The texts that stand for other values. */
  readonly special?: RegExp;
}

/**
 * The fields of a `cron` expression.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 */
const CRON_FIELDS: readonly CronField[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31, special: /^(\?|L|LW|([1-9]|[12]\d|3[01])W)$/ },
  { min: 1, max: 12, names: "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ") },
  {
    min: 1,
    max: 7,
    names: "SUN MON TUE WED THU FRI SAT".split(" "),
    special: /^(\?|L|[1-7]L|([1-7]|SUN|MON|TUE|WED|THU|FRI|SAT)#[1-5])$/,
  },
  { min: 1970, max: 2199 },
];

function scheduleProblem(text: string): string | undefined {
  if (RATE.test(text) || isCron(text)) return undefined;
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(text) ?? [];
  if (count === "1") return `must have the singular after 1: write rate(1 ${unit})`;
  if (count !== undefined && count !== "0") {
    return `must have the plural after ${count}: write rate(${count} ${unit}s)`;
  }
  if (/^cron\(\S+( \S+){4}\)$/.test(text)) {
    return "must have six fields, the year included, such as cron(0 3 * * ? *), and one of the two days must be ?";
  }
  const [, monthDay, weekDay] = /^cron\(\S+ \S+ (\S+) \S+ (\S+) \S+\)$/.exec(text) ?? [];
  if (monthDay !== undefined && (monthDay === "?") === (weekDay === "?")) {
    return "must have ? for one of its two days, the third or the fifth field, such as cron(0 3 * * ? *)";
  }
  return "must be a rate such as rate(5 minutes), or a cron such as cron(0 3 * * ? *)";
}

/** Tells whether a text is a `cron` expression. Exactly one of the two fields for days must be `?`. */
function isCron(text: string): boolean {
  const fields = /^cron\((.*)\)$/.exec(text)?.[1]?.split(" ");
  return fields?.length === CRON_FIELDS.length &&
    (fields[2] === "?") !== (fields[4] === "?") &&
    fields.every((field, index) =>
      field.split(",").every((part) => isCronPart(part, CRON_FIELDS[index]!))
    );
}

/** Tells whether a text is one part of a list: a value, a range such as `1-5`, or steps such as `0/15`. */
function isCronPart(part: string, { min, max, names = [], special }: CronField): boolean {
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
