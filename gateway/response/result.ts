import {
  fromBase64,
  isBytes,
  isStream,
  isWebResponse,
  stopStream,
  type StreamBody,
} from "../../function/bytes.ts";
import { invalid, isThenable } from "../../function/arguments.ts";
import { errorKind } from "../errors/http_error.ts";
import { JSON_TYPE } from "../negotiation/media_type.ts";
import { isError } from "../../logger/error.ts";
import { Answer, type AnswerContent, CONTENT_KINDS, type Inside, keep } from "./answer.ts";
import {
  addFields,
  AnswerHeaders,
  checkStatus,
  headersOf,
  isBodyless,
  isDescribed,
} from "./status_and_headers.ts";
import { JSON_CONTENT_TYPE, writeJson } from "./transformer.ts";
import { answerPayload, type Exchange, makeAnswer } from "./exchange.ts";
import type { Work } from "./route.ts";
import { BUILT, hasMark, type HttpResponse } from "./http_response.ts";
import { type DescribedReply, REPLY, type Reply } from "./reply.ts";

/**
 * Runs a route, and answers what it throws. Returns a promise only if the route does, or if its answer takes time to
 * write. Never rejects or throws.
 *
 * @param outer What the middleware around the route, if there is one, knows of the answer.
 */
export function runRoute(
  { route, negotiate }: Work,
  exchange: Exchange,
  outer?: Inside,
): Answer | Promise<Answer> {
  try {
    negotiate?.(exchange);
    const result = route(exchange.event!, exchange.context);
    const answer = isThenable(result) ? result : answerResult(result, exchange);
    return answer instanceof Answer ? keep(answer, outer) : answerLater(answer, exchange, outer);
  } catch (thrown) {
    return keep(exchange.answerError(thrown), outer);
  }
}

async function answerLater(
  pending: unknown,
  exchange: Exchange,
  outer: Inside | undefined,
): Promise<Answer> {
  let answer: Answer | Promise<Answer>;
  try {
    answer = answerResult(await pending, exchange);
    if (answer instanceof Promise) answer = await answer; // each await takes a turn
  } catch (thrown) {
    answer = exchange.answerError(thrown);
  }
  return keep(answer, outer);
}

const OCTETS = "application/octet-stream";
const RESPONSE_KEY =
  /^(statusCode|statusDescription|headers|multiValueHeaders|cookies|body|isBase64Encoded)$/;

/**
 * Makes the answer of a value that a route or a middleware returned.
 *
 * @throws The value itself if it is an error, because whoever returns an error means to throw it.
 * @throws {TypeError} If no response can carry the value.
 */
export function answerResult(result: unknown, exchange: Exchange): Answer | Promise<Answer> {
  if (result instanceof Answer) return result;
  if (result instanceof Error || errorKind(result)) throw result;
  try {
    if (hasMark(result, REPLY)) return answerReply(result, exchange);
    if (hasMark(result, BUILT)) return answerBuilt(result, exchange);
    if (isWebResponse(result)) return answerWebResponse(result, exchange);
    const object = Object(result);
    const looksLikeResponse = Object.hasOwn(object, "statusCode") &&
      Number.isInteger(object.statusCode) &&
      Object.keys(object).every((key) => RESPONSE_KEY.test(key));
    if (looksLikeResponse) { // it may be data of a client
      throw invalid("result", "reply() or asResponse() around a response");
    }
    if (object.headers instanceof AnswerHeaders) {
      throw invalid("result", "the answer itself instead of a copy");
    }
    return answerReply({ status: result === undefined ? 204 : 200, payload: result }, exchange);
  } catch (thrown) {
    throw aboutResult(thrown);
  }
}

function answerReply(
  { status, payload, headers: own, cookies, type, isSchemaOutput }: Reply & Partial<DescribedReply>,
  exchange: Exchange,
): Answer | Promise<Answer> {
  const { payloads, extraHeaders } = exchange.settings;
  const headers = own || cookies ? headersOf(own, cookies) : new AnswerHeaders();
  if (payload !== undefined && type === undefined && !isBytes(payload) && !isStream(payload)) {
    addFields(headers, extraHeaders);
    return answerPayload(status, payload, payloads, headers, exchange, isSchemaOutput);
  }
  complete(headers, status, exchange);
  if (type !== undefined) headers.set("Content-Type", type);
  if (payload === undefined || isBodyless(status)) {
    stopStream(payload);
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
  if (typeof payload === "string" || isBytes(payload)) return payload.slice();
  if (isStream(payload)) return payload;
  if (/^application\/([^;]+\+)?json\b/i.test(type)) return writeJson(payload, indent);
  throw invalid(`payload of "${type}"`, CONTENT_KINDS);
}

function answerWebResponse(response: Response, exchange: Exchange): Promise<Answer> {
  const { status } = response;
  checkStatus(status, 200);
  const headers = new AnswerHeaders();
  // On Deno, a loop would take ten times as long.
  response.headers.forEach((value, name) => headers.append(name, value));
  const contentType = headers.get("content-type") ?? OCTETS;
  complete(headers, status, exchange);
  return answerStream(status, headers, response, contentType, exchange);
}

/** Adds the fields that the handler has for every answer. */
function complete(
  headers: AnswerHeaders,
  status: number,
  { settings, type }: Exchange,
): AnswerHeaders {
  if (type !== undefined && isDescribed(status)) headers.vary("Accept");
  return addFields(headers, settings.extraHeaders);
}

/** Makes an answer of a content that is read, or begun, before the middleware sees it. */
async function answerStream(
  status: number,
  headers: AnswerHeaders,
  source: StreamBody | Response,
  contentType: string,
  { open }: Exchange,
): Promise<Answer> {
  const content = await open(source, contentType);
  if (content !== "") return makeAnswer(status, headers, content, contentType);
  return new Answer(status, headers, content, JSON_CONTENT_TYPE); // an empty stream is not base64
}

/** Takes a response apart that is built already. */
function answerBuilt(built: HttpResponse, { settings }: Exchange): Answer {
  const { statusCode, headers: single, multiValueHeaders, cookies, body = "" } = built;
  checkStatus(statusCode, 200);
  const headers = headersOf({ ...single, ...multiValueHeaders }, cookies);
  const contentType = headers.get("content-type") ?? JSON_TYPE;
  addFields(headers, settings.extraHeaders);
  const content = built.isBase64Encoded ? fromBase64(body) : body;
  const answer = new Answer(statusCode, headers, content, contentType);
  answer.compression = { from: 0, codecs: [] };
  return answer;
}

/** Errors about what a route returned. */
const ABOUT_RESULTS = /* @__PURE__ */ new WeakSet<object>();

/** Says that an error is about what a route returned: its work is done, and must not run again. */
export function aboutResult<Thrown>(thrown: Thrown): Thrown {
  if (isError(thrown)) ABOUT_RESULTS.add(thrown);
  return thrown;
}

/** Whether an answer was made of an error that the route or a middleware threw. */
export function hasFailed({ error }: Answer): boolean {
  return error !== undefined && !ABOUT_RESULTS.has(error as object);
}
