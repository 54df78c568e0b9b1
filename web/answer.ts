import { isStream, stopStream, toBytes } from "../function/bytes.ts";
import { WEB } from "../function/http.ts";
import { invalid } from "../function/arguments.ts";
import type { AnswerEvent } from "../gateway/handler.ts";
import type { Answer } from "../gateway/response/answer.ts";
import { isBodyless } from "../gateway/response/status_and_headers.ts";
import { agreeOnCodec, encodeSoon } from "../gateway/response/content_encoding.ts";
import { encodeStream } from "../gateway/response/stream_response.ts";
import type { FnProxyEvent } from "../gateway/event/proxy_event.ts";
import { logInternalError, withRequestId } from "../logger/mod.ts";
import { separateRequests } from "../logger/request_id.ts";
import { makeContext, makeEvent, type RequestBody, type WebRequest } from "./event.ts";
import type { FetchSettings } from "./options.ts";
import { openFor } from "./stream.ts";

/**
 * A handler that `proxyHandler()`, `fetchHandler()` or `streamHandler()` made, or `idempotent()` around one. The compiler
 * cannot tell it from other functions; the call refuses these.
 */
// deno-lint-ignore no-explicit-any -- as the parameters of `idempotent()` are those of its work
export type WebHandler = (event: any, context: any) => Promise<unknown>;

/** A response in the form of HTTP. */
export interface WebResponse {
  readonly status: number;
  /** The names and values of the fields, in turn; each character stands for one byte. */
  readonly fields: string[];
  /** The content: ASCII, bytes, chunks that are made while they are sent, or `undefined` for none. */
  readonly content?: string | Uint8Array | AsyncIterator<Uint8Array> | undefined;
}

/** Whether a content is made while it is sent. */
export function isStreamed(content: WebResponse["content"]): content is AsyncIterator<Uint8Array> {
  return typeof Object(content).next === "function";
}

/** Answers a request, and never rejects. */
export type AnswerRequest = (request: WebRequest, body: RequestBody) => Promise<WebResponse>;

/**
 * Finds the way in which a handler answers requests.
 *
 * @throws {TypeError} If the handler is not one of the library.
 */
export function readHandler(handler: WebHandler, settings: FetchSettings): AnswerRequest {
  const answerEvent = (handler as { readonly [WEB]?: AnswerEvent } | undefined)?.[WEB];
  if (typeof handler !== "function" || typeof answerEvent !== "function") {
    throw invalid("handler", "the result of proxyHandler() or its like, not a function around it");
  }
  separateRequests();
  return async (request, body) => {
    const event = makeEvent(request, body, settings);
    if (!event) return { status: 400, fields: ["Content-Length", "0"] };
    const { requestId } = event["requestContext"] as { requestId: string };
    const delivery = {
      open: (source: Parameters<typeof openFor>[0]) => openFor(source, request),
      send: (answer: Answer, event: FnProxyEvent | undefined) =>
        send(answer, event, request.method, requestId),
    };
    // The error of a body that other code read is for nobody to catch.
    const guard = body instanceof TypeError ? () => Promise.reject(body) : undefined;
    try {
      return await answerEvent(delivery, event, makeContext(requestId, settings), guard);
    } catch (error) { // even the answer to an error cannot be sent
      withRequestId(requestId, () => logInternalError(error));
      return { status: 500, fields: ["Content-Length", "0"] };
    }
  };
}

/** Fields of a connection, which only its server may set (RFC 9110 section 7.6.1), and the length. */
const HOP =
  /^(connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|content-length)$/i;

/** Compresses the content of an answer, and makes its response. */
async function send(
  answer: Answer,
  event: FnProxyEvent | undefined,
  method: string,
  requestId: string,
): Promise<WebResponse> {
  const codec = agreeOnCodec(answer, event);
  const { status, headers } = answer;
  let { content } = answer;
  if (isBodyless(status)) {
    stopStream(content);
    content = "";
  }
  const isHead = method === "HEAD";
  const fields: string[] = [];
  for (const [name, values] of headers) {
    if (HOP.test(name)) continue;
    if (/^set-cookie$/i.test(name)) {
      for (const value of values) fields.push(name, toLatin1(value));
    } else fields.push(name, toLatin1(values.join(", ")));
  }
  const given = headers.get("content-length");
  if (isStream(content)) {
    if (given !== null) fields.push("Content-Length", given);
    if (isHead) {
      stopStream(content);
      return { status, fields };
    }
    const chunks = codec ? encodeStream(content, codec) : content;
    return { status, fields, content: scoped(chunks, requestId) };
  }
  // Node.js sends a text together with the fields, in one write.
  const isAscii = !codec && typeof content === "string" && ASCII.test(content);
  const bytes = codec ? await encodeSoon(content, codec) : isAscii ? content : toBytes(content);
  if (isHead && bytes.length === 0 && given !== null) fields.push("Content-Length", given);
  else if (status !== 204 && status !== 304) {
    fields.push("Content-Length", String(bytes.length));
  }
  return { status, fields, content: isHead || bytes.length === 0 ? undefined : bytes };
}

const ASCII = /^[\0-\x7f]*$/;

/** A text whose characters are the bytes of its UTF-8, because HTTP servers send one byte for each character. */
function toLatin1(text: string): string {
  if (ASCII.test(text)) return text;
  return Array.from(toBytes(text), (byte) => String.fromCharCode(byte)).join("");
}

/** Reads chunks in the scope of a request id. A failure is logged, once, before it breaks the response off. */
function scoped(chunks: AsyncIterable<Uint8Array>, requestId: string): AsyncIterator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return {
    next: () =>
      withRequestId(requestId, async () => {
        try {
          return await iterator.next();
        } catch (error) {
          logInternalError(error);
          throw error;
        }
      }),
    return: async () => {
      // A failure of the source while it stops concerns nobody any more.
      await withRequestId(requestId, () => iterator.return?.())?.catch(() => {});
      return { done: true, value: undefined };
    },
  };
}
