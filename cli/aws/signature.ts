/**
 * Reads the signature of a request: AWS Signature Version 4, in the header or in the query.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html
 * @module
 */
import { S3Error, ServiceError, type XmlElements } from "./service_call.ts";

/** The parts of a request that a signature covers. */
export interface SignedRequest {
  readonly method: string;
  /** The path and the query as the client has sent them. */
  readonly path: string;
  readonly query: string;
  /** The header fields, with `host`. Each character is one byte. */
  readonly headers: Headers;
}

/** A signature that was read, but not checked. */
export interface Signature {
  readonly accessKeyId: string;
  /** The date, the region, the service and `aws4_request`. */
  readonly scope: string;
  readonly service: string;
  /** The names of the signed header fields, in the order of the client. */
  readonly names: readonly string[];
  readonly value: string;
  /** The time of the signature, such as `20260101T120000Z`. */
  readonly time: string;
  readonly isPresigned: boolean;
  /** `X-Amz-Security-Token`, which the signature covers. */
  readonly token: string | undefined;
}

/** What is wrong with a signature: the codes of Amazon S3, of services with forms, and of services with JSON. */
const CODES = {
  expired: ["AccessDenied", "SignatureDoesNotMatch", "InvalidSignatureException"],
  malformed: [
    "AuthorizationHeaderMalformed",
    "IncompleteSignature",
    "IncompleteSignatureException",
  ],
  malformedQuery: [
    "AuthorizationQueryParametersError",
    "IncompleteSignature",
    "IncompleteSignatureException",
  ],
  mismatch: ["SignatureDoesNotMatch", "SignatureDoesNotMatch", "InvalidSignatureException"],
  missing: ["AccessDenied", "MissingAuthenticationToken", "MissingAuthenticationTokenException"],
  skewed: ["RequestTimeTooSkewed", "SignatureDoesNotMatch", "InvalidSignatureException"],
  twice: ["InvalidArgument", "IncompleteSignature", "IncompleteSignatureException"],
  unknownKey: ["InvalidAccessKeyId", "InvalidClientTokenId", "UnrecognizedClientException"],
  unsigned: ["AccessDenied", "SignatureDoesNotMatch", "InvalidSignatureException"],
  wrongToken: ["InvalidToken", "InvalidClientTokenId", "UnrecognizedClientException"],
  withoutDigest: ["InvalidRequest", "IncompleteSignature", "IncompleteSignatureException"],
} as const;

/** A request that is refused because of its signature. Each service says so in its own words. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";

  constructor(
    readonly kind: keyof typeof CODES,
    message: string,
    /** Further elements of the answer of Amazon S3. */
    readonly details: XmlElements = {},
  ) {
    super(message);
  }

  /** Makes the error that a service sends. */
  of(service: string): ServiceError {
    const [s3, form, json] = CODES[this.kind];
    if (service === "s3") return new S3Error(s3, this.message, this.details);
    return new ServiceError(form, this.message, json, service === "dynamodb" ? 400 : 403);
  }
}

/** The name of the host in a signed request over HTTP/2. */
export const AUTHORITY = ":authority";

/** The one method of signatures that is emulated. */
export const ALGORITHM = "AWS4-HMAC-SHA256";

/**
 * Reads the signature of a request. Returns `undefined` if the request is not signed.
 *
 * @throws {SignatureError} If the signature is incomplete.
 * @throws {ServiceError} If the method of the signature is another one.
 */
export function readSignature({ query, headers }: SignedRequest): Signature | undefined {
  const parameters = new URLSearchParams(query);
  const authorization = headers.get("authorization");
  const isPresigned = ["Algorithm", "Credential", "Signature"]
    .some((name) => parameters.has(`X-Amz-${name}`));
  const isOld = parameters.has("AWSAccessKeyId") && parameters.has("Signature");
  if (isOld) throw otherMethod("AWS");
  if (authorization === null && !isPresigned) return undefined;
  if (authorization !== null && isPresigned) {
    const message = "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, " +
      "Signature query string parameter or the Authorization header should be specified";
    throw new SignatureError("twice", message);
  }
  const [, method = "", rest = ""] = /^\s*(\S*)(.*)$/s.exec(authorization ?? "")!;
  const fields = new Map(
    rest.split(",").map((field) => {
      const [name = "", ...value] = field.trim().split("=");
      return [name, value.join("=")] as const;
    }),
  );
  const text = (name: string) => (isPresigned ? parameters.get(`X-Amz-${name}`) : fields.get(name));
  const algorithm = isPresigned ? text("Algorithm") ?? "" : method;
  if (algorithm !== ALGORITHM) throw otherMethod(algorithm);
  const [credential, names, value] = ["Credential", "SignedHeaders", "Signature"].map((name) => {
    const found = text(name);
    if (found) return found;
    throw malformed(isPresigned, `${isPresigned ? "X-Amz-" : ""}${name} is missing`);
  }) as [string, string, string];
  const time = isPresigned ? text("Date") ?? "" : timeOf(headers);
  const [accessKeyId = "", ...scope] = credential.split("/");
  const [date, , service = "", end] = scope;
  if (scope.length !== 4 || end !== "aws4_request") {
    throw malformed(
      isPresigned,
      "the Credential is mal-formed; expecting " +
        '"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    );
  }
  if (!/^\d{8}T\d{6}Z$/.test(time)) {
    const rule = isPresigned
      ? "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\""
      : "AWS authentication requires a valid Date or x-amz-date header";
    throw malformed(isPresigned, rule);
  }
  if (!time.startsWith(date!)) {
    const rule = `This date is not the same as X-Amz-Date: "${time.slice(0, 8)}".`;
    throw malformed(isPresigned, `Invalid credential date "${date}". ${rule}`);
  }
  const signed = names.split(";");
  if (!signed.every((name) => name === AUTHORITY || /^[\da-z_!#$%&'*+.^`|~-]+$/.test(name))) {
    throw malformed(
      isPresigned,
      "SignedHeaders must be names in lower case, divided by semicolons",
    );
  }
  const token = isPresigned ? text("Security-Token") : headers.get("x-amz-security-token");
  return {
    accessKeyId,
    scope: scope.join("/"),
    service,
    names: signed,
    value,
    time,
    isPresigned,
    token: token ?? undefined,
  };
}

/** Makes the error for another method, such as SigV4a or a bearer token. */
export function otherMethod(method: string): ServiceError {
  const message = `The signature method "${method.slice(0, 64)}" is not emulated locally: ` +
    `sign with ${ALGORITHM}`;
  return new ServiceError("NotImplemented", message, undefined, 501);
}

function malformed(isPresigned: boolean, problem: string): SignatureError {
  return isPresigned
    ? new SignatureError("malformedQuery", problem)
    : new SignatureError("malformed", `The authorization header is malformed; ${problem}`);
}

/** Reads the time of a header in the form of a signature. */
function timeOf(headers: Headers): string {
  const text = headers.get("x-amz-date") ?? headers.get("date") ?? "";
  const date = /^\d{8}T\d{6}Z$/.test(text) ? NaN : Date.parse(text);
  return Number.isNaN(date) ? text : new Date(date).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
}

/** Reads the time of a signature, in milliseconds. An invalid time becomes `NaN`. */
export function readTime(time: string): number {
  return Date.parse(time.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3:$4:$5Z"));
}
