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

/** The largest result of a function. It is 100 bytes more than the largest event. */
export const MAX_RESULT = 6_291_556;

/** The largest streamed result of a function. */
export const MAX_STREAM = 209_715_200;

/** The largest message of Amazon SNS, with its attributes. */
export const MAX_PUBLICATION = 262_144;

/** The size of the end of a log that the caller of a function gets. */
export const LOG_TAIL = 4_096;

/** The time after which Amazon API Gateway stops waiting for a function. */
export const GATEWAY_TIMEOUT = 29_000;
