import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { CloudEventSpecificationError } from "../../function/mod.ts";
import { put as storage, schedule, topic } from "../../testdata/service_events.ts";
import { withKey } from "../../testdata/accessors.ts";
import { load } from "../testdata/events.ts";
import { FnProxyEvent } from "./proxy_event.ts";

type Read = (event: FnProxyEvent) => unknown;

/** The accessors of a REST event, each with the keys that it needs. A question mark follows a key that may be null. */
const ACCESSORS: [name: string, read: Read, ...keys: string[]][] = [
  ["sourceIp", (event) => event.sourceIp(), "requestContext.identity.sourceIp"],
  ["httpHeaders", (event) => event.httpHeaders(), "headers?"],
  ["header", (event) => event.header("Accept"), "headers?"],
  ["cookies", (event) => event.cookies(), "headers?"],
  ["httpMethod", (event) => event.httpMethod(), "requestContext.httpMethod"],
  ["httpProtocol", (event) => event.httpProtocol(), "requestContext.protocol"],
  ["httpUserAgent", (event) => event.httpUserAgent(), "requestContext.identity.userAgent?"],
  ["headerSortedPreferences", (event) => event.headerSortedPreferences("Accept"), "headers?"],
  ["headerPreferences", (event) => event.headerPreferences("Accept"), "headers?"],
  ["queryDomainName", (event) => event.queryDomainName(), "requestContext.domainName"],
  ["queryPath", (event) => event.queryPath(), "requestContext.path"],
  ["queryStringParameters", (event) => event.queryStringParameters(), "queryStringParameters?"],
  ["queryValues", (event) => event.queryValues("a"), "queryStringParameters?"],
  ["queryPayload", (event) => event.queryPayload(), "body?"],
  ["bytes", (event) => event.bytes(), "body?"],
  ["text", (event) => event.text(), "body?"],
  ["authorizerClaims", (event) => event.authorizerClaims(), "requestContext"],
  ["authorizer", (event) => event.authorizer(), "requestContext"],
  ["requestId", (event) => event.requestId(), "requestContext"],
  ["routeKey", (event) => event.routeKey(), "requestContext.httpMethod", "resource"],
  [
    "queryString",
    (event) => event.queryString(),
    "requestContext.path",
    "requestContext.httpMethod",
    "requestContext.domainName",
    "queryStringParameters?",
  ],
  [
    "url",
    (event) => event.url(),
    "requestContext.path",
    "requestContext.domainName",
    "queryStringParameters?",
    "headers?",
  ],
];

/** Without the maps of lists, the maps of texts count. */
const SINGLE = { multiValueHeaders: null, multiValueQueryStringParameters: null };

const refuse = (read: () => unknown) => assertThrows(read, CloudEventSpecificationError);

Deno.test("every accessor names the shortest key that is absent or malformed", () => {
  const rest = { ...load("rest"), ...SINGLE };
  for (const [name, read, ...needs] of ACCESSORS) {
    for (const need of needs) {
      const keys = need.replace("?", "").split(".");
      for (let depth = 1; depth <= keys.length; depth++) {
        const key = keys.slice(0, depth).join(".");
        const mayBeNull = need.endsWith("?") && depth === keys.length;
        for (const value of [undefined, null, 5, true, []]) {
          const event = new FnProxyEvent(withKey(rest, key, value));
          if (value === null && mayBeNull) {
            read(event);
            continue;
          }
          const { path, message } = refuse(() => read(event));
          assertEquals(path, key, `${name}() without ${key}`);
          const problem = value === undefined
            ? "is absent"
            : "is (null|a number|a boolean|an array), not a";
          assert(new RegExp(`^Cannot read the event: "${key}" ${problem}`).test(message), message);
        }
      }
    }
  }
});

Deno.test("every accessor raises for an event of another service and names the service", () => {
  for (
    const [raw, service] of [
      [storage, "aws:s3"],
      [topic, "aws:sns"],
      [{ Records: [{ eventSource: "aws:kinesis" }] }, "aws:kinesis"],
      [{ Records: [] }, "Records"],
      [{ Records: "x" }, "Records"],
      [schedule, "aws.scheduler"],
    ] as const
  ) {
    const event = new FnProxyEvent(raw);
    assertEquals(event.format, "rest");
    for (const [name, read] of ACCESSORS) {
      assertEquals(
        refuse(() => read(event)).message,
        `Cannot read the event: "requestContext" is absent: this looks like an event of "${service}"`,
        name,
      );
    }
  }
  for (const raw of [{}, { source: "x" }, { detail: {} }]) {
    assertEquals(refuse(() => new FnProxyEvent(raw).httpHeaders()).path, "headers");
  }
  assertEquals(new FnProxyEvent({ Records: [], headers: {} }).httpHeaders(), {});
});

Deno.test("the accessors read own properties only", () => {
  for (const [, read] of ACCESSORS) refuse(() => read(new FnProxyEvent(Object.create(null))));
  const requestContext = Object.create({ path: "/", httpMethod: "GET" });
  refuse(() => new FnProxyEvent({ requestContext }).queryPath());
  refuse(() => new FnProxyEvent({ requestContext }).httpMethod());
});

