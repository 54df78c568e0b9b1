import { scheduledEvent } from "@mate/core/testing";
import { ACCOUNT_ID, createTraceId, eventBusArn, REGION } from "../../rules/arn.ts";
import { withoutLineage } from "../../rules/trace_header.ts";
import { depthOf, parseJson, parseObject } from "../../rules/json_object.ts";
import { readPattern } from "../../rules/event_pattern.ts";
import { Clock } from "../clock.ts";
import { notEmulated, type ServiceCall, ServiceError } from "../service_call.ts";
import { checkSupport } from "../supported.ts";

/** One event of a request, with the members that were checked. */
interface Entry {
  readonly Source?: string;
  readonly DetailType?: string;
  readonly Detail?: string;
  readonly EventBusName?: string;
  readonly Resources?: readonly string[];
  readonly Time?: number;
  readonly TraceHeader?: string;
}

const MAX_ENTRIES = 10;

/** The most bytes of all entries of a request. */
const MAX_SIZE = 262_144;

/** The most levels of a detail, because its JSON is written by recursion. The documentation of AWS names no limit. */
const MAX_DEPTH = 1_000;

/** A rule whose events invoke a function. Rules without a pattern are schedules. */
interface Rule {
  readonly function: string;
  readonly bus: string;
  readonly pattern: Readonly<Record<string, unknown>> | undefined;
}

export type EventBus = ReturnType<typeof createEventBus>;

/** Makes Amazon EventBridge. An event invokes each function whose rule it matches. `note` logs events without a match. */
export function createEventBus(
  all: Readonly<Record<string, Rule>>,
  invoke: (
    functionName: string,
    event: ReturnType<typeof scheduledEvent>,
    traceHeader: string,
  ) => void,
  note: (text: string) => void,
  clock: Clock = new Clock(),
) {
  const rules = Object.values(all).flatMap((
    { function: functionName, bus, pattern },
  ) => pattern === undefined ? [] : [{ functionName, bus, matches: readPattern(pattern).matches }]);

  /** Puts one event. Returns the identifier of the event, or an error code and a message. */
  function put(entry: Entry, traceHeader = createTraceId()): Record<string, string> {
    const problem = findProblem(entry);
    if (problem !== undefined) return problem;
    const { Source, DetailType, Detail, Resources = [], Time } = entry;
    const event = scheduledEvent({
      detailType: DetailType!,
      source: Source!,
      account: ACCOUNT_ID,
      time: Time === undefined ? clock.date() : new Date(Time * 1_000),
      region: REGION,
      resources: [...Resources],
      detail: JSON.parse(Detail!),
    });
    const bus = busOf(entry);
    const matching = rules.filter((rule) => rule.bus === bus && rule.matches(event));
    // The service stops no loops, so the counts of a chain end here.
    const trace = withoutLineage(entry.TraceHeader ?? traceHeader);
    for (const { functionName } of matching) invoke(functionName, event, trace);
    if (matching.length === 0) note(`No pattern matches the event "${DetailType}" of "${Source}"`);
    return { EventId: event.id };
  }

  /** Parses a request of PutEvents. */
  function parse(headers: Headers, body: string): ServiceCall {
    const [service, operation = ""] = (headers.get("x-amz-target") ?? "").split(".");
    if (service !== "AWSEvents") throw notEmulated("This request to Amazon EventBridge");
    const input = parseJson(body);
    if (input === undefined) {
      throw new ServiceError("SerializationException", "The body of the request is not JSON");
    }
    checkSupport("events", operation, input);
    const entries = readEntries(input);
    const traceHeader = headers.get("x-amzn-trace-id") ?? undefined;
    const buses = new Set(entries.map(busOf));
    return {
      accesses: [...buses].map((bus) => ({
        action: "events:PutEvents",
        resource: eventBusArn(bus),
        context: {
          "events:source": entries.map(({ Source = "" }) => Source),
          "events:detail-type": entries.map(({ DetailType = "" }) => DetailType),
        },
      })),
      run() {
        checkSize(entries);
        const results = entries.map((entry) => put(entry, traceHeader));
        return Response.json({
          FailedEntryCount: results.filter((result) => "ErrorCode" in result).length,
          Entries: results,
        }, { headers: { "Content-Type": "application/x-amz-json-1.1" } });
      },
    };
  }

  return {
    put: (entry: unknown, traceHeader?: string) => put(checkedEntry(entry, 1), traceHeader),
    parse,
  };
}

