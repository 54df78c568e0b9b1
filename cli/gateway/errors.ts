import { MAX_HEADERS, MAX_REQUEST_BODY } from "../rules/limits.ts";
import { Refusal, type Reply, reply } from "../lambda/http.ts";

const NOT_AUTHORIZED = "User is not authorized to access this resource";
const INTERNAL_ERROR = ["InternalServerError", '{"message": "Internal server error"}'] as const;
const NO_MESSAGE = '{"message":null}';

/**
 * The answers that the gateway makes without a function: status, error type without `Exception`, and text of the body.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const ANSWERS = {
  ACCESS_DENIED: [403, "AccessDenied", `{"Message":"${NOT_AUTHORIZED}"}`],
  EXPLICIT_DENY: [403, "AccessDenied", `{"Message":"${NOT_AUTHORIZED} with an explicit deny"}`],
  AUTHORIZER_CONFIGURATION_ERROR: [500, "AuthorizerConfiguration", NO_MESSAGE],
  AUTHORIZER_FAILURE: [500, "AuthorizerFailure", NO_MESSAGE],
  API_CONFIGURATION_ERROR: [500, ...INTERNAL_ERROR],
  BAD_REQUEST: [400, "BadRequest", '{"message": "Bad Request"}'],
  // The documentation names no status. RFC 6585 defines 431 for this case.
  HEADERS_TOO_LARGE: [
    431,
    "RequestTooLarge",
    `{"message":"HTTP header is larger than ${MAX_HEADERS} bytes."}`,
  ],
  INTEGRATION_FAILURE: [502, ...INTERNAL_ERROR],
  INTEGRATION_TIMEOUT: [504, "InternalServerError", '{"message": "Endpoint request timed out"}'],
  MISSING_AUTHENTICATION_TOKEN: [
    403,
    "MissingAuthenticationToken",
    '{"message":"Missing Authentication Token"}',
  ],
  REQUEST_TOO_LARGE: [
    413,
    "RequestTooLarge",
    `{"message":"HTTP content length exceeded ${MAX_REQUEST_BODY} bytes."}`,
  ],
  REQUEST_TOO_LONG: [413, "RequestTooLarge", '{"message":"Request Too Long"}'],
  UNAUTHORIZED: [401, "Unauthorized", '{"message":"Unauthorized"}'],
} as const;

/** Makes the refusal of a request. The reason goes to the log, not to the client. */
export function gatewayRefusal(answer: keyof typeof ANSWERS, reason: string): Refusal {
  const [status, type, body] = ANSWERS[answer];
  const headers = [
    ["Content-Type", "application/json"],
    ["x-amzn-ErrorType", `${type}Exception`],
  ] as const;
  return new Refusal(reply(status, headers, body), reason);
}

/** Makes the CORS fields of the answers that the gateway makes without a function. */
export function corsFields(origin: string): Reply["headers"] {
  const fields = [["Access-Control-Allow-Origin", origin]] as const;
  return origin === "*" ? fields : [...fields, ["Access-Control-Allow-Credentials", "true"]];
}
