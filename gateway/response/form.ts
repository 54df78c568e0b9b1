import { setOwn } from "../../function/read.ts";
import { log } from "../../logger/record.ts";
import type { EventFormat } from "../event/formats/format.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { type Answer, isBodyless } from "./answer.ts";
import { encodeSoon } from "./codec.ts";
import { agreeOnCodec } from "./coding.ts";
import { encodeBody } from "./content_body.ts";
import type { AnswerHeaders } from "./headers.ts";
import type { HttpResponse } from "./http_response.ts";
import { statusText } from "./status_text.ts";

/** The parts of a response that hold header fields. */
type HeaderParts = Pick<HttpResponse, "headers" | "multiValueHeaders" | "cookies">;

/**
 * Puts header fields into the form that a gateway takes.
 *
 * @param lists Whether the gateway takes lists of values alone.
 */
export function formHeaders(
  fields: AnswerHeaders,
  format: EventFormat,
  { lists = false } = {},
): HeaderParts {
  const parts: HeaderParts = { headers: {} };
  for (const [name, values] of fields) {
    const isCookie = name.length === 10 && name.toLowerCase() === "set-cookie";
    if (isCookie && format === "http") parts.cookies = [...values];
    else if (lists || (format === "rest" && values.length > 1)) {
      setOwn(parts.multiValueHeaders ??= {}, name, [...values]);
    } else if (isCookie && values.length > 1) {
      const dropped = values.length - 1;
      log("WARN", "Cannot send every cookie: the gateway takes one Set-Cookie of a response", [
        { sent: 1, dropped },
      ]);
      setOwn(parts.headers, name, values.at(-1)!);
    } else setOwn(parts.headers, name, values.join(", "));
  }
  return parts;
}

/**
 * Makes a response of an answer, in the form that the gateway of a request takes. Without a request, it has the form of
 * REST APIs.
 */
export function formResponse(
  { status, headers, contentType }: Answer,
  content: string | Uint8Array,
  event: FnProxyEvent | undefined,
): HttpResponse {
  const format = event?.format ?? "rest";
  const isDescribed = format === "alb" || format === "lattice";
  // A load balancer takes the map of the kind that it sends.
  const lists = format === "alb" && !!event?.rawEvent["multiValueHeaders"];
  const [body, isBase64Encoded] = isBodyless(status)
    ? ["", false]
    : encodeBody(content, contentType);
  return {
    statusCode: status,
    ...isDescribed && { statusDescription: `${status} ${statusText(status)}`.trimEnd() },
    ...formHeaders(headers, format, { lists }),
    body,
    isBase64Encoded,
  };
}

/** Compresses the content of an answer, and makes its response. */
export async function sendWhole(
  answer: Answer,
  event: FnProxyEvent | undefined,
): Promise<HttpResponse> {
  const codec = agreeOnCodec(answer, event);
  const content = answer.content as string | Uint8Array; // the middleware has seen no stream
  return formResponse(answer, codec ? await encodeSoon(content, codec) : content, event);
}
