/**
 * HTTP functions behind a gateway: validated accessors to the event of a request, weighted preferences,
 * content negotiation, responses, errors, and a handler that puts them together.
 *
 * @module
 */
export {
  HttpBadRequestError,
  HttpConflictError,
  HttpExpectationFailedError,
  HttpFailedDependencyError,
  HttpForbiddenError,
  HttpGoneError,
  HttpLengthRequiredError,
  HttpLockedError,
  HttpMethodNotAllowedError,
  HttpMisdirectedRequestError,
  HttpNotAcceptableError,
  HttpNotFoundError,
  HttpPaymentRequiredError,
  HttpPreconditionFailedError,
  HttpPreconditionRequiredError,
  HttpProxyAuthenticationRequiredError,
  HttpRequestEntityTooLargeError,
  HttpRequestHeaderFieldsTooLargeError,
  HttpRequestRangeNotSatisfiableError,
  HttpRequestTimeoutError,
  HttpRequestUriTooLongError,
  HttpTooManyRequestsError,
  HttpUnauthorizedError,
  HttpUnprocessableEntityError,
  HttpUnsupportedMediaTypeError,
  HttpUpgradeRequiredError,
} from "./client_errors.ts";
export { HttpClientError, HttpError, HttpServerError } from "./http_error.ts";
export { IpAddress } from "./ip_address.ts";
export { MalformedPayloadError } from "./malformed_payload_error.ts";
export { FnProxyEvent } from "./proxy_event.ts";
export {
  HttpBadGatewayError,
  HttpGatewayTimeoutError,
  HttpInsufficientStorageError,
  HttpInternalServerError,
  HttpLoopDetectedError,
  HttpNetworkAuthenticationRequiredError,
  HttpNotExtendedError,
  HttpNotImplementedError,
  HttpServiceUnavailableError,
  HttpVarianteAlsoNegociatesError,
  HttpVersionNotSupportedError,
} from "./server_errors.ts";
