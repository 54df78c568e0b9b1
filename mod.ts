/**
 * Validated accessors for the events that serverless functions on AWS Lambda receive, responses for those
 * behind an HTTP gateway, and their log.
 *
 * Everything of the modules `function`, `gateway`, `scheduler`, `storage`, `topic` and `logger`, each of which
 * is an entry point of its own as well. Importing has no side effect and needs no permission.
 *
 * @example A function behind an HTTP gateway
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { type FnHandler, type FnProxyEvent, proxyHandler } from "@mate/core";
 *
 * export const handler: FnHandler = proxyHandler((event: FnProxyEvent) => ({
 *   path: event.queryPath(),
 * }));
 *
 * const event = { headers: {}, requestContext: { path: "/v0/tea" } };
 * const response = await handler(event, { awsRequestId: "8f5e" } as never);
 * assertEquals((response as { statusCode: number }).statusCode, 200);
 * ```
 *
 * @module
 */
export * from "./function/mod.ts";
export * from "./gateway/mod.ts";
export * from "./logger/mod.ts";
export * from "./scheduler/mod.ts";
export * from "./storage/mod.ts";
export * from "./topic/mod.ts";
