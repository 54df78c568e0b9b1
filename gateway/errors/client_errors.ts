import { HttpClientError } from "./http_error.ts";

/** 400 Bad Request: the request is malformed (RFC 9110 §15.5.1). */
export class HttpBadRequestError extends HttpClientError {
  static {
    this.prototype.name = "HttpBadRequestError";
  }
  /** Makes the error; a `message` omitted or empty is "Bad Request". */
  constructor(message?: string, options?: ErrorOptions) {
    super(400, message || "Bad Request", options);
  }
}

/** 401 Unauthorized: valid credentials are missing; the response must carry `WWW-Authenticate` (RFC 9110 §15.5.2). */
export class HttpUnauthorizedError extends HttpClientError {
  static {
    this.prototype.name = "HttpUnauthorizedError";
  }
  /** Makes the error; a `message` omitted or empty is "Unauthorized". */
  constructor(message?: string, options?: ErrorOptions) {
    super(401, message || "Unauthorized", options);
  }
}

/** 402 Payment Required: reserved for payments (RFC 9110 §15.5.3). */
export class HttpPaymentRequiredError extends HttpClientError {
  static {
    this.prototype.name = "HttpPaymentRequiredError";
  }
  /** Makes the error; a `message` omitted or empty is "Payment Required". */
  constructor(message?: string, options?: ErrorOptions) {
    super(402, message || "Payment Required", options);
  }
}

/** 403 Forbidden: the request is understood, and refused (RFC 9110 §15.5.4). */
export class HttpForbiddenError extends HttpClientError {
  static {
    this.prototype.name = "HttpForbiddenError";
  }
  /** Makes the error; a `message` omitted or empty is "Forbidden". */
  constructor(message?: string, options?: ErrorOptions) {
    super(403, message || "Forbidden", options);
  }
}

/** 404 Not Found: there is no such resource, or none to be disclosed (RFC 9110 §15.5.5). */
export class HttpNotFoundError extends HttpClientError {
  static {
    this.prototype.name = "HttpNotFoundError";
  }
  /** Makes the error; a `message` omitted or empty is "Not Found". */
  constructor(message?: string, options?: ErrorOptions) {
    super(404, message || "Not Found", options);
  }
}

/** 405 Method Not Allowed: the resource does not support the method; the response must carry `Allow` (RFC 9110 §15.5.6). */
export class HttpMethodNotAllowedError extends HttpClientError {
  static {
    this.prototype.name = "HttpMethodNotAllowedError";
  }
  /** Makes the error; a `message` omitted or empty is "Method Not Allowed". */
  constructor(message?: string, options?: ErrorOptions) {
    super(405, message || "Method Not Allowed", options);
  }
}

/** 406 Not Acceptable: no representation is acceptable to the client (RFC 9110 §15.5.7). */
export class HttpNotAcceptableError extends HttpClientError {
  static {
    this.prototype.name = "HttpNotAcceptableError";
  }
  /** Makes the error; a `message` omitted or empty is "Not Acceptable". */
  constructor(message?: string, options?: ErrorOptions) {
    super(406, message || "Not Acceptable", options);
  }
}

/**
 * 407 Proxy Authentication Required: the proxy wants credentials; the response must carry `Proxy-Authenticate`
 * (RFC 9110 §15.5.8).
 */
export class HttpProxyAuthenticationRequiredError extends HttpClientError {
  static {
    this.prototype.name = "HttpProxyAuthenticationRequiredError";
  }
  /** Makes the error; a `message` omitted or empty is "Proxy Authentication Required". */
  constructor(message?: string, options?: ErrorOptions) {
    super(407, message || "Proxy Authentication Required", options);
  }
}

/** 408 Request Timeout: the request did not arrive in time (RFC 9110 §15.5.9). */
export class HttpRequestTimeoutError extends HttpClientError {
  static {
    this.prototype.name = "HttpRequestTimeoutError";
  }
  /** Makes the error; a `message` omitted or empty is "Request Timeout". */
  constructor(message?: string, options?: ErrorOptions) {
    super(408, message || "Request Timeout", options);
  }
}

/** 409 Conflict: the request conflicts with the state of the resource (RFC 9110 §15.5.10). */
export class HttpConflictError extends HttpClientError {
  static {
    this.prototype.name = "HttpConflictError";
  }
  /** Makes the error; a `message` omitted or empty is "Conflict". */
  constructor(message?: string, options?: ErrorOptions) {
    super(409, message || "Conflict", options);
  }
}

/** 410 Gone: the resource was removed for good (RFC 9110 §15.5.11). */
export class HttpGoneError extends HttpClientError {
  static {
    this.prototype.name = "HttpGoneError";
  }
  /** Makes the error; a `message` omitted or empty is "Gone". */
  constructor(message?: string, options?: ErrorOptions) {
    super(410, message || "Gone", options);
  }
}

/** 411 Length Required: the request lacks `Content-Length` (RFC 9110 §15.5.12). */
export class HttpLengthRequiredError extends HttpClientError {
  static {
    this.prototype.name = "HttpLengthRequiredError";
  }
  /** Makes the error; a `message` omitted or empty is "Length Required". */
  constructor(message?: string, options?: ErrorOptions) {
    super(411, message || "Length Required", options);
  }
}

/** 412 Precondition Failed: a precondition of the request does not hold (RFC 9110 §15.5.13). */
export class HttpPreconditionFailedError extends HttpClientError {
  static {
    this.prototype.name = "HttpPreconditionFailedError";
  }
  /** Makes the error; a `message` omitted or empty is "Precondition Failed". */
  constructor(message?: string, options?: ErrorOptions) {
    super(412, message || "Precondition Failed", options);
  }
}

