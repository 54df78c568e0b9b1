import { proxyEvent, type RestEvent } from "@mate/core/testing";
import { createHash } from "node:crypto";
import { ACCOUNT_ID } from "../arn.ts";
import type { RouteMatch } from "./routes.ts";

/** An HTTP request, as read from the wire. */
export interface HttpRequest {
  readonly method: string;
  /** The path as transmitted, the stage included. */
  readonly path: string;
  /** The query as transmitted, without `?`; empty if there is none. */
  readonly query: string;
  /** The host of the request, and perhaps a port. It takes precedence over the `Host` header. */
  readonly authority: string;
  /** The names and values of the headers, in turn, as transmitted. */
  readonly rawHeaders: readonly string[];
  /** The protocol, such as `HTTP/1.1`. */
  readonly protocol: string;
  /** The IP address of the client. */
  readonly sourceIp: string;
  /** The port that the client connected to. */
  readonly port: number;
  /** The body; empty if there is none. */
  readonly body: Uint8Array;
  readonly time: Date;
}

/** The API that handles a request. */
export interface Api {
  /** The name of the application. */
  readonly name: string;
  readonly stage: string;
}

/** The identifiers of a request, in its event and in the headers of its response. */
export interface RequestIds {
  readonly requestId: string;
  readonly extendedRequestId: string;
}

/** Makes the event of a REST API with Lambda proxy integration and `binaryMediaTypes: ["*\/*"]`. */
export async function createProxyEvent(
  request: HttpRequest,
  { route: { resource }, pathParameters }: RouteMatch,
  { name, stage }: Api,
  { requestId, extendedRequestId }: RequestIds,
): Promise<RestEvent> {
  const { sourceIp, protocol, time } = request;
  const event = await proxyEvent(requestParts(request), {
    gateway: "rest",
    apiId: shortId(name, 10),
    base64: true,
    stage,
    sourceIp,
    protocol,
    time,
    requestId,
    extendedRequestId,
  });
  const ids = {
    accountId: ACCOUNT_ID,
    deploymentId: shortId(`${name} ${stage}`, 6),
    resourceId: shortId(resource, 6),
    resourcePath: resource,
  };
  const requestContext = { ...event.requestContext, ...ids };
  return {
    ...event,
    resource,
    pathParameters: pathParameters && { ...pathParameters },
    requestContext,
  };
}

/** A request for the makers of events. */
export function requestParts(request: HttpRequest) {
  const { method, authority, path, query, rawHeaders, body } = request;
  const headers = Array.from(
    { length: rawHeaders.length / 2 },
    (_, index) => [rawHeaders[2 * index]!, rawHeaders[2 * index + 1]!] as const,
  );
  return { method, url: `http://${authority}${path}${query && `?${query}`}`, headers, body };
}

/** An identifier of lower-case letters and digits. The same text always has the same identifier. */
function shortId(text: string, length: number): string {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 24);
  return BigInt(`0x${digest}`).toString(36).padStart(length, "0").slice(-length);
}
