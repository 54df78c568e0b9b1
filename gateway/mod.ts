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
export {
  buildHttpClientErrorResponse,
  buildHttpServerErrorResponse,
  type ErrorResponseOptions,
  type ServerErrorResponseOptions,
} from "./error_response.ts";
export { HttpClientError, HttpError, HttpServerError } from "./http_error.ts";
export { IpAddress } from "./ip_address.ts";
export { jsonTransformer } from "./json_transformer.ts";
export { MalformedPayloadError } from "./malformed_payload_error.ts";
export { isBinary } from "./media_type.ts";
export { determineContentType, type NegotiationOptions } from "./negotiation.ts";
export type { Preference } from "./preferences.ts";
export { FnProxyEvent } from "./proxy_event.ts";
export {
  buildHttpResponse,
  type HttpResponse,
  type ResponseOptions,
  type Transformed,
} from "./response.ts";
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
export {
  type CustomTransformers,
  type SimpleMessage,
  simpleMessage,
  type Transformer,
} from "./transformer.ts";
