import type { LogRecord } from "../lambda/function_host.ts";
import { curlCommand, examplePath, invokersOf } from "../application/invoking.ts";
import type { Application } from "../application/types.ts";
import { functionUrl, urlCommand } from "../gateway/routes.ts";
import { visibleLine } from "../rules/visible_text.ts";

/** The colours for the names of functions. Red is for errors. */
const NAME_COLORS: readonly number[] = [36, 32, 35, 34, 96, 92, 95, 94];

/**
 * Makes one line of a record: the time, the function and the text. Line breaks and control characters are replaced by
 * visible characters, so that no function can control the terminal.
 */
export function formatRecord({ time, functionName, text }: LogRecord, isColored: boolean): string {
  const paint = (code: number | string, part: string) =>
    isColored ? `\x1b[${code}m${part}\x1b[0m` : part;
  const clock = time.toTimeString().slice(0, 8);
  const name = (functionName || "platform").padEnd(12);
  const nameColor = functionName === "" ? 2 : NAME_COLORS[hash(functionName) % NAME_COLORS.length]!;
  const level = /\b(?:WARN|ERROR|CRITICAL|FATAL)\b/.exec(text.slice(0, 300))?.[0];
  const textColor = level === undefined ? undefined : level === "WARN" ? 33 : 31;
  const visible = visibleLine(text);
  const isPlatformLine = functionName === "" || /^(START|END|REPORT|INIT_START) /.test(text);
  const body = isPlatformLine
    ? paint(2, visible)
    : textColor === undefined
    ? visible
    : paint(textColor, visible);
  return `${paint(2, clock)} ${paint(nameColor, name)} ${body}`;
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
}

/** Makes the first lines of the terminal: every URL, with commands to copy. */
export function introduce(
  { application, url, controlUrl, servicesUrl, bucketsFolder, inspector }: Introduction,
): readonly string[] {
  const base = `${url}/${application.stage}`;
  const rows: [what: string, functionName: string, command: string][] = [];
  for (const { method, path, function: name } of application.gateway?.routes ?? []) {
    const command = curlCommand(method, base + examplePath(path));
    rows.push([`${method} ${path}`, name, command]);
  }
  for (const name of Object.keys(application.functions)) {
    const triggers = invokersOf(application, name);
    if (triggers.url) {
      rows.push(["function URL", name, urlCommand(functionUrl(name, url), triggers.url)]);
    }
    for (const [index, { expression }] of triggers.schedules.entries()) {
      rows.push([
        expression,
        name,
        curlCommand("POST", `${controlUrl}/schedules/${name}/${index}`),
      ]);
    }
    for (const bus of new Set(triggers.events.map(({ bus }) => bus))) {
      const plain = { source: "SOURCE", "detail-type": "TYPE", detail: {} };
      const event = JSON.stringify(bus === "default" ? plain : { bus, ...plain });
      rows.push(["events", name, `curl -d '${event}' '${controlUrl}/events'`]);
    }
    if (Object.values(triggers).flat().every((trigger) => trigger === undefined)) {
      const path = `${controlUrl}/2015-03-31/functions/${name}/invocations`;
      rows.push(["no trigger", name, `curl -d '{}' '${path}'`]);
    }
  }
  for (const [queue, names, { fifo }] of heard(application.queues)) {
    const group = fifo ? "?group=GROUP" : "";
    rows.push([`queue ${queue}`, names, `curl -d MESSAGE '${controlUrl}/queues/${queue}${group}'`]);
  }
  for (const [bucket, names, { listeners }] of heard(application.buckets)) {
    const { prefix, suffix } = listeners[0]!;
    const object = `${controlUrl}/buckets/${bucket}/${prefix}FILE${suffix}`;
    rows.push([`bucket ${bucket}`, names, `curl -T FILE '${object}'`]);
    rows.push(["", "", `curl -X DELETE '${object}'`]);
    rows.push(["", "", `or copy files to ${bucketsFolder}/${bucket}`]);
  }
  for (const [topic, names] of heard(application.topics)) {
    const command = `curl -d message=Hello -d subject=Greeting -d attribute=n:Number:1`;
    rows.push([`topic ${topic}`, names, `${command} '${controlUrl}/topics/${topic}'`]);
  }
  for (const [table, names] of heard(application.tables)) {
    rows.push([`table ${table}`, names, `curl -d ITEM '${controlUrl}/tables/${table}'`]);
  }
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return [
    `${application.name} is running`,
    "",
    `  Start page  ${controlUrl}/`,
    `  Base URL    ${base}`,
    `  Invoke API  aws lambda invoke --endpoint-url ${controlUrl} --region us-east-1 --no-sign-request --function-name NAME /dev/stdout`,
    `  Services    aws s3 ls --endpoint-url ${servicesUrl} --region us-east-1 --no-sign-request (and dynamodb, sns, sqs, events)`,
    ...inspector === undefined ? [] : [`  Inspector   ${inspector}`],
    "",
    ...throttleOf(application),
    ...missingHere(application),
    ...rows.map(([what, name, command]) =>
      visibleLine(`  ${what.padEnd(widths[0]!)}  ${name.padEnd(widths[1]!)}  ${command}`)
    ),
    "",
    "A function is reloaded when one of its files changes. Stop with Ctrl-C.",
    "",
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

/** Lists the resources that functions listen to, each with the names of these functions. */
function heard<T extends { readonly listeners: readonly { readonly function: string }[] }>(
  resources: Readonly<Record<string, T>>,
): readonly (readonly [key: string, functionNames: string, resource: T])[] {
  return Object.entries(resources).filter(([, { listeners }]) => listeners.length > 0)
    .map(([key, resource]) => {
      const names = new Set(resource.listeners.map((listener) => listener.function));
      return [key, [...names].join(", "), resource];
    });
}
