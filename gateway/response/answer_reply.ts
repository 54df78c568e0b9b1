import { fromBase64 } from "../../function/base64.ts";
import { invalid } from "../../function/read.ts";
import { isHttpError } from "../errors/http_error.ts";
import { JSON_TYPE } from "../negotiation/choose_type.ts";
import {
  Answer,
  type AnswerContent,
  checkStatus,
  isBodyless,
  isDescribed,
  makeAnswer,
} from "./answer.ts";
import { answerPayload } from "./answer_payload.ts";
import type { Exchange } from "./exchange.ts";
import { addFields, AnswerHeaders, headersOf } from "./headers.ts";
import { type HttpResponse, isBuilt } from "./http_response.ts";
import { JSON_CONTENT_TYPE, writeJson } from "./json_transformer.ts";
import { isReply, type Reply } from "./reply.ts";
import { isBytes, isStream, isWebResponse, type StreamBody } from "./stream_body.ts";

const OCTETS = "application/octet-stream";
const RESPONSE_KEY =
  /^(?:statusCode|statusDescription|headers|multiValueHeaders|cookies|body|isBase64Encoded)$/;

/**
 * Makes the answer of a value that a route or a middleware returned.
 *
 * @throws The value itself if it is an error, because whoever returns an error means to throw it.
 * @throws {TypeError} If no response can carry the value.
 */
export function answerReply(reply: unknown, exchange: Exchange): Answer | Promise<Answer> {
  if (reply instanceof Answer) return reply;
  if (reply instanceof Error || isHttpError(reply)) throw reply;
  if (isReply(reply)) return answerParts(reply, exchange);
  if (isBuilt(reply)) return answerBuilt(reply, exchange);
  if (isWebResponse(reply)) return answerWebResponse(reply, exchange);
  if (looksLikeResponse(reply)) { // it may be data of a client
    throw invalid(
      "result of the route",
      "reply() or asResponse() around what looks like a response",
    );
  }
  if (Object(reply).headers instanceof AnswerHeaders) {
    throw invalid("result", "the answer itself, or a reply, instead of a copy of an answer");
  }
  return answerParts({ status: reply === undefined ? 204 : 200, payload: reply }, exchange);
}

function answerParts(
  { status, payload, headers: own, cookies = [], type }: Reply,
  exchange: Exchange,
): Answer | Promise<Answer> {
  const { payloads, extraHeaders } = exchange.settings;
  const headers = headersOf(own);
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  addFields(headers, extraHeaders);
  if (payload !== undefined && type === undefined && !isRaw(payload)) {
    return answerPayload(status, payload, payloads, headers, exchange);
  }
  if (type !== undefined) headers.set("Content-Type", type);
  if (exchange.type && isDescribed(status)) headers.vary("Accept");
  if (payload === undefined || isBodyless(status)) {
    return makeAnswer(status, headers, "", JSON_CONTENT_TYPE);
  }
  const contentType = type ?? OCTETS;
  const content = asItIs(payload, contentType, payloads.indent);
  return isStream(content)
    ? answerStream(status, headers, content, contentType, exchange)
    : makeAnswer(status, headers, content, contentType);
}

/** The content of a payload that has a type. */
function asItIs(payload: unknown, type: string, indent: number): AnswerContent | StreamBody {
  // A copy, because a route may use the bytes again before they are sent.
  if (isBytes(payload)) return payload.slice();
  if (typeof payload === "string" || isRaw(payload)) return payload;
  if (/^application\/(?:[^;]+\+)?json\b/i.test(type)) return writeJson(payload, indent);
  throw new TypeError(
    `Cannot send the payload as "${type}": expected a string, a Uint8Array or a stream`,
  );
}

function answerWebResponse(response: Response, exchange: Exchange): Promise<Answer> {
  const { status } = response;
  checkStatus(status);
  const headers = new AnswerHeaders();
  // On Deno, a loop would take ten times as long.
  response.headers.forEach((value, name) => headers.append(name, value));
  const contentType = headers.get("content-type") ?? OCTETS;
  addFields(headers, exchange.settings.extraHeaders);
  if (exchange.type && isDescribed(status)) headers.vary("Accept");
  return answerStream(status, headers, response, contentType, exchange);
}

/** Makes an answer of a content that is read, or begun, before the middleware sees it. */
async function answerStream(
  status: number,
  headers: AnswerHeaders,
  source: StreamBody | Response,
  contentType: string,
  { settings }: Exchange,
): Promise<Answer> {
  const content = await settings.open(source, contentType);
  if (content !== "") return makeAnswer(status, headers, content, contentType);
  return new Answer(status, headers, content, JSON_CONTENT_TYPE); // an empty stream is not base64
}

/** Takes a response apart that is built already. */
function answerBuilt(built: HttpResponse, { settings }: Exchange): Answer {
  const { statusCode, headers: single, multiValueHeaders, cookies = [], body = "" } = built;
  const headers = headersOf({ ...single, ...multiValueHeaders });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  const contentType = headers.get("content-type") ?? JSON_TYPE;
  addFields(headers, settings.extraHeaders);
  const content = built.isBase64Encoded ? fromBase64(body) : body;
  const answer = new Answer(statusCode, headers, content, contentType);
  answer.compression = { from: 0, codecs: [] };
  return answer;
}

function isRaw(value: unknown): value is Uint8Array | StreamBody {
  return isBytes(value) || isStream(value);
}

function looksLikeResponse(reply: unknown): boolean {
  return Object.hasOwn(Object(reply), "statusCode") &&
    Number.isInteger((reply as { statusCode: unknown }).statusCode) &&
    Object.keys(reply as object).every((key) => RESPONSE_KEY.test(key));
}
