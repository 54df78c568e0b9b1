import { isError } from "../../logger/error.ts";
import { log, logInternalError } from "../../logger/record.ts";
import type { LogLevel } from "../../logger/state.ts";
import { readProperty, textOf } from "../../logger/text.ts";
import { type HttpError, isClientError, isServerError } from "../errors/http_error.ts";
import { HttpInternalServerError } from "../errors/server_errors.ts";
import { JSON_TYPE } from "../negotiation/choose_type.ts";
import type { Answer } from "./answer.ts";
import { answerPayload } from "./answer_payload.ts";
import type { ClientErrorLevel, Exchange } from "./exchange.ts";
import { addFields, AnswerHeaders, headersOf } from "./headers.ts";
import { type SimpleMessage, simpleMessage } from "./transformer.ts";

/** Answers a thrown value. Never throws. */
export function answerError(thrown: unknown, { settings, event }: Exchange): Answer {
  const { errors, extraHeaders, clientMessage } = settings;
  const error = toHttpError(thrown);
  const origin = { event, error, fallback: JSON_TYPE };
  let answer: Answer;
  try {
    const headers = headersOf(error.headers);
    addFields(headers, extraHeaders);
    answer = answerPayload(
      error.status,
      errorPayload(error, clientMessage),
      errors,
      headers,
      origin,
    );
  } catch (cause) { // a transformer that throws at every payload, an error with an invalid status
    logInternalError(internalError("Cannot build the response to an error", cause));
    const headers = new AnswerHeaders();
    addFields(headers, extraHeaders);
    const menu = { ...errors, types: [JSON_TYPE], transformers: {} };
    answer = answerPayload(500, clientMessage, menu, headers, {});
  }
  return withError(answer, thrown === undefined ? error : thrown);
}

/** The answer as the answer to a thrown value. */
export function withError(answer: Answer, error: unknown): Answer {
  (answer as { error: unknown }).error = error;
  return answer;
}

/** Logs a thrown value as what it became. An error that became a success is not logged. */
export function logAnswer({ status, error }: Answer, level: ClientErrorLevel): void {
  // Only an invalid status is neither.
  if (error !== undefined && !(status < 400)) logError(toHttpError(error), status, level);
}

/** Logs an error that is answered with a status. */
export function logError(error: HttpError, status: number, level: ClientErrorLevel): void {
  if (!(status < 500)) logInternalError(error);
  else if (level !== "off") {
    const cause = error.cause === undefined ? [] : [error.cause];
    log(level.toUpperCase() as LogLevel, error.message, [{ status }, ...cause]);
  }
}

/** The payload of the response to an error. The message and the details of a server error are not for the client. */
export function errorPayload(error: HttpError, clientMessage: string): SimpleMessage {
  const isFailure: boolean = isServerError(error);
  if (isFailure) return simpleMessage(clientMessage);
  const { message, details } = error;
  return { ...simpleMessage(message), ...details && { Details: details } };
}

/** The error that a thrown value is answered as. The message of a foreign error is not for the client. */
function toHttpError(thrown: unknown): HttpError {
  if (isServerError(thrown) || (isClientError(thrown) && thrown.status < 500)) return thrown;
  const message = isError(thrown) ? textOf(readProperty(thrown, "message")) : undefined;
  return internalError(message, thrown);
}

/** Makes the error that stands for a failure of other code. It has no frames: all of them would be the library's own. */
function internalError(message: string | undefined, cause: unknown): HttpError {
  const error = new HttpInternalServerError(message, { cause });
  error.stack = String(error);
  return error;
}
