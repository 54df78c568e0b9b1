import { parseObject } from "../rules/json_object.ts";

/** One thing that a request does. */
export interface Access {
  /** The action as IAM names it, such as `s3:GetObject`. */
  readonly action: string;
  /** The ARN of the resource. */
  readonly resource: string;
  /** The values of condition keys that only this service has, such as `events:source`. */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
}

/** A request to a service, parsed once: what is checked is what runs. */
export interface ServiceCall {
  /** Everything that the request needs. A function may do it only if its manifest grants all of it. */
  readonly accesses: readonly Access[];
  /** The operation, if only the path or the query of the request says it. */
  readonly operation?: string;
  /** Whether the answer waits for something. Then nobody but the client may read it, because the client may go away. */
  readonly isLate?: boolean;
  /** Does what the request asks for, and answers. */
  run(): Response | Promise<Response>;
}

/** An error that a service sends to its client. */
export class ServiceError extends Error {
  /**
   * @param code The code of the error as clients have always known it, such as `MissingParameter`.
   * @param type The name of the error in the AWS SDKs. It is the same in most cases.
   * @param status The status of the response. If it is 500 or more, the fault is not the client's.
   */
  constructor(
    readonly code: string,
    message: string,
    readonly type: string = code,
    readonly status: number = 400,
  ) {
    super(message);
  }
}

/**
 * Reads the JSON of a request.
 *
 * @throws {ServiceError} If the body is something else.
 */
export function readInput(body: string): Readonly<Record<string, unknown>> {
  const input = parseObject(body);
  if (input !== undefined) return input;
  const message = "The body of the request is not a JSON object";
  throw new ServiceError("SerializationException", message);
}

/** Makes the error for an operation, a parameter or a value that this machine does not emulate. */
export function notEmulated(name: string): ServiceError {
  const message = `${name} is not emulated locally`;
  return new ServiceError("NotImplemented", message, undefined, 501);
}

/** The content of an XML element: text, or elements by name. An array makes several elements with one name. */
type XmlContent = string | number | boolean | XmlElements;

export interface XmlElements {
  readonly [name: string]: XmlContent | readonly XmlContent[];
}

export function xmlResponse(document: XmlElements, status = 200): Response {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${serialize(document)}`, {
    status,
    headers: { "Content-Type": "application/xml" },
  });
}

function serialize(content: XmlContent): string {
  if (typeof content === "object") {
    return Object.entries(content).flatMap(([name, values]) =>
      [values].flat().map((value) => `<${name}>${serialize(value)}</${name}>`)
    ).join("");
  }
  // deno-lint-ignore no-control-regex -- XML 1.0 does not allow control characters, even if they are escaped
  return String(content).replaceAll(/[\0-\x08\v\f\x0e-\x1f]/g, "\ufffd")
    .replaceAll(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The statuses of the errors of Amazon S3 that are not 400. */
const STATUSES: Readonly<Record<string, number>> = {
  AccessDenied: 403,
  AccessForbidden: 403,
  ConditionalRequestConflict: 409,
  InvalidAccessKeyId: 403,
  InvalidPartNumber: 416,
  InvalidRange: 416,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
};

/**
 * An error that Amazon S3 sends to its client.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
 */
export class S3Error extends ServiceError {
  override readonly name = "S3Error";

  /** `details` are further elements of the response, such as the key. */
  constructor(code: string, message: string, readonly details: XmlElements = {}) {
    super(code, message, code, STATUSES[code] ?? 400);
  }
}

/** Makes the error for a wrong parameter or header field. */
export function invalidArgument(
  message: string,
  ArgumentName: string,
  ArgumentValue: string,
): S3Error {
  return new S3Error("InvalidArgument", message, { ArgumentName, ArgumentValue });
}

export function s3Failure(error: ServiceError): Response {
  const { status, code, message } = error;
  const details = error instanceof S3Error ? error.details : {};
  return xmlResponse({ Error: { Code: code, Message: message, ...details } }, status);
}

/** Makes an error of the services that speak JSON. */
export function jsonFailure({ status, type, message }: ServiceError): Response {
  return Response.json({ __type: type, message, Message: message }, {
    status,
    headers: { "Content-Type": "application/x-amz-json-1.1", "x-amzn-ErrorType": type },
  });
}
