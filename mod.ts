/**
 * Validated accessors for the events that serverless functions on AWS Lambda receive, responses for the functions
 * behind an HTTP gateway, and the log of the functions.
 *
 * This entry point exports everything of the modules `function`, `gateway`, `scheduler`, `storage`, `topic`, `queue` and
 * `logger`. Each of these modules is an entry point too. An import has no side effect and needs no permission.
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
