import { type HttpErrorOptions, HttpServerError, setName } from "./http_error.ts";

/** 500 Internal Server Error: something unexpected happened (RFC 9110 §15.6.1). */
export class HttpInternalServerError extends HttpServerError {
  /** Makes the error. Without a `message`, the message is "Internal Server Error". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(500, message || "Internal Server Error", options);
    setName(this, "HttpInternalServerError");
  }
}

/** 501 Not Implemented: the server cannot do what the request needs (RFC 9110 §15.6.2). */
export class HttpNotImplementedError extends HttpServerError {
  /** Makes the error. Without a `message`, the message is "Not Implemented". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(501, message || "Not Implemented", options);
    setName(this, "HttpNotImplementedError");
  }
}

/** 502 Bad Gateway: the server behind this server sent an invalid response (RFC 9110 §15.6.3). */
export class HttpBadGatewayError extends HttpServerError {
  /** Makes the error. Without a `message`, the message is "Bad Gateway". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(502, message || "Bad Gateway", options);
    setName(this, "HttpBadGatewayError");
  }
}

/** 503 Service Unavailable: overload or maintenance. `Retry-After` can say when to come back (RFC 9110 §15.6.4). */
export class HttpServiceUnavailableError extends HttpServerError {
  /** Makes the error. Without a `message`, the message is "Service Unavailable". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(503, message || "Service Unavailable", options);
    setName(this, "HttpServiceUnavailableError");
  }
}

/** 504 Gateway Timeout: the server behind this server did not answer in time (RFC 9110 §15.6.5). */
export class HttpGatewayTimeoutError extends HttpServerError {
  /** Makes the error. Without a `message`, the message is "Gateway Timeout". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(504, message || "Gateway Timeout", options);
    setName(this, "HttpGatewayTimeoutError");
  }
}

/** 505 HTTP Version Not Supported: the server does not support the version of HTTP (RFC 9110 §15.6.6). */
export class HttpVersionNotSupportedError extends HttpServerError {
  /** Makes the error. Without a `message`, the message is "HTTP Version Not Supported". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(505, message || "HTTP Version Not Supported", options);
    setName(this, "HttpVersionNotSupportedError");
  }
}

/** 506 Variant Also Negotiates: the chosen variant negotiates too (RFC 2295 §8.1). */
export class HttpVarianteAlsoNegociatesError extends HttpServerError {
  /** Makes the error. Without a `message`, the message is "Variant Also Negotiates". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(506, message || "Variant Also Negotiates", options);
    setName(this, "HttpVarianteAlsoNegociatesError");
  }
}

/** 507 Insufficient Storage: the server cannot store what the request needs (RFC 4918 §11.5). */
export class HttpInsufficientStorageError extends HttpServerError {
  /** Makes the error. Without a `message`, the message is "Insufficient Storage". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(507, message || "Insufficient Storage", options);
    setName(this, "HttpInsufficientStorageError");
  }
}

/** 508 Loop Detected: the request runs in an infinite loop (RFC 5842 §7.2). */
export class HttpLoopDetectedError extends HttpServerError {
  /** Makes the error. Without a `message`, the message is "Loop Detected". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(508, message || "Loop Detected", options);
    setName(this, "HttpLoopDetectedError");
  }
}

/** 510 Not Extended: the request lacks an extension that the server needs (RFC 2774 §7). */
export class HttpNotExtendedError extends HttpServerError {
  /** Makes the error. Without a `message`, the message is "Not Extended". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(510, message || "Not Extended", options);
    setName(this, "HttpNotExtendedError");
  }
}

/** 511 Network Authentication Required: the client must log in to the network (RFC 6585 §6). */
export class HttpNetworkAuthenticationRequiredError extends HttpServerError {
  /** Makes the error. Without a `message`, the message is "Network Authentication Required". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(511, message || "Network Authentication Required", options);
    setName(this, "HttpNetworkAuthenticationRequiredError");
  }
}
