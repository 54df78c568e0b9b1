import { proxyEvent } from "@mate/core/testing";
import { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import type { Application, CorsSettings, UrlTrigger } from "../application/types.ts";
import { ServiceError } from "../aws/service_call.ts";
import { readSignature, type Signature, SignatureError } from "../aws/signature.ts";
import { checkSignature } from "../aws/signature_check.ts";
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

/** The keys that may call function URLs. */
interface Callers {
  /**
   * Returns the secret that a signature must be made with.
   *
   * @throws {SignatureError} If its access key or its session token is not valid.
   */
  secretOf(signature: Signature): string;
  mayInvokeUrl(accessKeyId: string, name: string): boolean;
}

export function createFunctionUrls(
  { functions }: Application,
  host: FunctionHost,
  log: Log,
  services: Callers,
): FunctionUrls {
  /** Returns a refusal if the signature is wrong or missing, or if the signer may not invoke the function. */
  function authorize(name: string, request: HttpRequest): Reply | undefined {
    const refuse = (type: string, body: unknown, why = JSON.stringify(body)) => {
      log.note(`${request.method} ${request.authority}: the request is refused: ${why}`);
      return reply(403, [JSON_TYPE, ["x-amzn-ErrorType", type]], JSON.stringify(body));
    };
    const forbidden = { Message: "Forbidden" };
    try {
      const accessKeyId = readSigner(request, (signature) => services.secretOf(signature));
      if (accessKeyId === undefined) {
        const why = 'it is not signed, and the URL has "auth": "iam"';
        return refuse("AccessDeniedException", forbidden, why);
      }
      const isAllowed = services.mayInvokeUrl(accessKeyId, name);
      return isAllowed ? undefined : refuse("AccessDeniedException", forbidden);
    } catch (error) {
      const known = error instanceof SignatureError ? error.of("lambda") : error;
      if (!(known instanceof ServiceError)) throw error;
      return refuse(known.type, { message: known.message });
    }
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
      const refused = url.auth === "iam" ? authorize(name, request) : undefined;
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

/**
 * Reads the access key that has signed a request to a function URL. Returns `undefined` if the request is not signed.
 *
 * @throws {SignatureError} If the signature is wrong.
 */
function readSigner(
  { method, path, query, authority, body, ...received }: HttpRequest,
  secretOf: Callers["secretOf"],
): string | undefined {
  const headers = new Headers([...received.headers]);
  headers.set("host", authority);
  const request = { method, path, query, headers };
  const signature = readSignature(request);
  if (signature === undefined) return undefined;
  const { accessKeyId } = signature;
  const secret = secretOf(signature);
  const digest = createHash("sha256").update(body).digest("hex");
  checkSignature(signature, request, { service: "lambda", secret, digest });
  return accessKeyId;
}