/** 413 Content Too Large: the content of the request is too large (RFC 9110 §15.5.14). */
export class HttpRequestEntityTooLargeError extends HttpClientError {
  static {
    this.prototype.name = "HttpRequestEntityTooLargeError";
  }
  /** Makes the error; a `message` omitted or empty is "Content Too Large". */
  constructor(message?: string, options?: ErrorOptions) {
    super(413, message || "Content Too Large", options);
  }
}

/** 414 URI Too Long: the target of the request is too long (RFC 9110 §15.5.15). */
export class HttpRequestUriTooLongError extends HttpClientError {
  static {
    this.prototype.name = "HttpRequestUriTooLongError";
  }
  /** Makes the error; a `message` omitted or empty is "URI Too Long". */
  constructor(message?: string, options?: ErrorOptions) {
    super(414, message || "URI Too Long", options);
  }
}

/** 415 Unsupported Media Type: the content of the request is of a type that is not supported (RFC 9110 §15.5.16). */
export class HttpUnsupportedMediaTypeError extends HttpClientError {
  static {
    this.prototype.name = "HttpUnsupportedMediaTypeError";
  }
  /** Makes the error; a `message` omitted or empty is "Unsupported Media Type". */
  constructor(message?: string, options?: ErrorOptions) {
    super(415, message || "Unsupported Media Type", options);
  }
}

/** 416 Range Not Satisfiable: none of the ranges asked for exists (RFC 9110 §15.5.17). */
export class HttpRequestRangeNotSatisfiableError extends HttpClientError {
  static {
    this.prototype.name = "HttpRequestRangeNotSatisfiableError";
  }
  /** Makes the error; a `message` omitted or empty is "Range Not Satisfiable". */
  constructor(message?: string, options?: ErrorOptions) {
    super(416, message || "Range Not Satisfiable", options);
  }
}

/** 417 Expectation Failed: the expectation in `Expect` cannot be met (RFC 9110 §15.5.18). */
export class HttpExpectationFailedError extends HttpClientError {
  static {
    this.prototype.name = "HttpExpectationFailedError";
  }
  /** Makes the error; a `message` omitted or empty is "Expectation Failed". */
  constructor(message?: string, options?: ErrorOptions) {
    super(417, message || "Expectation Failed", options);
  }
}

/** 421 Misdirected Request: the request was meant for another server (RFC 9110 §15.5.20). */
export class HttpMisdirectedRequestError extends HttpClientError {
  static {
    this.prototype.name = "HttpMisdirectedRequestError";
  }
  /** Makes the error; a `message` omitted or empty is "Misdirected Request". */
  constructor(message?: string, options?: ErrorOptions) {
    super(421, message || "Misdirected Request", options);
  }
}

/** 422 Unprocessable Content: the content is well-formed and makes no sense (RFC 9110 §15.5.21). */
export class HttpUnprocessableEntityError extends HttpClientError {
  static {
    this.prototype.name = "HttpUnprocessableEntityError";
  }
  /** Makes the error; a `message` omitted or empty is "Unprocessable Content". */
  constructor(message?: string, options?: ErrorOptions) {
    super(422, message || "Unprocessable Content", options);
  }
}

/** 423 Locked: the resource is locked (RFC 4918 §11.3). */
export class HttpLockedError extends HttpClientError {
  static {
    this.prototype.name = "HttpLockedError";
  }
  /** Makes the error; a `message` omitted or empty is "Locked". */
  constructor(message?: string, options?: ErrorOptions) {
    super(423, message || "Locked", options);
  }
}

/** 424 Failed Dependency: an action that this one depends on failed (RFC 4918 §11.4). */
export class HttpFailedDependencyError extends HttpClientError {
  static {
    this.prototype.name = "HttpFailedDependencyError";
  }
  /** Makes the error; a `message` omitted or empty is "Failed Dependency". */
  constructor(message?: string, options?: ErrorOptions) {
    super(424, message || "Failed Dependency", options);
  }
}

/** 426 Upgrade Required: the server wants another protocol; the response must carry `Upgrade` (RFC 9110 §15.5.22). */
export class HttpUpgradeRequiredError extends HttpClientError {
  static {
    this.prototype.name = "HttpUpgradeRequiredError";
  }
  /** Makes the error; a `message` omitted or empty is "Upgrade Required". */
  constructor(message?: string, options?: ErrorOptions) {
    super(426, message || "Upgrade Required", options);
  }
}

/** 428 Precondition Required: the request must be conditional (RFC 6585 §3). */
export class HttpPreconditionRequiredError extends HttpClientError {
  static {
    this.prototype.name = "HttpPreconditionRequiredError";
  }
  /** Makes the error; a `message` omitted or empty is "Precondition Required". */
  constructor(message?: string, options?: ErrorOptions) {
    super(428, message || "Precondition Required", options);
  }
}

/** 429 Too Many Requests: the client sent too many requests; the response may carry `Retry-After` (RFC 6585 §4). */
export class HttpTooManyRequestsError extends HttpClientError {
  static {
    this.prototype.name = "HttpTooManyRequestsError";
  }
  /** Makes the error; a `message` omitted or empty is "Too Many Requests". */
  constructor(message?: string, options?: ErrorOptions) {
    super(429, message || "Too Many Requests", options);
  }
}

/** 431 Request Header Fields Too Large: the header fields of the request are too large (RFC 6585 §5). */
export class HttpRequestHeaderFieldsTooLargeError extends HttpClientError {
  static {
    this.prototype.name = "HttpRequestHeaderFieldsTooLargeError";
  }
  /** Makes the error; a `message` omitted or empty is "Request Header Fields Too Large". */
  constructor(message?: string, options?: ErrorOptions) {
    super(431, message || "Request Header Fields Too Large", options);
  }
}
