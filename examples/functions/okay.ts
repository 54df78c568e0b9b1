/**
 * Answers any request with 200: what every accessor of the event gives, and the raw event.
 *
 * Shows content negotiation (JSON, a page for browsers), gzip, CORS, and errors in place: an accessor whose key
 * the event lacks raises, and the others still answer. The raw event holds identifiers of the account and the
 * caller's credentials; a function of one's own had better keep it to itself.
 */
import { HttpRequestEntityTooLargeError, proxyHandler } from "@mate/core/gateway";
import { CORS, preflight } from "./_cors.ts";
import { readEach } from "./_read_each.ts";
import { htmlPage } from "./page/page.ts";
import { POLICY } from "./page/policy.ts";

const MAX_BODY = 800_000; // characters; the answer, which holds it twice, must stay below the platform's 6 MB

export const handler = proxyHandler((event) => {
  const { rawEvent } = event;
  if (typeof rawEvent.body === "string" && rawEvent.body.length > MAX_BODY) {
    throw new HttpRequestEntityTooLargeError("The body is too large to be echoed");
  }
  return preflight(event) ?? {
    accessors: readEach({
      "queryString()": () => event.queryString(),
      "sourceIp()": () => event.sourceIp(),
      "httpMethod()": () => event.httpMethod(),
      "httpProtocol()": () => event.httpProtocol(),
      "httpUserAgent()": () => event.httpUserAgent(),
      "httpHeaders()": () => event.httpHeaders(),
      "headerSortedPreferences('accept')": () => event.headerSortedPreferences("accept"),
      "headerSortedPreferences('accept-encoding')": () =>
        event.headerSortedPreferences("accept-encoding"),
      "headerSortedPreferences('accept-language')": () =>
        event.headerSortedPreferences("accept-language"),
      "headerPreferences('accept')": () => event.headerPreferences("accept"),
      "queryDomainName()": () => event.queryDomainName(),
      "queryPath()": () => event.queryPath(),
      "queryStringParameters()": () => event.queryStringParameters(),
      "queryPayload()": () => event.queryPayload(),
      "authorizerClaims()": () => event.authorizerClaims(),
    }),
    rawEvent,
  };
}, {
  customTransformers: { "text/html": htmlPage("okay") },
  extraHeaders: { ...CORS, ...POLICY },
});
