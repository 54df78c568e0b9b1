/**
 * The limits of the services, in bytes and milliseconds.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 * @module
 */

/** The largest body of a request to Amazon API Gateway. */
export const MAX_REQUEST_BODY = 10_485_760;

/** The largest header section of a request to Amazon API Gateway. */
export const MAX_HEADERS = 10_240;

/** The largest event of a synchronous invocation. */
export const MAX_SYNC_EVENT = 6_291_456;

/** The largest event of an asynchronous invocation. */
export const MAX_ASYNC_EVENT = 1_048_576;

/** The largest result of a function: 100 bytes more than an event may have. */
export const MAX_RESULT = 6_291_556;

/** The largest result of a function that streams it. */
export const MAX_STREAM = 209_715_200;

/** The largest message of Amazon SNS, its attributes included. */
export const MAX_PUBLICATION = 262_144;

/** The end of a log that is returned to the caller of a function. */
export const LOG_TAIL = 4_096;

/** How long Amazon API Gateway waits for a function. */
export const GATEWAY_TIMEOUT = 29_000;
