/** The secret of every access key on this machine. */
export const SECRET = "local";

/** The services by the first part of `X-Amz-Target`. */
const TARGETS: Readonly<Record<string, string>> = {
  AmazonSQS: "sqs",
  AWSEvents: "events",
  DynamoDB_20120810: "dynamodb",
};

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

  /** Returns the key of a function, which stays the same. */
  of(functionName: string): string {
    const known = this.#owners.entries().find(([, owner]) => owner === functionName);
    if (known !== undefined) return known[0];
    const key = `LOCAL${crypto.randomUUID().replaceAll("-", "").toUpperCase()}`;
    this.#owners.set(key, functionName);
    return key;
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
