import { createHash } from "node:crypto";
import { createTraceId } from "../rules/arn.ts";
import type { FunctionHost } from "./function_host.ts";

/** How often one event may invoke one function. */
const MOST_ROUNDS = 16;

/** A function runs in a loop. The message says so, and what to do. */
export class LoopError extends Error {
  constructor(functionName: string) {
    super(
      `"${functionName}" runs in a loop: one event has led to ${MOST_ROUNDS} invocations of it. ` +
        "AWS Lambda stops such a chain, too: let the function write to what does not call it",
    );
    this.name = "LoopError";
  }
}

/**
 * Makes a host that counts, in the trace header, how often one event has invoked each function. AWS SDKs send this header with
 * each request of the function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
export function countRounds(host: FunctionHost): FunctionHost {
  return {
    invoke(name, payload, options = {}) {
      const own = { ...options };
      const take = () => {
        const event = typeof payload === "function" ? payload() : payload;
        // Now the facts and the trace of a batch are known, too.
        own.facts = options.facts;
        own.traceId = withRound(options.traceId ?? createTraceId(), name);
        return event;
      };
      return host.invoke(name, typeof payload === "function" ? take : take(), own);
    },
    timeOf: host.timeOf?.bind(host),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

/** Refuses an invocation that has counted itself and is one too many. Whoever takes batches looks before. */
export function refuseLoop(trace: string | undefined, functionName: string): void {
  if (roundsOf(trace, functionName) > MOST_ROUNDS) throw new LoopError(functionName);
}

/** Tells whether a further invocation of a function would be one too many for a trace header. */
export function isLoop(trace: string | undefined, functionName: string): boolean {
  return roundsOf(trace, functionName) >= MOST_ROUNDS;
}

/** Returns how often a function was invoked for a trace header. */
export function roundsOf(trace: string | undefined, functionName: string): number {
  return readLineage(trace ?? "").get(markOf(functionName)) ?? 0;
}

/** Adds an invocation of a function to the lineage of a trace header. */
function withRound(trace: string, functionName: string): string {
  const lineage = readLineage(trace);
  lineage.set(markOf(functionName), roundsOf(trace, functionName) + 1);
  const parts = trace.split(";").filter((part) => part !== "" && !part.startsWith("Lineage="));
  const marks = [...lineage].map(([mark, count]) => `${mark}:${count}`).join("|");
  return [...parts, `Lineage=${marks}`].join(";");
}

/** Reads the lineage: `Lineage=a87bd80c:1|68fd508a:5`. Parts of another form are ignored, because a client can send any. */
function readLineage(trace: string): Map<string, number> {
  const [, text = ""] = /(?:^|;)Lineage=([^;]*)/.exec(trace) ?? [];
  const marks = text.split("|").flatMap((part) => {
    const [, mark, count] = /^([0-9a-f]{8}):(\d{1,4})$/.exec(part) ?? [];
    return mark === undefined ? [] : [[mark, Number(count)] as const];
  });
  return new Map(marks);
}

function markOf(functionName: string): string {
  return createHash("sha256").update(functionName).digest("hex").slice(0, 8);
}
