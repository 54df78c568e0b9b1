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

/** The parts that are the same for each gateway but for the header fields. */
type Form = (fields: HeaderMap, event: FnProxyEvent | undefined) => HeaderParts;

/** How each gateway takes header fields, by the `format` of its events. */
const FORMS: Record<EventFormat, Form> = {
  rest(fields) {
    const all = [...fields.values()];
    const several = all.filter(([, values]) => values.length > 1);
    if (several.length === 0) return { headers: single(all) };
    const headers = single(all.filter(([, values]) => values.length === 1));
    return { headers, multiValueHeaders: multiple(several) };
  },
  http(fields) {
    const cookies = fields.get("set-cookie")?.[1];
    const headers = single([...fields].filter(([name]) => name !== "set-cookie").map(toField));
    return cookies === undefined ? { headers } : { headers, cookies: [...cookies] };
  },
  alb(fields, event) {
    // The load balancer takes the map of the kind that it sends.
    return event?.rawEvent["multiValueHeaders"]
      ? { headers: {}, multiValueHeaders: multiple([...fields.values()]) }
      : { headers: lastCookie(fields) };
  },
  lattice: (fields) => ({ headers: lastCookie(fields) }),
};

type Field = readonly [name: string, values: readonly string[]];

const toField = ([, field]: readonly [string, Field]): Field => field;

// From entries, because assigning to `__proto__`, which is a token, sets no property.
function single(fields: readonly Field[]): Record<string, string> {
  return Object.fromEntries(fields.map(([name, values]) => [name, values.join(", ")]));
}

function multiple(fields: readonly Field[]): Record<string, string[]> {
  return Object.fromEntries(fields.map(([name, values]) => [name, [...values]]));
}

/** The fields for a gateway that takes one value of each: several are joined, but for cookies (RFC 9110 §5.3). */
function lastCookie(fields: HeaderMap): Record<string, string> {
  const cookies = fields.get("set-cookie");
  if (cookies === undefined || cookies[1].length === 1) return single([...fields.values()]);
  const dropped = cookies[1].length - 1;
  log("WARN", "Cannot send every cookie: the gateway takes one Set-Cookie of a response", [
    { sent: 1, dropped },
  ]);
  const [name, values] = cookies;
  return single([...new Map(fields).set("set-cookie", [name, values.slice(-1)]).values()]);
}

/** Whether the gateway of an event takes a reason phrase. */
const DESCRIBED: ReadonlySet<string | undefined> = new Set(["alb", "lattice"]);

/** The header fields in the form that the gateway of a request takes; that of REST APIs if there is no request. */
export function formHeaders(fields: HeaderMap, event: FnProxyEvent | undefined): HeaderParts {
  return FORMS[event?.format ?? "rest"](fields, event);
}

/** A response in the form that the gateway of a request takes. */
export function formResponse(
  status: number,
  fields: HeaderMap,
  [body, isBase64Encoded]: readonly [body: string, isBase64Encoded: boolean],
  event: FnProxyEvent | undefined,
): HttpResponse {
  const phrase = DESCRIBED.has(event?.format) &&
    { statusDescription: `${status} ${statusText(status)}`.trimEnd() };
  return markBuilt({
    statusCode: status,
    ...phrase,
    ...formHeaders(fields, event),
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
  const { headers, cookies = [] } = FORMS.http(fields, undefined);
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
  return markBuilt({ ...rest, ...formHeaders(fields, event) });
}

/** The header fields of a response that is built already. */
function fieldsOf({ headers, multiValueHeaders, cookies }: HttpResponse): HeaderMap {
  const own = Object.entries<unknown>({ ...headers, ...multiValueHeaders });
  if (cookies) own.push(["Set-Cookie", cookies]);
  return new Map(
    own.map(([name, value]) => [name.toLowerCase(), [name, [value].flat().map(String)]]),
  );
}
