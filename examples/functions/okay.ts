/**
 * Answers every request with 200: the result of every accessor of the event, and the raw event.
 *
 * Shows content negotiation (JSON, or a page for browsers), gzip and CORS. If an accessor raises an error, its result is
 * the error. The raw event holds credentials of the caller and identifiers of the account, so do not answer with it in your
 * own functions.
 */
import {
  type FnProxyEvent,
  HttpBadRequestError,
  HttpRequestEntityTooLargeError,
  proxyHandler,
} from "@mate/core/gateway";
import { options } from "./page.ts";
import { readEach } from "./read_each.ts";

/**
 * The most characters of a body as it is in the event, which is base64 behind API Gateway. The answer shows the body
 * several times, and AWS Lambda sends at most 6 MB.
 */
const MAX_BODY = 50_000;
/** The most levels of a payload, because the page has a list in a list for each. */
const MAX_DEPTH = 50;

export const handler = proxyHandler(async (event) => {
  const { rawEvent } = event;
  if (typeof rawEvent.body === "string" && rawEvent.body.length > MAX_BODY) {
    throw new HttpRequestEntityTooLargeError("The body is too large to be echoed");
  }
  return {
    accessors: await readEach({
      "format": () => event.format,
      "sourceIp()": () => event.sourceIp(),
      "httpMethod()": () => event.httpMethod(),
      "httpProtocol()": () => event.httpProtocol(),
      "httpUserAgent()": () => event.httpUserAgent(),
      "httpHeaders()": () => event.httpHeaders(),
      "header('accept')": () => event.header("accept"),
      "cookies()": () => event.cookies(),
      "headerSortedPreferences('accept')": () => event.headerSortedPreferences("accept"),
      "headerPreferences('accept-encoding')": () => event.headerPreferences("accept-encoding"),
      "queryDomainName()": () => event.queryDomainName(),
      "queryPath()": () => event.queryPath(),
      "queryStringParameters()": () => event.queryStringParameters(),
      "queryValues('name')": () => event.queryValues("name"),
      "queryString()": () => event.queryString(),
      "url()": () => event.url(),
      "pathParameters()": () => event.pathParameters(),
      "stageVariables()": () => event.stageVariables(),
      "routeKey()": () => event.routeKey(),
      "requestId()": () => event.requestId(),
      "text()": () => event.text(),
      "bytes()": () => event.bytes().toBase64(),
      "queryPayload()": () => flat(event.queryPayload()),
      "formData()": () => fieldsOf(event),
      "toRequest()": () => partsOf(event.toRequest()),
      "authorizer()": () => event.authorizer(),
      "authorizerClaims()": () => event.authorizerClaims(),
    }),
    rawEvent,
  };
}, options);

/** The fields of the form in the body. A file is its name, type and size. */
async function fieldsOf(event: FnProxyEvent): Promise<unknown> {
  return Array.from(await event.formData(), ([name, value]) => ({
    name,
    value: typeof value === "string"
      ? value
      : { filename: value.name, type: value.type, size: value.size },
  }));
}

/** The parts of a standard request. */
async function partsOf(request: Request): Promise<unknown> {
  const { method, url, headers } = request;
  return { method, url, headers: Object.fromEntries(headers), text: await request.text() };
}

/** Returns a value that is not nested too deeply to be shown. */
function flat(value: unknown): unknown {
  const isDeep = (member: unknown, depth: number): boolean =>
    typeof member === "object" && member !== null &&
    (depth > MAX_DEPTH || Object.values(member).some((child) => isDeep(child, depth + 1)));
  if (isDeep(value, 1)) {
    throw new HttpBadRequestError("The payload is nested too deeply to be shown");
  }
  return value;
}
