import { randomBytes } from "node:crypto";

/** The secret of every access key on this machine. */
export const SECRET = "local";

/** The services by the first part of `X-Amz-Target`. */
const TARGETS: Readonly<Record<string, string>> = {
  AmazonSQS: "sqs",
  AWSEvents: "events",
  DynamoDB_20120810: "dynamodb",
};

/** The field and the parameter with the session token. */
const TOKEN = "X-Amz-Security-Token";

/** Reads the session token of a request, or of a presigned URL. Without one, it is empty. */
export function readToken({ headers, url }: Request): string {
  return headers.get(TOKEN) ?? new URL(url).searchParams.get(TOKEN) ?? "";
}

/** Reads the service and the access key from the signature. If there is none, other header fields name the service. */
export function readCredential({ headers, url }: Request): { service: string; key: string } {
  const signed = /Credential=([^/\s,]{1,128})\/\d+\/[^/]*\/([^/]+)\/aws4_request/.exec(
    headers.get("authorization") ?? "", // With a limit, the time is linear in the length.
  ) ?? /^([^/]+)\/\d+\/[^/]*\/([^/]+)\/aws4_request$/.exec(
    new URL(url).searchParams.get("X-Amz-Credential") ?? "",
  );
  if (signed !== null) return { key: signed[1]!, service: signed[2]! };
  const [target = ""] = (headers.get("x-amz-target") ?? "").split(".");
  if (target !== "") return { key: "", service: TARGETS[target] ?? target };
  return { key: "", service: isForm(headers) ? "sns" : "s3" };
}

/** Tells whether a client speaks the query protocol, as clients of Amazon SNS and of AWS IAM do. */
export function isForm(headers: Headers): boolean {
  return headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") ?? false;
}

/** The access keys of functions on this machine. No page can guess them. */
export class AccessKeys {
  /** The names of the functions, by their keys. */
  readonly #owners = new Map<string, string>();
  /** The session tokens of the functions, by their names. */
  readonly #tokens = new Map<string, string>();

  /** Returns the key of a function, which stays the same. */
  of(functionName: string): string {
    const known = this.#owners.entries().find(([, owner]) => owner === functionName);
    if (known !== undefined) return known[0];
    const key = `LOCAL${crypto.randomUUID().replaceAll("-", "").toUpperCase()}`;
    this.#owners.set(key, functionName);
    return key;
  }

  /**
   * Returns the session token of a function, which stays the same. The token of a sandbox begins with it, so that the platform
   * knows both, also in a presigned URL.
   */
  tokenOf(functionName: string): string {
    const known = this.#tokens.get(functionName);
    if (known !== undefined) return known;
    const token = randomBytes(24).toString("base64url");
    this.#tokens.set(functionName, token);
    return token;
  }

  /** Tells whether a session token is that of a function, or of one of its sandboxes. */
  hasToken(functionName: string, token: string): boolean {
    return token.startsWith(this.tokenOf(functionName));
  }

  /** Returns the function that has a key; `undefined` if none has. */
  ownerOf(key: string): string | undefined {
    return this.#owners.get(key);
  }
}

/** Makes the signer of a client with an access key. */
export async function signerOf(service: "lambda" | "s3", region: string, accessKeyId: string) {
  const { Sha256 } = await import("@smithy/core/checksum"); // Few applications need these imports.
  const { SignatureV4 } = await import("@smithy/signature-v4");
  return new SignatureV4({
    service,
    region,
    credentials: { accessKeyId, secretAccessKey: SECRET },
    sha256: Sha256,
    applyChecksum: false,
    uriEscapePath: service !== "s3",
  });
}

/** Reads the time of a signature, such as `20260101T120000Z`. An invalid time becomes an invalid date. */
export function readSigningTime(text: string): Date {
  return new Date(text.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3:$4:$5Z"));
}
