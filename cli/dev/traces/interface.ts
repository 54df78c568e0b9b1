import type { IncomingMessage } from "node:http";
import { allow, jsonReply, refusal, type Reply, reply } from "../../lambda/http.ts";
import { createTraceId } from "../../rules/arn.ts";
import { readTraceHeader, rootOf } from "../../rules/trace_header.ts";
import type { Again } from "./again.ts";
import { showDetail, showSpan } from "./detail.ts";
import { toOtlp } from "./otlp.ts";
import type { SavedTest } from "./answers.ts";
import type { Recording, Traces } from "./traces.ts";

const NO_STORE = [["Cache-Control", "no-store"]] as const;

/** What saves a span as a test. */
export interface Tests {
  /** Returns the reason why no test can be made, or `true`. */
  problemOf(recording: Recording): true | string;
  make(recording: Recording): Promise<SavedTest>;
}

export interface TraceParts {
  /** The name of the application. */
  readonly application: string;
  readonly traces: Traces;
  readonly again: Again;
  readonly tests: Tests;
}

/** Answers requests to `spans` and `traces`, as `answers.ts` says. */
export async function answerTraces(
  { method = "" }: IncomingMessage,
  path: string,
  query: string,
  { application, traces, again, tests }: TraceParts,
): Promise<Reply> {
  const [, kind, id = "", action = ""] = /^\/([^/]*)(?:\/([^/]*))?(?:\/(.*))?$/s.exec(path)!;
  const traceId = new URLSearchParams(query).get("trace") ?? undefined;
  if (kind === "traces" && id === "") {
    allow(method, "GET", "HEAD", "DELETE");
    if (method !== "DELETE") {
      return jsonReply(200, toOtlp(traces.list(traceId), application, traces.hider), NO_STORE);
    }
    traces.clear();
    return reply(204);
  }
  if (kind === "spans" && id === "") {
    allow(method, "GET", "HEAD");
    const spans = traces.list(traceId).map((one) => showSpan(one, traces.hider));
    return jsonReply(200, { spans }, NO_STORE);
  }
  const recording = kind === "spans" ? traces.find(id) : undefined;
  if (recording === undefined) {
    const shown = JSON.stringify(id);
    throw refusal(404, `There is no span ${shown}: it is too old, or all were cleared`);
  }
  if (action === "") {
    allow(method, "GET", "HEAD");
    const actions = { again: again.problemOf(recording), test: tests.problemOf(recording) };
    return jsonReply(200, showDetail(recording, traces.hider, actions), NO_STORE);
  }
  if (action !== "again" && action !== "test") {
    throw refusal(404, `A span has no ${JSON.stringify(action)}: expected "again" or "test"`);
  }
  allow(method, "POST");
  const problem = (action === "again" ? again : tests).problemOf(recording);
  if (problem !== true) throw refusal(409, problem);
  if (action === "test") return jsonReply(201, await tests.make(recording));
  const next = readTraceHeader(createTraceId()).traceId!;
  again.send(recording, rootOf(next));
  return jsonReply(202, { traceId: next });
}
