import { HttpServerError } from "./http_error.ts";

/** 500 Internal Server Error: something unexpected happened (RFC 9110 §15.6.1). */
export class HttpInternalServerError extends HttpServerError {
  static {
    this.prototype.name = "HttpInternalServerError";
  }
  /** Makes the error; a `message` omitted or empty is "Internal Server Error". */
  constructor(message?: string, options?: ErrorOptions) {
    super(500, message || "Internal Server Error", options);
  }
}

/** 501 Not Implemented: the server lacks what the request needs (RFC 9110 §15.6.2). */
export class HttpNotImplementedError extends HttpServerError {
  static {
    this.prototype.name = "HttpNotImplementedError";
  }
  /** Makes the error; a `message` omitted or empty is "Not Implemented". */
  constructor(message?: string, options?: ErrorOptions) {
    super(501, message || "Not Implemented", options);
  }
}

/** 502 Bad Gateway: the server behind this one answered nonsense (RFC 9110 §15.6.3). */
export class HttpBadGatewayError extends HttpServerError {
  static {
    this.prototype.name = "HttpBadGatewayError";
  }
  /** Makes the error; a `message` omitted or empty is "Bad Gateway". */
  constructor(message?: string, options?: ErrorOptions) {
    super(502, message || "Bad Gateway", options);
  }
}

/** 503 Service Unavailable: overload or maintenance; the response may carry `Retry-After` (RFC 9110 §15.6.4). */
export class HttpServiceUnavailableError extends HttpServerError {
  static {
    this.prototype.name = "HttpServiceUnavailableError";
  }
  /** Makes the error; a `message` omitted or empty is "Service Unavailable". */
  constructor(message?: string, options?: ErrorOptions) {
    super(503, message || "Service Unavailable", options);
  }
}

/** 504 Gateway Timeout: the server behind this one did not answer in time (RFC 9110 §15.6.5). */
export class HttpGatewayTimeoutError extends HttpServerError {
  static {
    this.prototype.name = "HttpGatewayTimeoutError";
  }
  /** Makes the error; a `message` omitted or empty is "Gateway Timeout". */
  constructor(message?: string, options?: ErrorOptions) {
    super(504, message || "Gateway Timeout", options);
  }
}

/** 505 HTTP Version Not Supported: the version of HTTP is not supported (RFC 9110 §15.6.6). */
export class HttpVersionNotSupportedError extends HttpServerError {
  static {
    this.prototype.name = "HttpVersionNotSupportedError";
  }
  /** Makes the error; a `message` omitted or empty is "HTTP Version Not Supported". */
  constructor(message?: string, options?: ErrorOptions) {
    super(505, message || "HTTP Version Not Supported", options);
  }
}

/** 506 Variant Also Negotiates: the chosen variant negotiates in turn (RFC 2295 §8.1). */
export class HttpVarianteAlsoNegociatesError extends HttpServerError {
  static {
    this.prototype.name = "HttpVarianteAlsoNegociatesError";
  }
  /** Makes the error; a `message` omitted or empty is "Variant Also Negotiates". */
  constructor(message?: string, options?: ErrorOptions) {
    super(506, message || "Variant Also Negotiates", options);
  }
}

/** 507 Insufficient Storage: there is no room to store what the request needs (RFC 4918 §11.5). */
export class HttpInsufficientStorageError extends HttpServerError {
  static {
    this.prototype.name = "HttpInsufficientStorageError";
  }
  /** Makes the error; a `message` omitted or empty is "Insufficient Storage". */
  constructor(message?: string, options?: ErrorOptions) {
    super(507, message || "Insufficient Storage", options);
  }
}

/** 508 Loop Detected: the request runs in an infinite loop (RFC 5842 §7.2). */
export class HttpLoopDetectedError extends HttpServerError {
  static {
    this.prototype.name = "HttpLoopDetectedError";
  }
  /** Makes the error; a `message` omitted or empty is "Loop Detected". */
  constructor(message?: string, options?: ErrorOptions) {
    super(508, message || "Loop Detected", options);
  }
}

/** 510 Not Extended: the request lacks an extension that the server wants (RFC 2774 §7). */
export class HttpNotExtendedError extends HttpServerError {
  static {
    this.prototype.name = "HttpNotExtendedError";
  }
  /** Makes the error; a `message` omitted or empty is "Not Extended". */
  constructor(message?: string, options?: ErrorOptions) {
    super(510, message || "Not Extended", options);
  }
}

/** 511 Network Authentication Required: the network wants the client to log in (RFC 6585 §6). */
export class HttpNetworkAuthenticationRequiredError extends HttpServerError {
  static {
    this.prototype.name = "HttpNetworkAuthenticationRequiredError";
  }
  /** Makes the error; a `message` omitted or empty is "Network Authentication Required". */
  constructor(message?: string, options?: ErrorOptions) {
    super(511, message || "Network Authentication Required", options);
  }
}
