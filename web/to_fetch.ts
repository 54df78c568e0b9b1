import { collect } from "../function/bytes.ts";
import { setOwn } from "../function/read.ts";
import {
  HttpBadRequestError,
  HttpRequestEntityTooLargeError,
} from "../gateway/errors/client_errors.ts";
import { isStreamed, readHandler, type WebHandler, type WebResponse } from "./answer.ts";
import type { RequestBody, WebRequest } from "./event.ts";
import { type FetchOptions, readSettings } from "./options.ts";

/** A function that answers a standard request, as `Deno.serve()`, `Bun.serve()` and others call it. It never rejects. */
export type FetchFunction = (request: Request, info?: unknown) => Promise<Response>;

/**
 * Makes a standard fetch function of a handler of HTTP requests, so that the same handler answers events of a gateway and
 * requests of a web server, with everything that it does: routes, validation, middleware, errors, compression, logging.
 *
 * There is no gateway, so nobody has authorized a request: `authorizer()` and `authorizerClaims()` are `null`, and a route
 * that a gateway's authorizer protects is open here.
 *
 * @param handler The result of `proxyHandler()`, `fetchHandler()` or `streamHandler()`, or `idempotent()` around one.
 * @param options The proxies, the size of a body and the time of a request; they are read once.
 * @returns The function. Its second argument may be that of `Deno.serve()` or `Bun.serve()`, which tell the address of the
 * client; any other value is ignored.
 * @throws {TypeError} If the handler is another function, or if an option is unknown or wrong.
 *
 * @example One handler, without a gateway
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { proxyHandler, routes } from "@mate/core/gateway";
 * import { toFetch } from "@mate/core/web";
 *
 * const handler = proxyHandler(routes({
 *   "GET /hello/{name}": (event) => ({ hello: event.pathParameters().name }),
 * }));
 *
 * const fetch = toFetch(handler); // Deno.serve(fetch); export default { fetch };
 * const response = await fetch(new Request("http://localhost/hello/ada"));
 * assertEquals([response.status, await response.json()], [200, { hello: "ada" }]);
 * ```
 */
export function toFetch(handler: WebHandler, options: FetchOptions = {}): FetchFunction {
  const settings = readSettings(options);
  const answer = readHandler(handler, settings);
  return async (request, info) => {
    const client = watchClient(request);
    const sent = toWebRequest(request, info, client.onGone);
    const body = await readBody(request, sent.headers, settings.maxBody);
    const response = await answer(sent, body);
    return toResponse(response, client);
  };
}

/** The client of a standard request. */
interface Client extends Pick<WebRequest, "onGone"> {
  /** The client has gone. */
  readonly go: () => void;
  /** The response has ended. On Deno, the signal is aborted then, too, with a warning if somebody listens. */
  readonly end: () => void;
}

function watchClient(request: Request): Client {
  const listeners: (() => void)[] = [];
  let signal: AbortSignal | undefined;
  let hasEnded = false;
  const go = () => {
    if (!hasEnded) { for (const listener of listeners) listener(); }
    end();
  };
  const end = () => {
    hasEnded = true;
    signal?.removeEventListener("abort", go);
  };
  const onGone = (listener: () => void) => {
    if (listeners.push(listener) > 1) return;
    signal = request.signal; // Deno makes it when it is read
    if (signal?.aborted) go();
    else signal?.addEventListener("abort", go);
  };
  return { onGone, go, end };
}

function toWebRequest(
  request: Request,
  info: unknown,
  onGone: Client["onGone"],
): WebRequest {
  const { method, url } = request;
  const headers: Record<string, string> = {};
  request.headers.forEach((value, name) => setOwn(headers, name, value));
  return {
    method,
    target: url.split("#", 1)[0]!,
    headers,
    scheme: url.split(":", 1)[0]!, // `makeEvent()` refuses every other target
    address: readAddress(request, info),
    onGone,
  };
}

/** The address of the client that `Deno.serve()` or `Bun.serve()` tells. */
function readAddress(request: Request, info: unknown): string | undefined {
  try {
    const { remoteAddr, requestIP } = Object(info);
    const address = typeof requestIP === "function"
      ? requestIP.call(info, request)?.address
      : remoteAddr?.hostname;
    return typeof address === "string" ? address : undefined;
  } catch { // an object of somebody else, whose members do something else
    return undefined;
  }
}

/** The error of a body that has more bytes than the option says. */
export function tooLarge(maxBody: number): HttpRequestEntityTooLargeError {
  return new HttpRequestEntityTooLargeError(`The body has more than ${maxBody} bytes`);
}

/** The error of a body whose end does not come. */
export function brokenOff(cause?: unknown): HttpBadRequestError {
  return new HttpBadRequestError("The body of the request broke off", { cause });
}

/** The error of a body that other code reads. */
function readBefore(cause?: unknown): TypeError {
  return new TypeError("The body of the request was read before", { cause });
}

/** Reads a body. At most `maxBody` bytes are kept. */
async function readBody(
  request: Request,
  headers: WebRequest["headers"],
  maxBody: number,
): Promise<RequestBody> {
  // A server reads no more than this field says. To read chunks, or only to ask for the stream, takes Deno several times as
  // long.
  const isKnown = +headers["content-length"]! <= maxBody && !headers["transfer-encoding"];
  const stream = isKnown ? undefined : request.body;
  if (stream === null) return null;
  if (request.bodyUsed) return readBefore();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of stream ?? [new Uint8Array(await request.arrayBuffer())]) {
      chunks.push(chunk);
      if ((length += chunk.length) > maxBody) break; // which cancels the body
    }
  } catch (error) {
    // Where other code has a reader of the body, nothing was read.
    return request.bodyUsed ? brokenOff(error) : readBefore(error);
  }
  if (length > maxBody) return tooLarge(maxBody);
  return length > 0 ? await collect(chunks) as Uint8Array<ArrayBuffer> : null;
}

function toResponse({ status, fields, content }: WebResponse, client: Client): Response {
  const headers: Record<string, string> = {}; // on Deno, `Headers` would take half as long again
  const more: string[] = [];
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index]!;
    if (Object.hasOwn(headers, name)) more.push(fields[index + 1]!);
    else setOwn(headers, name, fields[index + 1]!);
  }
  const body = isStreamed(content)
    ? new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await content.next();
          if (!done) return controller.enqueue(value);
          client.end();
          controller.close();
        } catch (error) {
          client.end();
          controller.error(error);
        }
      },
      cancel() {
        client.go();
        return content.return?.() as Promise<void> | undefined;
      },
    }, { highWaterMark: 0 })
    : (client.end(), content);
  const response = new Response(body as BodyInit | undefined, { status, headers });
  for (const cookie of more) response.headers.append("Set-Cookie", cookie); // all others are joined
  return response;
}