Deno.test("the accessors name a malformed value within a map or list", () => {
  const rest = load("rest");
  for (
    const [read, key, value, problem] of [
      ["httpHeaders", "headers.X-Foo", 5, "is a number, not a string"],
      ["httpHeaders", "headers.X-Foo", ["a"], "is an array, not a string"],
      ["httpHeaders", "multiValueHeaders", "a", "is a string, not an object or null"],
      ["httpHeaders", "multiValueHeaders.X-Foo", "a", "is a string, not an array"],
      ["queryStringParameters", "queryStringParameters.q", null, "is null, not a string"],
      ["queryStringParameters", "queryStringParameters.q", ["a"], "is an array, not a string"],
      ["queryString", "multiValueQueryStringParameters", [], "is an array, not an object or null"],
      ["queryString", "multiValueQueryStringParameters.q", null, "is null, not an array"],
      ["authorizerClaims", "requestContext.authorizer", "a", "is a string, not an object or null"],
      ["authorizerClaims", "requestContext.authorizer", [], "is an array, not an object or null"],
      ["stageVariables", "stageVariables", { mode: ["a"] }, undefined],
      ["pathParameters", "pathParameters", { id: ["a"] }, undefined],
      ["sourceIp", "requestContext.identity.sourceIp", "5", 'is "5", not an IP address'],
      [
        "sourceIp",
        "requestContext.identity.sourceIp",
        "10.0.0.1:80",
        'is "10.0.0.1:80", not an IP address',
      ],
      [
        "url",
        "requestContext.domainName",
        "user@evil.example",
        'is "user@evil.example", not a host',
      ],
      ["url", "requestContext.domainName", "a/b", 'is "a/b", not a host'],
      ["url", "requestContext.domainName", "a?b", 'is "a?b", not a host'],
      ["url", "requestContext.domainName", "0x7f.1", 'is "0x7f.1", not a host'],
      ["url", "requestContext.domainName", "a.0x7f", 'is "a.0x7f", not a host'],
      ["url", "requestContext.domainName", "a.b:99999", 'is "a.b:99999", not a host'],
      ["url", "requestContext.domainName", "", 'is "", not a host'],
    ] as const
  ) {
    const base = key.startsWith("multi") ? rest : { ...rest, ...SINGLE };
    const error = refuse(() => new FnProxyEvent(withKey(base, key, value))[read]());
    assert(error.path.startsWith(key));
    if (problem) assertEquals(error.message, `Cannot read the event: "${key}" ${problem}`);
  }
  for (const claims of ["a", 5, true, [], ["a"]]) {
    const event = withKey(rest, "requestContext.authorizer", { claims });
    const error = refuse(() => new FnProxyEvent(event).authorizerClaims());
    assertEquals(error.path, "requestContext.authorizer.claims");
  }
  const event = withKey(rest, "multiValueQueryStringParameters.q", ["a", null]);
  assertEquals(
    refuse(() => new FnProxyEvent(event).queryString()).path,
    "multiValueQueryStringParameters.q[1]",
  );
});

Deno.test("the accessors do not change the event", () => {
  const raw = load("restBase64Body");
  const event = new FnProxyEvent(freeze(structuredClone(raw)));
  for (const [, read] of ACCESSORS) read(event);
  assertEquals(event.rawEvent, raw);
});

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(Object.freeze(value)).forEach(freeze);
  }
  return value;
}

Deno.test("toRequest() names the key of a method or header that a standard request cannot have", () => {
  for (
    const [change, path] of [
      [{ headers: { "a b": "1" } }, "headers.a b"],
      [{ headers: { a: "1\n2" } }, "headers.a"],
      [{ requestContext: { httpMethod: "TRACE" } }, "requestContext.httpMethod"],
      [{ requestContext: { httpMethod: "A B" } }, "requestContext.httpMethod"],
    ] as const
  ) {
    const requestContext = { path: "/", domainName: "a.example", httpMethod: "GET" };
    const event = {
      headers: {},
      body: null,
      queryStringParameters: null,
      ...change,
      requestContext: { ...requestContext, ..."requestContext" in change && change.requestContext },
    };
    const read = () => new FnProxyEvent(event).toRequest();
    assertEquals(assertThrows(read, CloudEventSpecificationError).path, path);
  }
});

Deno.test("url() has the host that the gateway named, whatever that is", () => {
  const parts = [
    "a",
    "x",
    "XN--",
    "xn--",
    "1",
    "0x",
    "-",
    ".",
    ":",
    "80",
    "é",
    "%41",
    "@",
    "[",
    "/",
  ];
  const host = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((some) => some.join(""));
  fc.assert(
    fc.property(host, (domainName) => {
      const event = new FnProxyEvent(
        withKey(load("rest"), "requestContext.domainName", domainName),
      );
      try {
        assertEquals(event.url().hostname, domainName.toLowerCase().replace(/:\d*$/, ""));
        event.toRequest();
      } catch (error) {
        assert(error instanceof CloudEventSpecificationError, String(error));
        assertEquals(error.path, "requestContext.domainName");
      }
    }),
    { numRuns: 1000 },
  );
});

Deno.test("header() refuses a list in the headers of payload 2.0", () => {
  const event = new FnProxyEvent({ ...load("apiV2"), headers: { accept: ["text/html"] } });
  assertEquals(refuse(() => event.header("Accept")).path, "headers.accept");
});
