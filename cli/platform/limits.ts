/**
 * The limits of the platform, in bytes and milliseconds.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 * @module
 */

/** The largest body of a request that the HTTP gateway takes. */
export const MAX_REQUEST_BODY = 10_485_760;

/** The largest event of a synchronous invocation. */
export const MAX_SYNC_EVENT = 6_291_456;

/** The largest event of an asynchronous invocation. */
export const MAX_ASYNC_EVENT = 1_048_576;

/** The largest result of a function: 100 bytes more than an event may have. */
export const MAX_RESULT = 6_291_556;

/** How long the HTTP gateway waits for a function. */
export const GATEWAY_TIMEOUT = 29_000;
