import { invalid, quote } from "../../function/read.ts";
import { findHeader } from "../event/headers.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import type { Compression } from "./codec.ts";
import type { AnswerHeaders } from "./headers.ts";
import { isBytes, isStream } from "./stream_body.ts";

/** The content of an answer: text, bytes, or chunks that are made while they are sent. */
export type AnswerContent = string | Uint8Array | AsyncIterable<Uint8Array>;

/**
 * What becomes of the reply of a route: its type is negotiated, its content is not compressed yet, and it is not in the
 * form of a gateway yet.
 */
export class Answer {
  /** The status code, 100 to 599. It may be assigned. */
  status: number;
  /** The header fields. */
  readonly headers: AnswerHeaders;
  /** The content. It may be assigned. */
  content: AnswerContent;
  /** The thrown value that this answers; `undefined` if nothing failed. */
  readonly error: unknown;
  /** How the content is compressed after all middleware; `compress()` sets it. */
  compression?: Compression;
  #contentType: string;

  /** Makes an answer. The library calls this; a middleware answers like a route. */
  constructor(
    status: number,
    headers: AnswerHeaders,
    content: AnswerContent,
    contentType: string,
    error?: unknown,
  ) {
    this.status = status;
    this.headers = headers;
    this.content = content;
    this.error = error;
    this.#contentType = contentType;
  }

  /**
   * The type of the content, which decides whether the body is base64. It may be assigned, and then sets `Content-Type`
   * too.
   */
  get contentType(): string {
    return this.#contentType;
  }

  set contentType(type: string) {
    this.headers.set("Content-Type", type);
    this.#contentType = type;
  }
}

/** Makes an answer. Its fields get a `Content-Type` if they have none. */
export function makeAnswer(
  status: number,
  headers: AnswerHeaders,
  content: AnswerContent,
  contentType: string,
  error?: unknown,
): Answer {
  if (!headers.has("content-type")) headers.set("Content-Type", contentType);
  return new Answer(status, headers, content, contentType, error);
}

/** Throws if a middleware assigned what no response can carry. */
export function checkAnswer({ status, content }: Answer): void {
  checkStatus(status);
  if (typeof content === "string" || isBytes(content) || isStream(content)) return;
  throw invalid("content of an answer", "a string, a Uint8Array or a stream");
}

/** Whether a response can have this status. */
export function isStatus(status: unknown): boolean {
  return Number.isInteger(status) && 100 <= (status as number) && (status as number) <= 599;
}

/** Throws if a response cannot have this status. */
export function checkStatus(status: unknown): void {
  if (isStatus(status)) return;
  throw new RangeError(`Invalid status ${quote(status)}: expected a whole number from 100 to 599`);
}

/** Whether a response with this status has no content (RFC 9110 §15). */
export function isBodyless(status: number): boolean {
  return status < 200 || status === 204 || status === 205 || status === 304;
}

/** Whether the header fields of a response describe a content: its own, or the one that the client has already. */
export function isDescribed(status: number): boolean {
  return !isBodyless(status) || status === 304;
}

/**
 * Reads a header of the request that decides about the response. If the response is an error, an unusable header
 * counts as absent, because an error is answered whatever the event.
 */
export function requestHeader(
  event: FnProxyEvent | undefined,
  name: string,
  status: number,
): string | undefined {
  try {
    return event && findHeader(event.rawEvent, name);
  } catch (error) {
    if (status < 400) throw error;
    return undefined;
  }
}
