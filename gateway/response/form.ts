import { decodeLooseBase64 } from "../../function/base64.ts";
import { log } from "../../logger/record.ts";
import type { EventFormat } from "../event/formats/format.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { addVary, type HeaderMap, valueOf } from "./headers.ts";
import { type HttpResponse, markBuilt } from "./http_response.ts";
import { markStreamed, oneChunk, type StreamedResponse } from "./stream_response.ts";
import { statusText } from "./status_text.ts";

/** The parts of a response that hold header fields. */
type HeaderParts = Pick<HttpResponse, "headers" | "multiValueHeaders" | "cookies">;

/** The header fields in the form that a gateway takes. */
function formHeaders(fields: HeaderMap, format: EventFormat, isMultiValue: boolean): HeaderParts {
  // Maps, because assigning to `__proto__`, which is a token, sets no property of an object.
  const headers = new Map<string, string>();
  const multiValueHeaders = new Map<string, string[]>();
  let cookies: string[] | undefined;
  for (const [key, [name, values]] of fields) {
    const isCookie = key === "set-cookie";
    if (isCookie && format === "http") cookies = [...values];
    else if (isMultiValue || (format === "rest" && values.length > 1)) {
      multiValueHeaders.set(name, [...values]);
    } else if (isCookie && values.length > 1) {
      const dropped = values.length - 1;
      log("WARN", "Cannot send every cookie: the gateway takes one Set-Cookie of a response", [
        { sent: 1, dropped },
      ]);
      headers.set(name, values.at(-1)!);
    } else headers.set(name, values.join(", "));
  }
  return {
    headers: Object.fromEntries(headers),
    ...multiValueHeaders.size > 0 && { multiValueHeaders: Object.fromEntries(multiValueHeaders) },
    ...cookies && { cookies },
  };
}

/** The header fields in the form that the gateway of a request takes; that of REST APIs if there is no request. */
function formFor(event: FnProxyEvent | undefined, fields: HeaderMap): HeaderParts {
  const format = event?.format ?? "rest";
  // A load balancer takes the map of the kind that it sends.
  return formHeaders(fields, format, format === "alb" && !!event?.rawEvent["multiValueHeaders"]);
}

/** A response in the form that the gateway of a request takes. */
export function formResponse(
  status: number,
  fields: HeaderMap,
  [body, isBase64Encoded]: readonly [body: string, isBase64Encoded: boolean],
  event: FnProxyEvent | undefined,
): HttpResponse {
  const isDescribed = /^(?:alb|lattice)$/.test(event?.format ?? "");
  return markBuilt({
    statusCode: status,
    ...isDescribed && { statusDescription: `${status} ${statusText(status)}`.trimEnd() },
    ...formFor(event, fields),
    body,
    isBase64Encoded,
  });
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

/** Streams a response that is built already. */
export function streamBuilt(built: HttpResponse): StreamedResponse {
  const { statusCode, body = "", isBase64Encoded } = built;
  const content = isBase64Encoded ? decodeLooseBase64(body) ?? body : body;
  return formStream(statusCode, fieldsOf(built), oneChunk(content));
}

/** Adds header fields to a response that is built already. Its own fields win; `Vary` is merged. */
export function addToBuilt(
  built: HttpResponse,
  extra: HeaderMap,
  event: FnProxyEvent | undefined,
): HttpResponse {
  if (extra.size === 0) return built;
  const fields = new Map([...extra, ...fieldsOf(built)]);
  const vary = valueOf(extra, "vary");
  if (vary) addVary(fields, vary);
  const { headers: _, multiValueHeaders: __, cookies: ___, ...rest } = built;
  return markBuilt({ ...rest, ...formFor(event, fields) });
}

/** The header fields of a response that is built already. */
function fieldsOf({ headers, multiValueHeaders, cookies }: HttpResponse): HeaderMap {
  const own = Object.entries<unknown>({ ...headers, ...multiValueHeaders });
  if (cookies) own.push(["Set-Cookie", cookies]);
  return new Map(
    own.map(([name, value]) => [name.toLowerCase(), [name, [value].flat().map(String)]]),
  );
}
