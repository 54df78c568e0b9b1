import { HttpClientError, type HttpErrorOptions, setName } from "./http_error.ts";

/** 400 Bad Request: the request is malformed (RFC 9110 §15.5.1). */
export class HttpBadRequestError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Bad Request". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(400, message || "Bad Request", options);
    setName(this, "HttpBadRequestError");
  }
}

/** 401 Unauthorized: valid credentials are missing. Set the `WWW-Authenticate` header (RFC 9110 §15.5.2). */
export class HttpUnauthorizedError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Unauthorized". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(401, message || "Unauthorized", options);
    setName(this, "HttpUnauthorizedError");
  }
}

/** 402 Payment Required: reserved for payments (RFC 9110 §15.5.3). */
export class HttpPaymentRequiredError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Payment Required". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(402, message || "Payment Required", options);
    setName(this, "HttpPaymentRequiredError");
  }
}

/** 403 Forbidden: the server understands the request and refuses it (RFC 9110 §15.5.4). */
export class HttpForbiddenError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Forbidden". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(403, message || "Forbidden", options);
    setName(this, "HttpForbiddenError");
  }
}

/** 404 Not Found: the resource does not exist, or the server does not disclose it (RFC 9110 §15.5.5). */
export class HttpNotFoundError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Not Found". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(404, message || "Not Found", options);
    setName(this, "HttpNotFoundError");
  }
}

/** 405 Method Not Allowed: the resource does not support the method. Set the `Allow` header (RFC 9110 §15.5.6). */
export class HttpMethodNotAllowedError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Method Not Allowed". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(405, message || "Method Not Allowed", options);
    setName(this, "HttpMethodNotAllowedError");
  }
}

/** 406 Not Acceptable: the client accepts none of the available types (RFC 9110 §15.5.7). */
export class HttpNotAcceptableError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Not Acceptable". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(406, message || "Not Acceptable", options);
    setName(this, "HttpNotAcceptableError");
  }
}

/** 407 Proxy Authentication Required: the proxy needs credentials. Set the `Proxy-Authenticate` header (RFC 9110 §15.5.8). */
export class HttpProxyAuthenticationRequiredError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Proxy Authentication Required". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(407, message || "Proxy Authentication Required", options);
    setName(this, "HttpProxyAuthenticationRequiredError");
  }
}

/** 408 Request Timeout: the request did not arrive in time (RFC 9110 §15.5.9). */
export class HttpRequestTimeoutError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Request Timeout". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(408, message || "Request Timeout", options);
    setName(this, "HttpRequestTimeoutError");
  }
}

/** 409 Conflict: the request conflicts with the state of the resource (RFC 9110 §15.5.10). */
export class HttpConflictError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Conflict". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(409, message || "Conflict", options);
    setName(this, "HttpConflictError");
  }
}

/** 410 Gone: the resource was removed for good (RFC 9110 §15.5.11). */
export class HttpGoneError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Gone". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(410, message || "Gone", options);
    setName(this, "HttpGoneError");
  }
}

/** 411 Length Required: the request has no `Content-Length` (RFC 9110 §15.5.12). */
export class HttpLengthRequiredError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Length Required". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(411, message || "Length Required", options);
    setName(this, "HttpLengthRequiredError");
  }
}

/** 412 Precondition Failed: a precondition of the request is false (RFC 9110 §15.5.13). */
export class HttpPreconditionFailedError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Precondition Failed". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(412, message || "Precondition Failed", options);
    setName(this, "HttpPreconditionFailedError");
  }
}

/** 413 Content Too Large: the content of the request is too large (RFC 9110 §15.5.14). */
export class HttpRequestEntityTooLargeError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Content Too Large". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(413, message || "Content Too Large", options);
    setName(this, "HttpRequestEntityTooLargeError");
  }
}

/** 414 URI Too Long: the URI of the request is too long (RFC 9110 §15.5.15). */
export class HttpRequestUriTooLongError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "URI Too Long". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(414, message || "URI Too Long", options);
    setName(this, "HttpRequestUriTooLongError");
  }
}

/** 415 Unsupported Media Type: the server does not read content of this type (RFC 9110 §15.5.16). */
export class HttpUnsupportedMediaTypeError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Unsupported Media Type". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(415, message || "Unsupported Media Type", options);
    setName(this, "HttpUnsupportedMediaTypeError");
  }
}

/** 416 Range Not Satisfiable: the resource has none of the requested ranges (RFC 9110 §15.5.17). */
export class HttpRequestRangeNotSatisfiableError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Range Not Satisfiable". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(416, message || "Range Not Satisfiable", options);
    setName(this, "HttpRequestRangeNotSatisfiableError");
  }
}

/** 417 Expectation Failed: the server cannot meet the expectation in `Expect` (RFC 9110 §15.5.18). */
export class HttpExpectationFailedError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Expectation Failed". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(417, message || "Expectation Failed", options);
    setName(this, "HttpExpectationFailedError");
  }
}

/** 421 Misdirected Request: the request was meant for another server (RFC 9110 §15.5.20). */
export class HttpMisdirectedRequestError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Misdirected Request". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(421, message || "Misdirected Request", options);
    setName(this, "HttpMisdirectedRequestError");
  }
}

/** 422 Unprocessable Content: the content has the right type but a wrong meaning (RFC 9110 §15.5.21). */
export class HttpUnprocessableEntityError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Unprocessable Content". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(422, message || "Unprocessable Content", options);
    setName(this, "HttpUnprocessableEntityError");
  }
}

/** 423 Locked: the resource is locked (RFC 4918 §11.3). */
export class HttpLockedError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Locked". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(423, message || "Locked", options);
    setName(this, "HttpLockedError");
  }
}

/** 424 Failed Dependency: another request that this request depends on failed (RFC 4918 §11.4). */
export class HttpFailedDependencyError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Failed Dependency". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(424, message || "Failed Dependency", options);
    setName(this, "HttpFailedDependencyError");
  }
}

/** 426 Upgrade Required: the client must use another protocol. Set the `Upgrade` header (RFC 9110 §15.5.22). */
export class HttpUpgradeRequiredError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Upgrade Required". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(426, message || "Upgrade Required", options);
    setName(this, "HttpUpgradeRequiredError");
  }
}

/** 428 Precondition Required: the request must have a precondition, such as `If-Match` (RFC 6585 §3). */
export class HttpPreconditionRequiredError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Precondition Required". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(428, message || "Precondition Required", options);
    setName(this, "HttpPreconditionRequiredError");
  }
}

/** 429 Too Many Requests: the client sent too many requests. `Retry-After` can say when to go on (RFC 6585 §4). */
export class HttpTooManyRequestsError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Too Many Requests". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(429, message || "Too Many Requests", options);
    setName(this, "HttpTooManyRequestsError");
  }
}

/** 431 Request Header Fields Too Large: the header fields of the request are too large (RFC 6585 §5). */
export class HttpRequestHeaderFieldsTooLargeError extends HttpClientError {
  /** Makes the error. Without a `message`, the message is "Request Header Fields Too Large". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(431, message || "Request Header Fields Too Large", options);
    setName(this, "HttpRequestHeaderFieldsTooLargeError");
  }
}
