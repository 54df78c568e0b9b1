import type { FnContext } from "../function/context.ts";
import { logger, withRequestId } from "../logger/mod.ts";
import type { HttpRequest } from "./http_request.ts";
import { ACCOUNT_ID, randomDigits, REGION } from "./identifiers.ts";
import { type Gateway, proxyEvent, type ProxyEventOptions } from "./proxy_event.ts";
import { proxyResponse } from "./proxy_response.ts";
import { isStreamed, toStreamedResponse } from "./streamed_response.ts";

/** Options of {@linkcode call}. */
export interface CallOptions<Name extends Gateway = Gateway> extends ProxyEventOptions<Name> {
  /** The members of the context that the test cares about. */
  readonly context?: Partial<FnContext>;
}

/**
 * Calls an HTTP handler as a gateway does: makes the event, calls the handler, and makes the response of the gateway.
 *
 * - If the handler throws, the error is logged. The response is 502, but 500 for an HTTP API.
 * - For payload format 2.0, a result without `statusCode` is sent as JSON with status 200.
 * - A stream is streamed, as by a function URL.
 * - The response to HEAD has no body (RFC 9110 §9.3.2).
 *
 * @typeParam Name The gateway.
 * @param handler The handler.
 * @param request A standard `Request`, or its parts.
 * @param options The gateway, the facts of the event, and the context.
 * @returns The response.
 * @throws {TypeError} If the request has no URL of HTTP, its body is neither text nor bytes, or the gateway cannot make a
 * response from the result.
 * @throws {SyntaxError} If `isBase64Encoded` of the result is true and its body is not base64.
 *
 * @example Test a handler behind a function URL
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { HttpNotFoundError, proxyHandler } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * const handler = proxyHandler(() => {
 *   throw new HttpNotFoundError("There is no such order");
 * });
 *
 * const response = await call(handler, { url: "/orders/7" }, { gateway: "url" });
 * assertEquals(response.status, 404);
 * assertEquals(await response.json(), { Message: "There is no such order" });
 * ```
 */
export async function call<Name extends Gateway = "rest">(
  // deno-lint-ignore no-explicit-any -- handlers type their events and contexts differently
  handler: (event: any, context: any, callback?: any) => unknown,
  request: HttpRequest,
  options: CallOptions<Name> = {},
): Promise<Response> {
  const { context: init, ...eventOptions } = options;
  const event = await proxyEvent<Name>(request, eventOptions as ProxyEventOptions<Name>);
  const response = await answer(handler, event, createContext(init), options);
  if (request.method?.toUpperCase() !== "HEAD") return response;
  await response.body?.cancel();
  return new Response(null, response);
}

async function answer(
  handler: (event: unknown, context: FnContext) => unknown,
  event: unknown,
  context: FnContext,
  { gateway = "rest", multiValueHeaders = false }: CallOptions,
): Promise<Response> {
  let result: unknown;
  try {
    result = await withRequestId(context.awsRequestId, async () => await handler(event, context));
    if (isStreamed(result)) return await toStreamedResponse(result);
  } catch (error) {
    logger.error("The handler failed", error);
    const status = gateway === "http" ? 500 : 502;
    return Response.json({ message: "Internal server error" }, { status });
  }
  return proxyResponse(result, { gateway, multiValueHeaders });
}

/**
 * Makes the context of one invocation, the second argument of a handler.
 *
 * @param init The members that the test cares about. All other members have realistic values.
 * @returns The context. By default, the remaining time starts at 30 seconds and decreases.
 *
 * @example Test what a handler does shortly before its end
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createContext } from "@mate/core/testing";
 *
 * const context = createContext({ getRemainingTimeInMillis: () => 50 });
 * assertEquals([context.getRemainingTimeInMillis(), context.functionName], [50, "function"]);
 * ```
 */
export function createContext(init: Partial<FnContext> = {}): FnContext {
  const { functionName = "function", functionVersion = "$LATEST" } = init;
  const deadline = Date.now() + 30_000;
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "/");
  return {
    awsRequestId: crypto.randomUUID(),
    functionName,
    functionVersion,
    invokedFunctionArn: `arn:aws:lambda:${REGION}:${ACCOUNT_ID}:function:${functionName}`,
    memoryLimitInMB: "128",
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: `${day}/[${functionVersion}]${randomDigits(32)}`,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    ...init,
  };
}
