import { invalid } from "../../function/arguments.ts";
import { HttpNotAcceptableError } from "../errors/client_errors.ts";
import type { HttpError } from "../errors/http_error.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { chooseType, JSON_TYPE } from "../negotiation/media_type.ts";
import { Answer, type AnswerContent } from "./answer.ts";
import { type AnswerHeaders, requestHeader } from "./headers.ts";
import { isBodyless, isDescribed } from "./status.ts";
import { JSON_CONTENT_TYPE, type Menu, simpleMessage, transform } from "./transformer.ts";

/** What decides how a payload is written. */
export interface PayloadFacts {
  readonly event?: FnProxyEvent | undefined;
  /** The type that was chosen for this request already. */
  readonly type?: string | undefined;
  /** The error that the payload is about. */
  readonly error?: HttpError | undefined;
  /** The type if the client accepts none. */
  readonly fallback?: string | undefined;
}

/**
 * Makes the answer of a payload whose type is negotiated. The header fields win over the generated ones.
 *
 * @param isWhole Whether a text is the whole payload; otherwise it becomes the message in an object.
 * @throws {HttpNotAcceptableError} If the client accepts none of the types of the menu, and no fallback is given.
 */
export function answerPayload(
  status: number,
  payload: unknown,
  menu: Menu,
  headers: AnswerHeaders,
  { event, type: chosen, error, fallback }: PayloadFacts,
  isWhole = false,
): Answer {
  if (event && isDescribed(status)) headers.vary("Accept");
  if (isBodyless(status)) return makeAnswer(status, headers, "", JSON_CONTENT_TYPE);
  const { types } = menu;
  if (types.length === 0) throw invalid("option types", `${JSON_TYPE} or a reply with a type`);
  const type = types.includes(chosen!)
    ? chosen
    : chooseType(requestHeader(event, "accept", status), types) ?? fallback;
  if (type === undefined) throw new HttpNotAcceptableError(listAvailable(types));
  const wrapped = typeof payload === "string" && !isWhole ? simpleMessage(payload) : payload;
  const [content, contentType] = transform(wrapped, type, menu, { status, error, event });
  return makeAnswer(status, headers, content, contentType);
}

/** Makes an answer. Its fields get a `Content-Type` if they have none. */
export function makeAnswer(
  status: number,
  headers: AnswerHeaders,
  content: AnswerContent,
  contentType: string,
): Answer {
  if (!headers.has("content-type")) headers.set("Content-Type", contentType);
  return new Answer(status, headers, content, contentType);
}

/** The message for a client that accepts none of the types. */
export function listAvailable(types: readonly string[]): string {
  return `No acceptable type: available are ${types.join(", ")}`;
}
