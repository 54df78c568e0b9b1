/**
 * Validated accessors for the events that serverless functions on AWS Lambda receive, responses for those
 * behind an HTTP gateway, and their log.
 *
 * Everything of the modules `function`, `gateway`, `scheduler`, `storage`, `topic`, `queue` and `logger`, each of which
 * is an entry point of its own as well. Importing has no side effect and needs no permission.
 *
 * @example A function behind an HTTP gateway
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { proxyHandler } from "@mate/core";
 * import { call } from "@mate/core/testing";
 *
 * export const handler = proxyHandler((event) => ({ path: event.queryPath() }));
 *
 * const response = await call(handler, { url: "/v0/tea" });
 * assertEquals(await response.json(), { path: ["v0", "tea"] });
 * ```
 *
 * @module
 */
export * from "./function/mod.ts";
export * from "./gateway/mod.ts";
export * from "./logger/mod.ts";
export * from "./queue/mod.ts";
export * from "./scheduler/mod.ts";
export * from "./storage/mod.ts";
export * from "./topic/mod.ts";
