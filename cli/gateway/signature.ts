import { createHash } from "node:crypto";
import { readSigningTime, SECRET, signerOf } from "../aws/credentials.ts";
import type { HttpRequest } from "./gateway.ts";

/** The largest difference between the times of a signature and of its request, in milliseconds. */
const MAX_SKEW = 300_000;

/** The access key of the signer, or the problem of the signature. */
export type Signature = { readonly accessKey: string } | { readonly problem: string };

/**
 * Checks the signature of a request to a function URL (AWS Signature Version 4). Returns `undefined` if there is none.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-signing-elements.html
 */
export async function readSignature(request: HttpRequest): Promise<Signature | undefined> {
  const headers = new Headers([...request.headers]);
  const authorization = headers.get("authorization") ?? "";
  const [, accessKey, region, service, names] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request, *SignedHeaders=([^, ]+), *Signature=[0-9a-f]+$/
      .exec(authorization) ?? [];
  if (accessKey === undefined) return undefined;
  if (service !== "lambda") {
    return { problem: "Credential should be scoped to correct service: 'lambda'." };
  }
  const time = readSigningTime(headers.get("x-amz-date") ?? "");
  if (!(Math.abs(time.getTime() - Date.now()) <= MAX_SKEW)) {
    return { problem: "Signature expired or not yet current: compare X-Amz-Date with the clock" };
  }
  const facts = { accessKey, region: region!, names: names! };
  const expected = await sign(request, headers, facts, time);
  if (expected === authorization.replaceAll(/, */g, ", ")) return { accessKey };
  return {
    problem: "The request signature we calculated does not match the signature you provided. " +
      `On this machine the secret access key is "${SECRET}"`,
  };
}

/** Makes the `Authorization` of a valid request. `names` has the names of the signed headers, separated by semicolons. */
async function sign(
  { method, path, query, body, authority }: HttpRequest,
  headers: Headers,
  { accessKey, region, names }: Record<"accessKey" | "region" | "names", string>,
  signingDate: Date,
): Promise<string | undefined> {
  const signer = await signerOf("lambda", region, accessKey);
  const signed = names.split(";").map((name) => {
    const value = headers.get(name) ?? "";
    // Compute the digest of the body again, because the digest in the header may be wrong.
    const isDigest = name === "x-amz-content-sha256" && value !== "";
    return [name, isDigest ? createHash("sha256").update(body).digest("hex") : value];
  });
  const request = {
    method,
    protocol: "http:",
    hostname: authority,
    path,
    query: readQuery(query),
    headers: { ...Object.fromEntries(signed), host: authority },
    body,
  };
  const { headers: result } = await signer.sign(request, {
    signingDate,
    signableHeaders: new Set(names.split(";")),
  });
  return result.authorization;
}

function readQuery(query: string): Record<string, string[]> {
  const parameters = Map.groupBy(
    new URLSearchParams(query.replaceAll("+", "%2B")),
    ([name]) => name,
  );
  return Object.fromEntries(
    [...parameters].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]),
  );
}
