import { assertEquals, assertMatch, assertStrictEquals, assertThrows } from "@std/assert";
import {
  CloudEventSpecificationError,
  FnEvent,
  type JsonObject,
  type JsonValue,
} from "../../function/mod.ts";
import { withKey } from "../../testdata/accessors.ts";
import { load } from "../testdata/events.ts";
import type { IpAddress } from "./ip_address.ts";
import type { Preference } from "../negotiation/preferences.ts";
import { FnProxyEvent } from "./proxy_event.ts";

Deno.test("the accessors read a request to a REST API", () => {
  const raw = load("rest");
  const event = new FnProxyEvent(raw);
  assertEquals(event instanceof FnEvent, true);
  assertStrictEquals(event.rawEvent, raw);
  const { version, text } = event.sourceIp();
  assertEquals([version, text], [4, "198.51.100.17"]);
  assertEquals(event.httpMethod(), "GET");
  assertEquals(event.httpProtocol(), "HTTP/1.1");
  assertMatch(event.httpUserAgent(), /^Mozilla\/5\.0 /);
  assertEquals(event.httpHeaders()["x-forwarded-for"], "198.51.100.17, 203.0.113.9");
  assertEquals(event.headerSortedPreferences("accept-language"), ["de-CH", "de", "en"]);
  assertEquals(event.headerPreferences("accept-language").at(-1), { value: "en", quality: 0.5 });
  assertEquals(event.queryDomainName(), "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com");
  assertEquals(event.queryPath(), ["v0", "okay", "caf%C3%A9", "menu"]);
  assertEquals(event.queryStringParameters(), { day: "friday & saturday", dish: "soup" });
  assertEquals(
    event.queryString(),
    "GET https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com/v0/okay/caf%C3%A9/menu" +
      "?day=friday%20%26%20saturday&dish=r%C3%B6schti&dish=soup",
  );
  assertEquals(event.queryPayload(), null);
  assertEquals(event.authorizerClaims(), null);
});

Deno.test("every accessor except sourceIp() reads the test event of the console", () => {
  const event = new FnProxyEvent(load("restConsoleTest"));
  assertEquals(event.httpHeaders(), {});
  assertEquals(event.httpMethod(), "POST");
  assertEquals(event.httpProtocol(), "HTTP/1.1");
  assertMatch(event.httpUserAgent(), /^aws-internal/);
  assertEquals(event.headerPreferences("accept"), []);
  assertEquals(event.headerSortedPreferences("accept"), []);
  assertEquals(event.queryDomainName(), "testprefix.testdomainname");
  assertEquals(event.queryPath(), ["okay"]);
  assertEquals(event.queryStringParameters(), {});
  assertEquals(event.queryString(), "POST https://testprefix.testdomainname/okay");
  assertEquals(event.queryPayload(), { order: 7 });
  assertEquals(event.authorizerClaims(), null);
  const error = assertThrows(() => event.sourceIp(), CloudEventSpecificationError);
  assertEquals(
    error.message,
    'Cannot read the event: "requestContext.identity.sourceIp" is "test-invoke-source-ip", not an IP address',
  );
});

Deno.test("sourceIp() and queryString() read an event of SAM local", () => {
  const event = new FnProxyEvent(load("samLocal"));
  assertEquals(String(event.sourceIp()), "127.0.0.1");
  assertEquals(event.queryString(), "GET https://127.0.0.1:3000/okay?n=1");
});

Deno.test("queryPayload() decodes a body in base64", () => {
  assertEquals(new FnProxyEvent(load("restBase64Body")).queryPayload(), {
    dish: "röschti",
    price: 18.5,
    extras: ["🧀", "egg"],
  });
});

Deno.test("authorizerClaims() returns the claims, and null for an anonymous request", () => {
  const claims = { sub: "8c5f9a6e-0b4e-4f7e-8d38-0f6a7c1d2e3f", email_verified: "true" };
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

Deno.test("httpMethod(), httpProtocol() and queryDomainName() ignore case", () => {
  const event = new FnProxyEvent({
    requestContext: { httpMethod: "pAtch", protocol: "http/2.0", domainName: "API.Example.COM" },
  });
  assertEquals(event.httpMethod(), "PATCH");
  assertEquals(event.httpProtocol(), "HTTP/2.0");
  assertEquals(event.queryDomainName(), "api.example.com");
});

Deno.test("httpUserAgent() is empty if the client sent none", () => {
  const event = withKey(load("rest"), "requestContext.identity.userAgent", null);
  assertEquals(new FnProxyEvent(event).httpUserAgent(), "");
});

Deno.test("the accessors have the documented types", () => {
  const event = new FnProxyEvent(load("rest"));
  const ip: IpAddress = event.sourceIp();
  const values: readonly string[] = event.headerSortedPreferences("accept");
  const preferences: readonly Preference[] = event.headerPreferences("accept");
  const path: readonly string[] = event.queryPath();
  const parameters: Record<string, string> = event.queryStringParameters();
  const payload: JsonValue = event.queryPayload();
  const claims: JsonObject | null = event.authorizerClaims();
  // @ts-expect-error: the event is read-only
  const change = () => event.rawEvent["body"] = null;
  // @ts-expect-error: a payload is any JSON value
  const member = () => event.queryPayload().member;
  const all = [ip, values, preferences, path, parameters, payload, claims, change, member];
  assertEquals(all.includes(undefined as never), false);
});
