/** What the tests of the loop share. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { FnContext } from "../../function/mod.ts";
import { loggerState } from "../../logger/state.ts";
import { run, RuntimeApiError } from "../mod.ts";
import type { StubApi, StubRequest } from "./stub_api.ts";

/** Runs the loop until the stub has no more events; what was logged meanwhile. */
export async function drive<Event, Result>(
  stub: StubApi,
  handler: (event: Event, context: FnContext) => Result | Promise<Result>,
): Promise<string[]> {
  const state = loggerState();
  const lines: string[] = [];
  const before = state.write!;
  state.write = (line) => lines.push(line);
  try {
    const error = await assertRejects(() => run(handler, { api: stub.api }), RuntimeApiError);
    assertEquals([error.message, error.status], [
      "Cannot fetch the next invocation: the Runtime API answered 410 no more",
      410,
    ]);
  } finally {
    state.write = before;
  }
  return lines;
}

/** The path of a report; what it reports is the first group. */
export const PATH = /^\/2018-06-01\/runtime\/invocation\/[\w-]+\/(response|error)$/;

/** What the only report says. */
export function onlyPost(stub: StubApi): StubRequest {
  assertEquals(stub.posts.length, 1);
  assertMatch(stub.posts[0]!.path, PATH);
  return stub.posts[0]!;
}

/** The only report, which is of a failure. */
export function onlyFailure(stub: StubApi): { type: string; message: string; field: string } {
  const { path, body, headers } = onlyPost(stub);
  assertEquals(path.endsWith("/error"), true);
  const { errorType, errorMessage, stackTrace } = JSON.parse(body);
  assertEquals(Array.isArray(stackTrace), true);
  JSON.parse(headers["lambda-runtime-function-xray-error-cause"]!);
  const field = headers["lambda-runtime-function-error-type"]!;
  return { type: errorType, message: errorMessage, field };
}
