/**
 * The log of a function, as the platform takes it: one call, one record, as text or as JSON, with the id of
 * the request under way.
 *
 * Nothing is configured: format and level are those the platform sets for the function
 * (`AWS_LAMBDA_LOG_FORMAT`, `AWS_LAMBDA_LOG_LEVEL`).
 *
 * @example Logging from a handler
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { logger, withRequestId } from "@mate/core/logger";
 *
 * const handler = (event: { item: string }, context: { awsRequestId: string }): string =>
 *   withRequestId(context.awsRequestId, () => {
 *     logger.info("Ordered", event);
 *     return "done";
 *   });
 *
 * assertEquals(handler({ item: "tea" }, { awsRequestId: "8f5e" }), "done");
 * ```
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
 * @module
 */
export { logInternalError } from "./internal_error.ts";
export type { LogLevel } from "./level.ts";
export { type Logger, logger, type LogMethod } from "./logger.ts";
export { withRequestId } from "./request_id.ts";
