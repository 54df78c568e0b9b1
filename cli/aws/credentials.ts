import { randomBytes, randomUUID } from "node:crypto";

/** The secret of every access key on this machine that no function has. */
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

/** What a function signs its requests with. */
export interface FunctionKey {
  readonly functionName: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The session token. That of a sandbox begins with it, so that the platform knows both, also in a presigned URL. */
  readonly sessionToken: string;
}

/** The access keys of functions on this machine. A key is in each presigned URL, so only its secret proves who signs. */
export class AccessKeys {
  readonly #byFunction = new Map<string, FunctionKey>();
  readonly #byId = new Map<string, FunctionKey>();

  /** Returns the key of a function. It stays the same, so that presigned URLs stay valid. */
  of(functionName: string): FunctionKey {
    const known = this.#byFunction.get(functionName);
    if (known !== undefined) return known;
    const key = {
      functionName,
      accessKeyId: `LOCAL${randomUUID().replaceAll("-", "").toUpperCase()}`,
      secretAccessKey: randomBytes(30).toString("base64url"),
      sessionToken: randomBytes(24).toString("base64url"),
    };
    this.#byFunction.set(functionName, key);
    this.#byId.set(key.accessKeyId, key);
    return key;
  }

  /** Returns the key with an identifier; `undefined` if no function has it. */
  find(accessKeyId: string): FunctionKey | undefined {
    return this.#byId.get(accessKeyId);
  }
}
