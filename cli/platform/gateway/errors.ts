import { Buffer } from "node:buffer";

/** An HTTP response, ready to be sent. */
export interface HttpResponse {
  /** The status code. */
  readonly status: number;
  /** The headers; a name may be repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body. */
  readonly body: Uint8Array;
}

/**
 * What the gateway answers itself: its status, its error type, and the exact text of its body.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const ANSWERS = {
  API_CONFIGURATION_ERROR: [
    500,
    "InternalServerErrorException",
    '{"message": "Internal server error"}',
  ],
  BAD_REQUEST: [400, "BadRequestException", '{"message": "Bad Request"}'],
  // Its status is RFC 6585's: the documentation names none.
  HEADERS_TOO_LARGE: [
    431,
    "RequestTooLargeException",
    '{"message":"HTTP header is larger than 10240 bytes."}',
  ],
  INTEGRATION_FAILURE: [
    502,
    "InternalServerErrorException",
    '{"message": "Internal server error"}',
  ],
  INTEGRATION_TIMEOUT: [
    504,
    "InternalServerErrorException",
    '{"message": "Endpoint request timed out"}',
  ],
  MISSING_AUTHENTICATION_TOKEN: [
    403,
    "MissingAuthenticationTokenException",
    '{"message":"Missing Authentication Token"}',
  ],
  REQUEST_TOO_LARGE: [
    413,
    "RequestTooLargeException",
    '{"message":"HTTP content length exceeded 10485760 bytes."}',
  ],
  REQUEST_TOO_LONG: [413, "RequestTooLargeException", '{"message":"Request Too Long"}'],
} as const;

/** A request that the gateway answers itself. */
export class GatewayError extends Error {
  static {
    this.prototype.name = "GatewayError";
  }

  readonly #answer: keyof typeof ANSWERS;

  /**
   * Makes the error.
   *
   * @param answer What is answered.
   * @param reason Why, for the log; the client does not see it.
   */
  constructor(answer: keyof typeof ANSWERS, reason: string) {
    super(reason);
    this.#answer = answer;
  }

  /** The status code of the answer. */
  get status(): number {
    return ANSWERS[this.#answer][0];
  }

  /** The answer; any origin may read it, as it may in the deployed API. */
  toResponse(): HttpResponse {
    const [status, type, body] = ANSWERS[this.#answer];
    return {
      status,
      headers: [
        ["Content-Type", "application/json"],
        ["x-amzn-ErrorType", type],
        ["Access-Control-Allow-Origin", "*"],
      ],
      body: Buffer.from(body),
    };
  }
}
