import { createHash } from "node:crypto";
import type { Application } from "../application/types.ts";
import { type AccessKeys, type FunctionKey, isForm } from "../aws/credentials.ts";
import { ServiceError } from "../aws/service_call.ts";
import {
  otherMethod,
  readSignature,
  type Signature,
  SignatureError,
  type SignedRequest,
} from "../aws/signature.ts";
import { checkSignature, type ChunkSignatures } from "../aws/signature_check.ts";
import { PREFIX } from "./aws_hosts.ts";

/** Who has signed a request. */
export interface Signer {
  readonly functionName: string;
  /** The signatures of the chunks, if the client has signed each. */
  readonly chunks?: ChunkSignatures | undefined;
}

/** A request through the port for functions. */
export interface ReceivedRequest {
  readonly request: Request;
  readonly service: string;
  /** Whether the service runs on this machine. */
  readonly isEmulated: boolean;
  /** The body; `undefined` for Amazon S3, which reads a body of any size only once. */
  readonly body: Uint8Array | undefined;
}

/** The functions of an application, which sign what they send. */
export class Signers {
  readonly #functions: Application["functions"];
  readonly #keys: AccessKeys;

  constructor(functions: Application["functions"], keys: AccessKeys) {
    this.#functions = functions;
    this.#keys = keys;
  }

  /** Returns the key of a function of the application; `undefined` if none has it. */
  find(accessKeyId: string): FunctionKey | undefined {
    const key = this.#keys.find(accessKeyId);
    return key !== undefined && Object.hasOwn(this.#functions, key.functionName) ? key : undefined;
  }

  /**
   * Returns the key that a signature names.
   *
   * @throws {SignatureError} If no function of the application has the key, or if the session token is not its own.
   */
  keyOf({ accessKeyId, service, token = "" }: Signature): FunctionKey {
    const key = this.find(accessKeyId);
    if (key === undefined) {
      const message = service === "s3"
        ? "The AWS Access Key Id you provided does not exist in our records."
        : "The security token included in the request is invalid: unknown access key";
      throw new SignatureError("unknownKey", message, { AWSAccessKeyId: accessKeyId });
    }
    if (token.startsWith(key.sessionToken)) return key;
    const message =
      "The security token included in the request is invalid: sign with AWS_SESSION_TOKEN, too";
    throw new SignatureError("wrongToken", message);
  }

  /**
   * Finds the function that has signed a request.
   *
   * @throws {SignatureError} If the signature is missing or wrong.
   * @throws {ServiceError} If signatures of this kind are not emulated.
   */
  check(received: ReceivedRequest): Signer {
    const { request, service } = received;
    const signed = signedRequest(request);
    const signature = readSignature(signed);
    if (signature === undefined) throw unsigned(received);
    const { functionName, secretAccessKey: secret } = this.keyOf(signature);
    const digest = digestOf(received, signature.isPresigned);
    const chunks = checkSignature(signature, signed, { service, secret, digest });
    return { functionName, chunks: digest.startsWith("STREAMING-AWS4-HMAC-") ? chunks : undefined };
  }
}

/** Reads the path from the text, because `URL` would change it. */
function signedRequest({ method, url, headers }: Request): SignedRequest {
  const [, authority = "", path = "", query = ""] =
    /^[^:]+:\/\/([^/?#]*)([^?#]*)\??([^#]*)/.exec(url) ?? [];
  if (headers.has("host")) return { method, path, query, headers };
  return { method, path, query, headers: new Headers([...headers, ["host", authority]]) }; // HTTP/2
}

/** Finds what stands for the body in a signature. */
function digestOf(
  { request: { url, headers }, service, isEmulated, body }: ReceivedRequest,
  isPresigned: boolean,
): string {
  const claimed = headers.get("x-amz-content-sha256") ??
    new URL(url).searchParams.get("X-Amz-Content-Sha256");
  if (claimed?.startsWith("STREAMING-AWS4-ECDSA-")) throw otherMethod(claimed);
  if (service === "s3") {
    if (claimed !== null) return claimed;
    if (isPresigned) return "UNSIGNED-PAYLOAD";
    const message = "Missing required header for this request: x-amz-content-sha256";
    throw new SignatureError("withoutDigest", message);
  }
  // Some services take streams that the client cannot read twice. None of them is emulated.
  if (!isEmulated && claimed === "UNSIGNED-PAYLOAD") return claimed;
  return createHash("sha256").update(body!).digest("hex");
}

/** Makes the error for a request without a signature. AWS takes some, such as `AssumeRoleWithWebIdentity`. */
function unsigned({ request: { url, headers }, isEmulated, body }: ReceivedRequest) {
  const form = isForm(headers) ? new URLSearchParams(new TextDecoder().decode(body)) : undefined;
  const { pathname } = new URL(url);
  const isOfSns = form?.get("Version") === "2010-03-31";
  if (isEmulated && (form === undefined || isOfSns) && !pathname.startsWith(PREFIX)) {
    return new SignatureError("missing", "Access Denied: the request is not signed");
  }
  const [, target] = (headers.get("x-amz-target") ?? "").split(".");
  const operation = target ?? form?.get("Action") ?? pathname;
  const message = `The operation "${operation.slice(0, 128)}" is not signed, so this machine ` +
    "cannot tell which function calls it: give its client the endpoint of the real service, " +
    "and name that host in permissions.net";
  return new ServiceError("NotImplemented", message, undefined, 501);
}
