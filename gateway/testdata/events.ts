/** Events and answers for the tests of the gateway. */
import type { FnContext, JsonObject } from "../../function/mod.ts";
import * as events from "../../testdata/http_events.ts";
import { type CapturedRecord, captureLog } from "../../testing/mod.ts";
import {
  type HttpResponse,
  proxyHandler,
  type ProxyHandlerOptions,
  type ProxyResult,
  type ProxyRoute,
} from "../mod.ts";

/** An event as the platform sends it. */
export function load(kind: string): JsonObject {
  return structuredClone((events as Record<string, JsonObject>)[kind]!);
}

/** An event with these headers, and nothing else. */
export const request = (headers: unknown = {}) => ({ headers });

/** The context of an invocation. */
export const context = (awsRequestId: string) => ({ awsRequestId }) as FnContext;

/** Accepts HTML and nothing else. */
export const HTML_ONLY = request({ Accept: "text/html" });

/** The message for the client of a server error. */
export const CANNED = "The server failed to answer this request";

/** The content type of JSON. */
export const JSON_UTF8 = "application/json; charset=utf-8";

/** The response of `proxyHandler()` to a request, and the records that were logged meanwhile. */
export async function answer(
  route: unknown,
  given: { event?: unknown; options?: ProxyHandlerOptions<ProxyResult> } = {},
): Promise<{ result: HttpResponse; records: CapturedRecord[] }> {
  const { event, options } = { event: request(), ...given };
  return await captureLog(() => proxyHandler(route as ProxyRoute, options)(event, context("id-1")));
}
