import type { CloudWatchLogsClient, FilteredLogEvent } from "@aws-sdk/client-cloudwatch-logs";
import { setTimeout as pause } from "node:timers/promises";
import type { ApplicationFunction } from "../application/types.ts";
import { formatRecord } from "../dev/terminal.ts";
import { visibleJson } from "../rules/visible_text.ts";
import { callAws, sdkPermissions } from "./aws.ts";
import { checkFunction, type Command, defineCommand, MANIFEST, STAGE } from "./command.ts";
import { UsageError } from "../manifest/nearest.ts";

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** The time between two requests for new records, in milliseconds. */
const INTERVAL = 2_000;

/** `mate logs` */
export const logs: Command = defineCommand({
  name: "logs",
  arguments: ["[MANIFEST]"],
  summary: "Prints the log of the deployed functions, from Amazon CloudWatch",
  details:
    `MANIFEST is ${MANIFEST} by default. ("mate dev" shows the log of the functions on this machine.)`,
  options: {
    stage: STAGE,
    function: { value: "NAME", description: "Only the log of this function" },
    since: { value: "TIME", default: "10m", description: "The start: 30s, 10m, 2h or 1d ago" },
    follow: { description: "Wait for more until Ctrl-C" },
    json: { description: "Print a line of JSON for each record" },
  },
  permissions: ([path = MANIFEST]) => sdkPermissions(path),
  async run([path = MANIFEST], values, { signal, print, isColored }) {
    const [, count, unit] = /^(\d+)([smhd])$/.exec(values.since) ?? [];
    if (unit === undefined) {
      throw new UsageError(
        `Invalid --since "${values.since}": expected a time such as 30s, 10m, 2h or 1d`,
      );
    }
    const { readManifest } = await import("../manifest/manifest.ts");
    const { LOCAL } = await import("../rules/arn.ts");
    const { resolveApplication } = await import("../application/resolve.ts");
    const manifest = await readManifest(path, values.stage);
    if (values.function !== undefined) checkFunction(manifest, values.function);
    const names = values.function === undefined
      ? Object.keys(manifest.functions)
      : [values.function];
    const { functions } = resolveApplication(manifest, LOCAL);
    const { CloudWatchLogsClient } = await import("@aws-sdk/client-cloudwatch-logs");
    const region = manifest.region === undefined ? {} : { region: manifest.region };
    const client = new CloudWatchLogsClient(region);
    let start = Date.now() - Number(count) * UNITS[unit]!;
    const printed = new Set<string>();
    for (;;) {
      const lists = await Promise.all(
        names.map(async (name) =>
          (await eventsOf(client, functions[name]!, start, signal))
            .map((event) => ({ ...event, name }))
        ),
      ).catch((error) => {
        if (values.follow && signal.aborted) return []; // the end that the user wants
        throw error;
      });
      const events = lists.flat().sort((a, b) => a.timestamp! - b.timestamp!);
      for (const { name, eventId, timestamp, message } of events) {
        if (printed.has(eventId!)) continue;
        printed.add(eventId!);
        start = Math.max(start, timestamp! - INTERVAL); // records can arrive out of order
        const time = new Date(timestamp!);
        const text = message!.trimEnd();
        print(
          values.json
            ? visibleJson(JSON.stringify({ time, function: name, text }))
            : formatRecord({ time, functionName: name, text }, isColored),
        );
      }
      if (!values.follow || signal.aborted) return;
      await pause(INTERVAL, undefined, { signal }).catch(() => {}); // the signal ends the pause
    }
  },
});

/** Reads the events of a function's log group since a time. */
async function eventsOf(
  client: CloudWatchLogsClient,
  { name, logGroup }: ApplicationFunction,
  startTime: number,
  abortSignal: AbortSignal,
): Promise<FilteredLogEvent[]> {
  const { paginateFilterLogEvents } = await import("@aws-sdk/client-cloudwatch-logs");
  const input = { logGroupName: logGroup, startTime };
  return await callAws(`Cannot read the log of "${name}"`, async () => {
    const pages = await Array.fromAsync(
      paginateFilterLogEvents({ client }, input, { abortSignal }),
    );
    return pages.flatMap(({ events = [] }) => events);
  });
}
