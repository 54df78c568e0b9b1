/**
 * The log of a function on AWS Lambda: one call writes one record to Amazon CloudWatch Logs, as text or as JSON,
 * with the id of the request.
 *
 * Nothing needs to be configured. The logger reads the format and the level that AWS Lambda sets for the function
 * (`AWS_LAMBDA_LOG_FORMAT`, `AWS_LAMBDA_LOG_LEVEL`).
 *
 * @example Log from a handler
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
export * from "./logger.ts";
export type {
  /** The options of a metric: unit, dimensions and namespace. */
  MetricOptions,
  /** A unit of Amazon CloudWatch metrics. */
  MetricUnit,
} from "./metric.ts";
export {
  /** Writes one record of level FATAL for an error that is the function's own fault. */
  logInternalError,
} from "./record.ts";
export {
  /** Runs a function, and gives a request id to all its records. */
  withRequestId,
} from "./request_id.ts";
export type {
  /** The name of a level, as in the platform's log. */
  LogLevel,
} from "./state.ts";
