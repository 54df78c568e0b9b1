import { decodeLooseBase64 } from "../../function/base64.ts";
import { log } from "../../logger/record.ts";
import type { EventFormat } from "../event/formats/format.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { JSON_TYPE } from "../negotiation/choose_type.ts";
import type { Answer } from "./answer.ts";
import { encodeBody } from "./content_body.ts";
import { type HeaderMap, valueOf } from "./headers.ts";
import type { HttpResponse } from "./http_response.ts";
import { markStreamed, type StreamedResponse } from "./stream_response.ts";
import { statusText } from "./status_text.ts";

/** The parts of a response that hold header fields. */
type HeaderParts = Pick<HttpResponse, "headers" | "multiValueHeaders" | "cookies">;

/** The header fields in the form that a gateway takes. */
function formHeaders(fields: HeaderMap, format: EventFormat, isMultiValue: boolean): HeaderParts {
  // Entries, because assigning to `__proto__`, which is a token, sets no property of an object.
  const headers: [string, string][] = [];
  const multiValueHeaders: [string, string[]][] = [];
  let cookies: string[] | undefined;
  for (const [key, [name, values]] of fields) {
    const isCookie = key === "set-cookie";
    if (isCookie && format === "http") cookies = [...values];
    else if (isMultiValue || (format === "rest" && values.length > 1)) {
      multiValueHeaders.push([name, [...values]]);
    } else if (isCookie && values.length > 1) {
      const dropped = values.length - 1;
      log("WARN", "Cannot send every cookie: the gateway takes one Set-Cookie of a response", [
        { sent: 1, dropped },
      ]);
      headers.push([name, values.at(-1)!]);
    } else headers.push([name, values.join(", ")]);
  }
  return {
    headers: Object.fromEntries(headers),
    ...multiValueHeaders.length > 0 && { multiValueHeaders: Object.fromEntries(multiValueHeaders) },
    ...cookies && { cookies },
  };
}

/** A response in the form that the gateway of a request takes. Without a request, it has the form of REST APIs. */
export function formResponse(
  { status, fields, content, contentType }: Answer,
  event: FnProxyEvent | undefined,
): HttpResponse {
  const format = event?.format ?? "rest";
  const isDescribed = format === "alb" || format === "lattice";
  // A load balancer takes the map of the kind that it sends.
  const isMultiValue = format === "alb" && !!event?.rawEvent["multiValueHeaders"];
  const [body, isBase64Encoded] = encodeBody(content, contentType);
  return {
    statusCode: status,
    ...isDescribed && { statusDescription: `${status} ${statusText(status)}`.trimEnd() },
    ...formHeaders(fields, format, isMultiValue),
    body,
    isBase64Encoded,
  };
}

/** A response that is streamed. It has the header fields of payload 2.0. */
export function formStream(
  status: number,
  fields: HeaderMap,
  body: AsyncIterable<Uint8Array>,
): StreamedResponse {
  const { headers, cookies = [] } = formHeaders(fields, "http", false);
  return markStreamed({ statusCode: status, headers, cookies }, body);
}

/** Takes a response apart that is built already, to add header fields. */
export function answerBuilt(built: HttpResponse): Answer {
  const { statusCode: status, headers, multiValueHeaders, cookies, body = "" } = built;
  const fields: HeaderMap = new Map();
  const own = Object.entries<unknown>({ ...headers, ...multiValueHeaders });
  if (cookies) own.push(["Set-Cookie", cookies]);
  for (const [name, value] of own) {
    fields.set(name.toLowerCase(), [name, [value].flat().map(String)]);
  }
  const content = built.isBase64Encoded ? decodeLooseBase64(body) ?? body : body;
  return { status, fields, content, contentType: valueOf(fields, "content-type") ?? JSON_TYPE };
}
