import { invalid } from "../../function/read.ts";
import {
  type Answer,
  answerPayload,
  checkStatus,
  type Exchange,
  isBodyless,
  isDescribed,
  makeAnswer,
} from "./answer.ts";
import { addFields, addVary, type HeaderMap, readHeaders, valueOf } from "./headers.ts";
import { JSON_CONTENT_TYPE, writeJson } from "./json_transformer.ts";
import { isReply, type Reply } from "./reply.ts";
import type { Menu } from "./transformer.ts";
import { isBytes, isStream, isWebResponse, type StreamBody } from "./stream_body.ts";

/** The content of a response: a `Response` stands for its body. */
export type Content = string | Uint8Array | StreamBody | Response;

const OCTETS = "application/octet-stream";
const RESULT_KEY =
  /^(?:statusCode|statusDescription|headers|multiValueHeaders|cookies|body|isBase64Encoded)$/;

/**
 * Makes the response of a value that a route returned.
 *
 * @param result The value; not a response that was built on purpose.
 * @param menu The types that a payload can be sent as.
 * @param extra The header fields of the handler. The header fields of the value win over them.
 * @param exchange The request, and the type that was chosen for it.
 * @throws {TypeError} If no response can carry the value.
 */
export function answerResult(
  result: unknown,
  menu: Menu,
  extra: HeaderMap,
  exchange: Exchange,
): Answer<Content> {
  if (isReply(result)) return answerReply(result, menu, extra, exchange);
  if (isWebResponse(result)) return answerWebResponse(result, extra, exchange);
  if (isRaw(result)) return answerReply({ status: 200, payload: result }, menu, extra, exchange);
  if (!looksLikeResponse(result)) {
    return answerPayload(result === undefined ? 204 : 200, result, menu, extra, exchange);
  }
  // It may be data of a client.
  throw invalid("result of the route", "reply() or asResponse() around what looks like a response");
}

function answerReply(
  { status, payload, headers, cookies = [], type }: Reply,
  menu: Menu,
  extra: HeaderMap,
  exchange: Exchange,
): Answer<Content> {
  const own = readHeaders(headers);
  if (cookies.length > 0) {
    own.set("set-cookie", ["Set-Cookie", [...own.get("set-cookie")?.[1] ?? [], ...cookies]]);
  }
  const fields = addFields(own, extra);
  const isEmpty = payload === undefined || isBodyless(status);
  if (payload !== undefined && type === undefined && !isRaw(payload)) {
    return answerPayload(status, payload, menu, fields, exchange);
  }
  if (type !== undefined) fields.set("content-type", ["Content-Type", [type]]);
  if (isEmpty) return makeAnswer(status, fields, "", JSON_CONTENT_TYPE, exchange.type);
  const contentType = type ?? OCTETS;
  const content = asItIs(payload, contentType, menu.indent);
  return makeAnswer<Content>(status, fields, content, contentType, exchange.type);
}

/** The content of a payload that has a type. */
function asItIs(payload: unknown, type: string, indent: number): Content {
  if (typeof payload === "string" || isRaw(payload)) return payload;
  if (/^application\/(?:[^;]+\+)?json\b/i.test(type)) return writeJson(payload, indent);
  throw new TypeError(
    `Cannot send the payload as "${type}": expected a string, a Uint8Array or a stream`,
  );
}

function answerWebResponse(
  response: Response,
  extra: HeaderMap,
  { type }: Exchange,
): Answer<Content> {
  const { status } = response;
  checkStatus(status);
  const own: HeaderMap = new Map();
  // On Deno, a loop would take ten times as long.
  response.headers.forEach((value, name) => {
    own.set(name, [name, [...own.get(name)?.[1] ?? [], value]]);
  });
  const contentType = valueOf(own, "content-type") ?? OCTETS;
  const fields = addFields(own, extra);
  if (type && isDescribed(status)) addVary(fields, "Accept");
  // Not `response.body`, which would make a stream of a text that is there already.
  return { status, fields, content: response, contentType };
}

function isRaw(value: unknown): value is Uint8Array | StreamBody {
  return isBytes(value) || isStream(value);
}

function looksLikeResponse(result: unknown): boolean {
  return Object.hasOwn(Object(result), "statusCode") &&
    Number.isInteger((result as { statusCode: unknown }).statusCode) &&
    Object.keys(result as object).every((key) => RESULT_KEY.test(key));
}
