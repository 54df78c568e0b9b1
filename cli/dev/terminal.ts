import type { LogRecord } from "../lambda/function_host.ts";
import type { Application } from "../application/types.ts";
import { visibleLine } from "../rules/visible_text.ts";
import { triggersOf } from "./page/triggers.ts";

/** The colours for the names of functions. Red is for errors. */
const NAME_COLORS: readonly number[] = [36, 32, 35, 34, 96, 92, 95, 94];

/** The time and the request id with which AWS Lambda begins a record in its text format. */
const HEAD = /^\d{4}-\d\d-\d\dT[\d:.]+Z\s(?:[\da-f-]{36}|undefined)\s/;

/** The number of lines of a terminal that a warning or an error may have. */
const PROBLEM_LINES = 5;

/**
 * Makes one line of a record: the time, the function and the text. Line breaks and control characters are replaced by
 * visible characters, so that no function can control the terminal.
 *
 * @param width The width of the terminal that shows the line. The line is cut there, and has neither a second time nor a request
 * id. Warnings and errors may be five times as long.
 */
export function formatRecord(
  { time, functionName, text }: LogRecord,
  isColored: boolean,
  width = Infinity,
): string {
  const paint = (code: number | string, part: string) =>
    isColored ? `\x1b[${code}m${part}\x1b[0m` : part;
  const clock = time.toTimeString().slice(0, 8);
  const name = (functionName || "platform").padEnd(12);
  const nameColor = functionName === "" ? 2 : NAME_COLORS[hash(functionName) % NAME_COLORS.length]!;
  const level = /\b(?:WARN|ERROR|CRITICAL|FATAL)\b/.exec(text.slice(0, 300))?.[0];
  const textColor = level === undefined ? undefined : level === "WARN" ? 33 : 31;
  const room = (level === undefined ? 1 : PROBLEM_LINES) * width;
  const shown = room === Infinity ? text : text.replace(HEAD, "").replaceAll("\t", " ");
  const visible = cut(visibleLine(shown), room - clock.length - name.length - 2);
  const isPlatformLine = functionName === "" || /^(START|END|REPORT|INIT_START) /.test(text);
  const body = isPlatformLine
    ? paint(2, visible)
    : textColor === undefined
    ? visible
    : paint(textColor, visible);
  return `${paint(2, clock)} ${paint(nameColor, name)} ${body}`;
}

/** Cuts a text at a width, where it can be seen that it goes on. */
function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  const characters = Array.from(text);
  const room = Math.max(1, width);
  return characters.length <= room ? text : `${characters.slice(0, room - 1).join("")}…`;
}

/** Whether a record is a line that AWS Lambda adds to each invocation. */
export function isFrame({ functionName, text }: LogRecord): boolean {
  return functionName !== "" && /^(START|END|REPORT) RequestId: /.test(text);
}

function hash(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + character.charCodeAt(0)) % 6_007;
  return sum;
}

export interface Introduction {
  readonly application: Application;
  readonly url: string;
  readonly controlUrl: string;
  readonly servicesUrl: string;
  readonly bucketsFolder: string;
  /** How to attach a debugger. */
  readonly inspector?: string | undefined;
  /** Whether the address of the platform leads a browser to the start page. */
  readonly isConfined?: boolean | undefined;
  /** Whether to show every address, with commands to copy. */
  readonly isVerbose?: boolean | undefined;
}

/** Makes the first lines of the terminal. Addresses with a secret are among them only if they are asked for, or needed. */
export function introduce(
  { application, url, controlUrl, servicesUrl, bucketsFolder, inspector, ...options }: Introduction,
): readonly string[] {
  const { isVerbose = false, isConfined = false } = options;
  const base = url + (application.gateway?.prefix ?? "");
  const triggers = Object.keys(application.functions).flatMap((name) =>
    triggersOf(application, name, base).map(({ what, commands }) => {
      return { name, what, lines: commands?.(controlUrl, bucketsFolder) ?? [] };
    })
  );
  // The triggers of one bucket have the same commands.
  const rows = [...Map.groupBy(triggers, ({ lines }) => lines[0]).values()].flatMap((same) => {
    const { what = "", lines } = same[0]!;
    const names = [...new Set(same.map(({ name }) => name))].join(", ");
    return lines.map((line, index) => index === 0 ? [what, names, line] : ["", "", line]);
  });
  const door = isConfined && !isVerbose ? new URL(controlUrl).origin : controlUrl;
  return [
    `${application.name} is running`,
    "",
    `  Start page  ${door}/`,
    `  Base URL    ${base}`,
    ...isVerbose
      ? [
        `  Invoke API  aws lambda invoke --endpoint-url ${controlUrl} --region us-east-1 --no-sign-request --function-name NAME /dev/stdout`,
        `  Services    aws s3 ls --endpoint-url ${servicesUrl} --region us-east-1 --no-sign-request (and dynamodb, sns, sqs, events)`,
      ]
      : [],
    ...inspector === undefined ? [] : [`  Inspector   ${inspector}`],
    "",
    ...isVerbose ? throttleOf(application) : [],
    ...missingHere(application),
    ...isVerbose ? tableOf(rows) : shortTableOf(rows),
    "",
    "A function is reloaded when one of its files changes. Stop with Ctrl-C.",
    "",
  ];
}

/** Makes lines of rows with as many columns. */
function tableOf(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)));
  return rows.map(([what = "", name = "", command = ""]) =>
    visibleLine(`  ${what.padEnd(widths[0]!)}  ${name.padEnd(widths[1]!)}  ${command}`.trimEnd())
  );
}

/** The number of rows that fit on a terminal of 24 lines, with those before and after them. */
const MAX_ROWS = 13;

/** Makes a line for each trigger that fits on a terminal of 80 columns, without commands and secrets. */
function shortTableOf(rows: readonly (readonly string[])[]): string[] {
  const short = rows.filter(([, name]) => name !== "")
    .map(([what = "", name = ""]) => [what, name, ""]);
  const shown = short.slice(0, short.length > MAX_ROWS ? MAX_ROWS - 1 : MAX_ROWS);
  return [
    ...tableOf(shown).map((line) => cut(line, 80)),
    ...short.length > shown.length ? [`  and ${short.length - shown.length} more`] : [],
    "",
    "  Addresses and commands to copy are on the start page, or here with --verbose.",
  ];
}

/** Says what the HTTP gateway does in the account and not here. */
function throttleOf({ gateway, settings }: Application): string[] {
  if (gateway === undefined) return [];
  const { rate, burst } = settings.throttle;
  const requests = `${rate} requests a second, ${burst} at once`;
  return [`  In the account, the HTTP gateway takes ${requests}; here it takes all requests.`, ""];
}

/** Says which settings have an effect in the account only. */
function missingHere({ tracing, settings: { logs, domain, vpc, alarms } }: Application): string[] {
  const names = [
    tracing && "AWS X-Ray",
    logs.format === "JSON" && "START, END and REPORT as JSON",
    logs.requests && "the log of requests",
    domain && `the domain ${domain.name}`,
    vpc && "the network",
    alarms && "alarms",
  ].filter(Boolean);
  return names.length === 0 ? [] : [`  Only in the account: ${names.join(", ")}.`, ""];
}
