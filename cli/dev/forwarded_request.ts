import { Buffer } from "node:buffer";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { HttpRequest } from "../gateway/protocol.ts";
import { allow, jsonReply, readBody, refusal, type Reply } from "../lambda/http.ts";
import { MAX_REQUEST_BODY } from "../rules/limits.ts";

/**
 * Sends a request of the start page to the gateway, and puts the response into JSON. The page itself could not read the
 * response, because the routes have another origin. No browser shows the JSON as a page of the platform's origin.
 */
export async function forwardRequest(
  request: IncomingMessage,
  gateway: (request: HttpRequest) => Promise<Reply>,
  application: string,
  time: Date,
): Promise<Reply> {
  allow(request.method!, "POST");
  // In JSON, a character may have six bytes.
  const text = new TextDecoder().decode(await readBody(request, 6 * MAX_REQUEST_BODY));
  const response = await gateway(readForm(text, application, request, time));
  const bytes = response.body instanceof Uint8Array
    ? response.body
    : await new Response(response.body as ReadableStream<Uint8Array<ArrayBuffer>>).bytes();
  const { status, headers } = response;
  const coding = headers.find(([name]) => name.toLowerCase() === "content-encoding")?.[1];
  return jsonReply(200, {
    status,
    statusText: STATUS_CODES[status] ?? "",
    headers,
    body: coding === undefined
      ? new TextDecoder().decode(bytes)
      : `${bytes.length} bytes in the coding ${coding}`,
  });
}

/** Reads the form. The trace of the form goes on, unless the request has one. */
function readForm(
  text: string,
  application: string,
  { headers: own, socket }: IncomingMessage,
  time: Date,
): HttpRequest {
  try {
    const { method, path: target, headers, body } = JSON.parse(text);
    if (!/^\/[!-~]*$/.test(target)) {
      throw new Error(`the path ${JSON.stringify(target)} is not a path of ASCII characters`);
    }
    const { host: authority } = new URL(application);
    const [path, query] = target.split(/\?(.*)/s, 2);
    new Headers(headers); // throws if a name or a value is invalid
    const trace = own["x-amzn-trace-id"];
    return {
      method,
      url: application + target,
      authority,
      path,
      query: query ?? "",
      headers: [["Host", authority], ...trace ? [["X-Amzn-Trace-Id", trace]] : [], ...headers],
      protocol: "HTTP/1.1",
      body: Buffer.from(body),
      sourceIp: socket.remoteAddress!,
      time,
    };
  } catch (error) {
    throw refusal(400, `Cannot send the request: ${(error as Error).message}`);
  }
}
