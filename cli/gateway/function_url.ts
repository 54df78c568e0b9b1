import { proxyEvent } from "@mate/core/testing";
import { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import type { Application, CorsSettings, UrlTrigger } from "../application/types.ts";
import { readSigningTime, SECRET, signerOf } from "../aws/credentials.ts";
import type { FunctionHost } from "../lambda/function_host.ts";
import { type Reply, reply, withHeaders } from "../lambda/http.ts";
import type { Log } from "../lambda/log.ts";
import { createTraceId } from "../rules/arn.ts";
import { MAX_SYNC_EVENT } from "../rules/limits.ts";
import { type HttpRequest, withTraceHeader } from "./protocol.ts";
import { invokeStreaming, replyOf } from "./result.ts";

const JSON_TYPE = ["Content-Type", "application/json"] as const;

/** The function URLs of an application. Each has its own host, such as `orders.localhost`. */
export interface FunctionUrls {
  /** Finds the function of a host in lower case, such as `orders.localhost`. */
  find(host: string): string | undefined;
  answer(name: string, request: HttpRequest): Promise<Reply>;
}

export function createFunctionUrls(
  { functions }: Application,
  host: FunctionHost,
  log: Log,
  services: { mayInvokeUrl(accessKey: string, name: string): boolean },
): FunctionUrls {
  /** Returns a refusal if the signature is wrong or missing, or if the signer may not invoke the function. */
  async function authorize(name: string, request: HttpRequest): Promise<Reply | undefined> {
    const signature = await readSignature(request);
    const refuse = (type: string, body: unknown) => {
      const text = JSON.stringify(body);
      const why = signature === undefined
        ? 'it is not signed, and the URL has "auth": "iam"'
        : text;
      log.note(`${request.method} ${request.authority}: the request is refused: ${why}`);
      return reply(403, [JSON_TYPE, ["x-amzn-ErrorType", type]], text);
    };
    if (signature !== undefined && "problem" in signature) {
      return refuse("InvalidSignatureException", { message: signature.problem });
    }
    if (signature !== undefined && services.mayInvokeUrl(signature.accessKey, name)) {
      return undefined;
    }
    return refuse("AccessDeniedException", { Message: "Forbidden" });
  }

  async function forward(name: string, { stream }: UrlTrigger, request: HttpRequest) {
    const requestId = randomUUID();
    const { sourceIp, protocol, time } = request;
    const facts = { apiId: name, sourceIp, protocol, time, requestId };
    const event = await proxyEvent(withTraceHeader(request), { gateway: "url", ...facts });
    const payload = Buffer.from(JSON.stringify(event));
    const note = (text: string) =>
      log.note(`${request.method} ${request.authority}${request.path}: ${text}`);
    if (payload.length > MAX_SYNC_EVENT) {
      note(`the event has ${payload.length} bytes, over ${MAX_SYNC_EVENT}`);
      return reply(413, [JSON_TYPE], '{"Message":"Request Entity Too Large"}');
    }
    const trigger = { type: "url", name } as const;
    const options = { traceId: request.trace ?? createTraceId(time), facts: { trigger } };
    try {
      const outcome = stream
        ? await invokeStreaming(host, name, payload, options)
        : await host.invoke(name, payload, options);
      return withHeaders(await replyOf(outcome, "url"), [["x-amzn-RequestId", requestId]]);
    } catch (error) {
      const reason = (error as Error).message;
      note(`502, because ${reason}`);
      const headers = [JSON_TYPE, ["x-amzn-RequestId", requestId]] as const;
      return { ...reply(502, headers, "Internal Server Error"), reason };
    }
  }

  return {
    find(host) {
      const [, name = ""] = /^([^.]+)\.localhost$/.exec(host) ?? [];
      return Object.hasOwn(functions, name) && functions[name]!.url ? name : undefined;
    },
    async answer(name, request) {
      const url = functions[name]!.url!;
      const headers = new Headers([...request.headers]);
      const cors = url.cors === undefined ? [] : corsHeaders(url.cors, headers);
      const isPreflight = request.method === "OPTIONS" &&
        headers.has("access-control-request-method");
      if (url.cors && isPreflight) return reply(200, cors);
      const refused = url.auth === "iam" ? await authorize(name, request) : undefined;
      return withHeaders(refused ?? await forward(name, url, request), cors);
    },
  };
}

/** Makes the CORS headers of a response. */
function corsHeaders(cors: CorsSettings, headers: Headers): Reply["headers"] {
  const { origins, methods, headers: names, exposeHeaders, credentials, maxAge } = cors;
  const origin = headers.get("origin");
  const vary = ["Vary", "Origin"] as const;
  if (origin === null || !(origins.includes("*") || origins.includes(origin))) return [vary];
  const allowed = origins.includes("*") && !credentials ? "*" : origin;
  const isPreflight = headers.has("access-control-request-method");
  const fields = [
    ["Access-Control-Allow-Origin", allowed],
    ["Access-Control-Allow-Credentials", credentials ? "true" : ""],
    ["Access-Control-Expose-Headers", exposeHeaders.join(",")],
    ["Access-Control-Allow-Methods", isPreflight ? methods.join(",") : ""],
    ["Access-Control-Allow-Headers", isPreflight ? names.join(",") : ""],
    ["Access-Control-Max-Age", isPreflight ? String(maxAge) : ""],
    vary,
  ] as const;
  return fields.filter(([, value]) => value !== "");
}

/** The largest difference between the times of a signature and of its request, in milliseconds. */
const MAX_SKEW = 300_000;

/** The access key of the signer, or the problem of the signature. */
type Signature = { readonly accessKey: string } | { readonly problem: string };

/**
 * Checks the signature of a request to a function URL (AWS Signature Version 4). Returns `undefined` if there is none.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-signing-elements.html
 */
async function readSignature(request: HttpRequest): Promise<Signature | undefined> {
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
  const parameters = new URLSearchParams(query.replaceAll("+", "%2B"));
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
    query: Object.fromEntries(
      [...parameters.keys()].map((name) => [name, parameters.getAll(name)]),
    ),
    headers: { ...Object.fromEntries(signed), host: authority },
    body,
  };
  const { headers: result } = await signer.sign(request, {
    signingDate,
    signableHeaders: new Set(names.split(";")),
  });
  return result.authorization;
}