/** The parameter is the name or the ARN of a bus. */
function busOf({ EventBusName = "default" }: Entry): string {
  return EventBusName.split("/").at(-1)!;
}

const MEMBERS: Readonly<Record<keyof Entry, (value: unknown) => boolean>> = {
  Source: isText,
  DetailType: isText,
  Detail: isText,
  EventBusName: (value) => isText(value) && /^[\w./:-]{1,1600}$/.test(value as string),
  Resources: (value) => Array.isArray(value) && value.every(isText),
  Time: (value) => typeof value === "number" && Math.abs(value) < 8.64e12,
  TraceHeader: isText,
};

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function readEntries(input: unknown): readonly Entry[] {
  const { Entries } = Object(input);
  if (!Array.isArray(Entries)) throw validation("Expected the parameter Entries");
  if (Entries.length < 1 || Entries.length > MAX_ENTRIES) {
    const limit = Entries.length < 1
      ? "greater than or equal to 1"
      : `less than or equal to ${MAX_ENTRIES}`;
    throw validation(
      `1 validation error detected: Value at 'entries' failed to satisfy constraint: Member must have length ${limit}`,
    );
  }
  return Entries.map((entry, index) => checkedEntry(entry, index + 1));
}

/** Checks the types of the members of an entry. */
function checkedEntry(entry: unknown, number: number): Entry {
  if (typeof entry !== "object" || entry === null) {
    throw new ServiceError("SerializationException", `The entry ${number} must be an object`);
  }
  const members = Object.entries(entry).filter(([, value]) =>
    value !== undefined && value !== null
  );
  for (const [name, value] of members) {
    if (!Object.hasOwn(MEMBERS, name)) throw notEmulated(`The parameter ${name} of an entry`);
    if (!MEMBERS[name as keyof Entry](value)) {
      throw validation(`Value at 'entries.${number}.member.${name}' failed to satisfy constraint`);
    }
  }
  return Object.fromEntries(members);
}

const validation = (message: string) => new ServiceError("ValidationException", message);

/**
 * Refuses entries that are too large together.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html
 */
function checkSize(entries: readonly Entry[]): void {
  const size = entries.reduce((sum, { Source, DetailType, Detail, Resources = [], Time }) => {
    const texts = [Source, DetailType, Detail, ...Resources].join("");
    return sum + new TextEncoder().encode(texts).length + (Time === undefined ? 0 : 14);
  }, 0);
  if (size <= MAX_SIZE) return;
  throw validation(
    `Total size of the entries in the request is over the limit of ${MAX_SIZE} bytes.`,
  );
}

function findProblem({ Source = "", DetailType = "", Detail = "" }: Entry) {
  const invalid = (name: string, reason: string) => ({
    ErrorCode: "InvalidArgument",
    ErrorMessage: `Parameter ${name} is not valid. Reason: ${reason}`,
  });
  for (const [name, value] of Object.entries({ Source, DetailType, Detail })) {
    if (value === "") return invalid(name, `${name} is a required argument.`);
  }
  if (/^aws\./i.test(Source)) {
    const ErrorMessage = `Not authorized for the source ${Source}: only services of AWS send it.`;
    return { ErrorCode: "NotAuthorizedForSourceException", ErrorMessage };
  }
  for (
    const [name, value, most] of [["Source", Source, 256], ["DetailType", DetailType, 128]] as const
  ) {
    if (value.length > most) return invalid(name, `${name} has more than ${most} characters.`);
  }
  const malformed = (ErrorMessage: string) => ({ ErrorCode: "MalformedDetail", ErrorMessage });
  if (parseObject(Detail) === undefined) return malformed("Detail is malformed.");
  if (depthOf(Detail) <= MAX_DEPTH) return undefined;
  return malformed(`Detail is malformed: it has over ${MAX_DEPTH} levels.`);
}
