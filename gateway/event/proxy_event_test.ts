import { assertEquals, assertStrictEquals } from "@std/assert";
import { FnEvent, type JsonObject, type JsonValue } from "../../function/mod.ts";
import { withKey } from "../../testdata/accessors.ts";
import { load } from "../testdata/events.ts";
import type { IpAddress } from "./ip_address.ts";
import type { Preference } from "../negotiation/preferences.ts";
import { FnProxyEvent } from "./proxy_event.ts";

Deno.test("FnProxyEvent keeps the event, and reads its headers", () => {
  const raw = load("rest");
  const event = new FnProxyEvent(raw);
  assertEquals(event instanceof FnEvent, true);
  assertStrictEquals(event.rawEvent, raw);
  assertEquals(event.sourceIp().version, 4);
  assertEquals(event.httpHeaders()["x-forwarded-for"], "198.51.100.17, 203.0.113.9");
  assertEquals(event.headerSortedPreferences("accept-language"), ["de-CH", "de", "en"]);
  assertEquals(event.headerPreferences("accept-language").at(-1), { value: "en", quality: 0.5 });
  assertEquals(event.queryString(), `GET ${event.url()}`);
});

Deno.test("sourceIp() and queryString() read an event of SAM local", () => {
  const event = new FnProxyEvent(load("samLocal"));
  assertEquals(String(event.sourceIp()), "127.0.0.1");
  assertEquals(event.queryString(), "GET https://127.0.0.1:3000/okay?n=1");
});

Deno.test("authorizerClaims() returns the claims, and null for an anonymous request", () => {
  const claims = { sub: "8c5f9a6e", email_verified: "true" };
  const custom = { principalId: "user|mira", integrationLatency: 12, limit: 250 };
  for (
    const [authorizer, expected] of [
      [{ claims }, claims],
      [{ claims: null, scopes: null }, null],
      [custom, null],
      [null, null],
      [undefined, null],
    ] as const
  ) {
    const event = withKey(load("rest"), "requestContext.authorizer", authorizer);
    assertEquals(new FnProxyEvent(event).authorizerClaims(), expected);
  }
});

Deno.test("queryPath() splits the path and drops one empty part at each end", () => {
  for (
    const [path, expected] of [
      ["/", []],
      ["", []],
      ["//", [""]],
      ["/a", ["a"]],
      ["/a/", ["a"]],
      ["a/b", ["a", "b"]],
      ["/a//b/", ["a", "", "b"]],
      ["/a%2Fb/%C3%A9", ["a%2Fb", "%C3%A9"]],
    ] as const
  ) {
    const event = withKey(load("rest"), "requestContext.path", path);
    assertEquals(new FnProxyEvent(event).queryPath(), expected);
  }
});

Deno.test("httpMethod(), httpProtocol() and queryDomainName() ignore case, httpUserAgent() may be empty", () => {
  const names = { httpMethod: "pAtch", protocol: "http/2.0", domainName: "API.Example.COM" };
  const event = new FnProxyEvent({ requestContext: { ...names, identity: { userAgent: null } } });
  assertEquals(event.httpUserAgent(), "");
  assertEquals(event.httpMethod(), "PATCH");
  assertEquals(event.httpProtocol(), "HTTP/2.0");
  assertEquals(event.queryDomainName(), "api.example.com");
});

Deno.test("the accessors have the documented types", () => {
  const event = new FnProxyEvent(load("rest"));
  event.sourceIp() satisfies IpAddress;
  event.headerSortedPreferences("accept") satisfies readonly string[];
  event.headerPreferences("accept") satisfies readonly Preference[];
  event.queryPath() satisfies readonly string[];
  event.queryStringParameters() satisfies Record<string, string>;
  event.queryPayload() satisfies JsonValue;
  event.authorizerClaims() satisfies JsonObject | null;
  // @ts-expect-error: a payload is any JSON value
  (() => event.queryPayload().member);
  // @ts-expect-error: the event is read-only
  event.rawEvent["body"] = null;
});
