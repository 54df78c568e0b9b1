import { isError, readProperty, textOf } from "../../logger/error.ts";
import { log, logInternalError } from "../../logger/record.ts";
import type { LogLevel } from "../../logger/state.ts";
import { errorKind, type HttpError } from "../errors/http_error.ts";
import { HttpInternalServerError } from "../errors/server_errors.ts";
import { GatewayEvent } from "../event/formats.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { readPathBelow } from "../event/route_path.ts";
import type { Answer } from "./answer.ts";
import { isStatus } from "./status.ts";
import { type SimpleMessage, simpleMessage } from "./transformer.ts";

/**
 * The error that a thrown value is answered as: itself, if its status is one of its kind. The message of a foreign error is
 * not for the client.
 */
export function toHttpError(thrown: unknown): HttpError {
  const kind = errorKind(thrown);
  const known = thrown as HttpError;
  if (kind && isStatus(known.status, kind === "server" ? 500 : 400)) return known;
  const message = isError(thrown) ? textOf(readProperty(thrown, "message")) : undefined;
  return internalError(message, thrown);
}

/** Makes the error that stands for a failure of other code. It has no frames: all of them would be the library's own. */
export function internalError(message: string | undefined, cause: unknown): HttpError {
  const error = new HttpInternalServerError(message, { cause });
  error.stack = String(error);
  return error;
}

/** The payload of the response to an error. The message and the details of a server error are not for the client. */
export function errorPayload(error: HttpError, clientMessage: string): SimpleMessage {
  if (error.status >= 500) return simpleMessage(clientMessage);
  const { message, details } = error;
  return details ? { ...simpleMessage(message), Details: details } : simpleMessage(message);
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

/** Says which thrown value an answer answers. */
export function withError(answer: Answer, error: unknown): Answer {
  (answer as { error: unknown }).error = error;
  return answer;
}

/** Reads the path of a request. */
export type ReadPath = (event: GatewayEvent) => string;

/** The level of the log record of a client error; `"off"` for no record. */
export type ClientErrorLevel = "error" | "warn" | "info" | "off";

/** Logs an error that is answered with a status. */
export function logError(
  error: HttpError,
  status: number,
  level: ClientErrorLevel,
  event: FnProxyEvent | undefined,
  readPath?: ReadPath,
): void {
  if (!(status < 500)) logInternalError(error);
  else if (level !== "off") {
    const data: unknown[] = [{ status, ...requestFacts(event, readPath) }];
    if (error.cause !== undefined) data.push(error.cause);
    log(level.toUpperCase() as LogLevel, error.message, data);
  }
}

/** The method and the path of a request; nothing if the event has none. */
export function requestFacts(
  event: FnProxyEvent | undefined,
  readPath: ReadPath = readPathBelow,
): { method?: string; path?: string } {
  try {
    return { method: event!.httpMethod(), path: readPath(new GatewayEvent(event!.rawEvent)) };
  } catch {
    return {}; // without the event of a request, the record has no method and path
  }
}
