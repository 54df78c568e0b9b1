import { assertEquals, assertRejects } from "@std/assert";
import type { FnContext } from "../../function/mod.ts";
import { loggerState } from "../../logger/state.ts";
import "../../testdata/own_environment.ts";
import { within } from "../../testdata/waiting.ts";
import { run, RuntimeApiError } from "../mod.ts";
import { type StubAnswer, StubApi, type StubRequest } from "./stub_api.ts";

/** The environment of the loop, and the answers that a test changes. */
export interface DriveOptions extends Partial<Pick<StubApi, "onHead" | "onChunk" | "onRequest">> {
  readonly env?: Record<string, string>;
}

/** Runs the loop until no event is left, or until the Runtime API refuses a request. */
export async function drive<Event>(
  events: StubAnswer[],
  handler: (event: Event, context: FnContext) => unknown,
  { env = {}, ...hooks }: DriveOptions = {},
) {
  await using stub = new StubApi(events);
  Object.assign(stub, hooks);
  const log: string[] = [];
  const state = loggerState();
  const { write } = state;
  state.write = (line) => log.push(line);
  try {
    const error = await withEnv(env, () => {
      const ended = assertRejects(() => run(handler, { api: stub.api }), RuntimeApiError);
      return within("the end of run()", ended, () => stub.requests.map(({ path }) => path));
    });
    const { requests, posts, connections } = stub;
    return { requests, posts, connections, log, error };
  } finally {
    Object.assign(state, { write });
  }
}

/** Returns the parts of the path that name a report: its request id, and `response` or `error`. */
export function reportOf({ path }: StubRequest): string {
  return path.replace("/2018-06-01/runtime/invocation/", "");
}

/** Returns the failure in a report, and checks the values of the headers. */
export function failureOf(post: StubRequest): { type: string; message: string; field: string } {
  assertEquals(post.path.endsWith("/error"), true, post.path);
  const { errorType, errorMessage, stackTrace } = JSON.parse(post.body);
  assertEquals(Array.isArray(stackTrace), true);
  JSON.parse(post.headers["lambda-runtime-function-xray-error-cause"]!);
  const field = post.headers["lambda-runtime-function-error-type"]!;
  return { type: errorType, message: errorMessage, field };
}

/** Sets environment variables while a function runs. */
export async function withEnv<T>(env: Record<string, string>, fn: () => Promise<T>): Promise<T> {
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
  try {
    return await fn();
  } finally {
    for (const name of Object.keys(env)) Deno.env.delete(name);
  }
}
