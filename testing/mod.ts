/**
 * Tools for tests of functions on AWS Lambda. They call HTTP handlers, capture the log, and make the exact events of
 * Amazon API Gateway, Lambda function URLs, Application Load Balancers, Amazon VPC Lattice, Amazon EventBridge, Amazon S3,
 * Amazon SNS and Amazon SQS.
 *
 * The module works with any test runner, on Deno, Node.js and Bun.
 *
 * @example Test a handler in three lines
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { proxyHandler } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * const handler = proxyHandler((event) => ({ hello: event.queryValues("name")[0] }));
 *
 * const response = await call(handler, new Request("https://api.example.com/?name=Ada"));
 * assertEquals(response.status, 200);
 * assertEquals(await response.json(), { hello: "Ada" });
 * ```
 *
 * @module
 */
export type { AlbEvent, LatticeEvent } from "./balancer_event.ts";
export * from "./call.ts";
export * from "./capture_log.ts";
export type { HttpAuthorizer, HttpEvent } from "./http_event.ts";
export type { HttpFacts } from "./http_facts.ts";
export type { HttpRequest, HttpRequestInit } from "./http_request.ts";
export * from "./message_event.ts";
export * from "./notification_event.ts";
export * from "./proxy_event.ts";
export * from "./proxy_response.ts";
export * from "./queue_event.ts";
export type { RestEvent } from "./rest_event.ts";
export * from "./scheduled_event.ts";
