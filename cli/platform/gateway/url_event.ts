import { Buffer } from "node:buffer";
import type { HttpRequest } from "./event.ts";
import { requestTime } from "./request_time.ts";

/** The content types whose bodies are sent as text. */
const TEXT = /^(text\/|application\/(json|javascript|xml|[\w.-]+\+(json|xml))\b)/i;

/**
 * Makes the event of a function URL: the payload format 2.0.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads
 */
export function createUrlEvent(
  name: string,
  request: HttpRequest,
  headers: Headers,
  requestId: string,
) {
  const { method, path, query, protocol, sourceIp, body, time, port } = request;
  const domainName = request.authority.toLowerCase();
  const cookies = headers.get("cookie")?.split(/; */);
  const isText = TEXT.test(headers.get("content-type") ?? "");
  const parameters = [...Map.groupBy(new URLSearchParams(query), ([key]) => key)]
    .map(([key, pairs]) => [key, pairs.map(([, value]) => value).join(",")] as const);
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: query,
    ...(cookies && { cookies }),
    headers: {
      ...Object.fromEntries([...headers].filter(([key]) => key !== "cookie")),
      host: domainName,
      "x-forwarded-for": [headers.get("x-forwarded-for"), sourceIp].filter(Boolean).join(", "),
      "x-forwarded-port": String(port),
      "x-forwarded-proto": "http",
    },
    ...(parameters.length > 0 && { queryStringParameters: Object.fromEntries(parameters) }),
    requestContext: {
      accountId: "anonymous",
      apiId: name,
      domainName,
      domainPrefix: name,
      http: { method, path, protocol, sourceIp, userAgent: headers.get("user-agent") ?? "" },
      requestId,
      routeKey: "$default",
      stage: "$default",
      time: requestTime(time),
      timeEpoch: time.getTime(),
    },
    ...(body.length > 0 && { body: Buffer.from(body).toString(isText ? "utf8" : "base64") }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}
