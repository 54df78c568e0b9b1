import { HttpNotAcceptableError } from "../errors/client_errors.ts";
import type { HttpError } from "../errors/http_error.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { chooseType, JSON_TYPE } from "../negotiation/choose_type.ts";
import {
  type Answer,
  checkStatus,
  isBodyless,
  isDescribed,
  makeAnswer,
  requestHeader,
} from "./answer.ts";
import { listAvailable } from "./content_type.ts";
import type { AnswerHeaders } from "./headers.ts";
import { JSON_CONTENT_TYPE } from "./json_transformer.ts";
import { type Menu, simpleMessage, transform } from "./transformer.ts";

/** The request that a payload answers. */
export interface PayloadOrigin {
  readonly event?: FnProxyEvent | undefined;
  /** The type that was chosen for this request already. */
  readonly type?: string | undefined;
  /** The error that the payload is about. */
  readonly error?: HttpError | undefined;
  /** The type if the client accepts none. */
  readonly fallback?: string | undefined;
}

/**
 * Makes the answer of a payload whose type is negotiated.
 *
 * @param status The status code.
 * @param payload The payload; a string becomes a `SimpleMessage`.
 * @param menu The types that the payload can be sent as.
 * @param headers The header fields, which win over the generated ones.
 * @throws {HttpNotAcceptableError} If the client accepts none of the types, and there is no fallback.
 */
export function answerPayload(
  status: number,
  payload: unknown,
  menu: Menu,
  headers: AnswerHeaders,
  { event, type: chosen, error, fallback }: PayloadOrigin,
): Answer {
  checkStatus(status);
  if (event && isDescribed(status)) headers.vary("Accept");
  if (isBodyless(status)) return makeAnswer(status, headers, "", JSON_CONTENT_TYPE);
  const { types } = menu;
  if (types.length === 0) {
    throw new TypeError(`Cannot send the payload as "${JSON_TYPE}": it is not among the types`);
  }
  const type = chosen && types.includes(chosen)
    ? chosen
    : chooseType(requestHeader(event, "accept", status), types) ?? fallback;
  if (type === undefined) throw new HttpNotAcceptableError(listAvailable(types));
  const wrapped = typeof payload === "string" ? simpleMessage(payload) : payload;
  const [content, contentType] = transform(wrapped, type, menu, { status, error, event });
  return makeAnswer(status, headers, content, contentType);
}
