import { scheduledEvent } from "@mate/core/testing";
import type { Manifest } from "../../manifest/types.ts";
import { ACCOUNT_ID, REGION } from "../../application/arn.ts";
import { compilePattern } from "./event_pattern.ts";
import { jsonFailure } from "./responses.ts";

interface Entry {
  readonly Source?: unknown;
  readonly DetailType?: unknown;
  readonly Detail?: unknown;
  readonly EventBusName?: unknown;
  readonly Resources?: readonly unknown[];
  readonly Time?: unknown;
}

const MAX_ENTRIES = 10;

export interface EventBus {
  /** Puts one event. Returns the identifier of the event, or an error code and a message. */
  put(entry: Entry): Record<string, string>;
  /** Answers a request of PutEvents. */
  answer(headers: Headers, body: string): Response;
}

/** Makes Amazon EventBridge. An event invokes each function whose rule it matches. `note` logs events without a match. */
export function createEventBus(
  { functions }: Manifest,
  invoke: (functionName: string, event: unknown) => void,
  note: (text: string) => void,
): EventBus {
  const rules = Object.entries(functions).flatMap(([functionName, { triggers }]) =>
    triggers.events.map(({ bus, pattern }) => ({
      functionName,
      bus,
      matches: compilePattern(pattern),
    }))
  );

  function put(
    { Source, DetailType, Detail, EventBusName = "default", Resources = [], Time }: Entry,
  ): Record<string, string> {
    const problem = findProblem({ Source, DetailType, Detail });
    if (problem !== undefined) return problem;
    const event = scheduledEvent({
      detailType: String(DetailType),
      source: String(Source),
      account: ACCOUNT_ID,
      time: typeof Time === "number" ? new Date(Time * 1_000) : new Date(),
      region: REGION,
      resources: Resources.map(String),
      detail: JSON.parse(Detail as string),
    });
    const bus = String(EventBusName).split("/").at(-1); // The parameter may be a name or an ARN.
    const matching = rules.filter((rule) => rule.bus === bus && rule.matches(event));
    for (const { functionName } of matching) invoke(functionName, event);
    if (matching.length === 0) note(`No pattern matches the event "${DetailType}" of "${Source}"`);
    return { EventId: event.id };
  }

  function answer(headers: Headers, body: string): Response {
    const operation = headers.get("x-amz-target");
    if (operation !== "AWSEvents.PutEvents") {
      return jsonFailure(501, "NotImplemented", `"${operation}" is not emulated locally`);
    }
    const { Entries: entries } = JSON.parse(body) as { Entries?: readonly Entry[] };
    if (!Array.isArray(entries) || entries.length < 1 || entries.length > MAX_ENTRIES) {
      return jsonFailure(400, "ValidationException", `Expected 1 to ${MAX_ENTRIES} entries`);
    }
    const results = entries.map(put);
    return Response.json({
      FailedEntryCount: results.filter((result) => "ErrorCode" in result).length,
      Entries: results,
    }, { headers: { "Content-Type": "application/x-amz-json-1.1" } });
  }

  return { put, answer };
}

function findProblem(required: Readonly<Record<string, unknown>>) {
  for (const [name, value] of Object.entries(required)) {
    if (typeof value !== "string" || value === "") {
      return {
        ErrorCode: "InvalidArgument",
        ErrorMessage: `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
      };
    }
  }
  try {
    const detail = JSON.parse(required.Detail as string);
    if (typeof detail === "object" && detail !== null && !Array.isArray(detail)) return undefined;
  } catch {
    // Text that is not JSON gets the error below.
  }
  return { ErrorCode: "MalformedDetail", ErrorMessage: "Detail is malformed." };
}
