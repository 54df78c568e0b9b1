import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { CloudEventSpecificationError } from "../../function/mod.ts";
import { put as storage, schedule, topic } from "../../testdata/service_events.ts";
import { withKey } from "../../testdata/accessors.ts";
import { load } from "../testdata/events.ts";
import { HttpBadRequestError } from "../errors/client_errors.ts";
import { FnProxyEvent } from "./proxy_event.ts";

/** The accessors of a REST event, each with the keys that it needs. A question mark follows a key that may be null. */
const NEEDS: Record<string, string> = {
  "sourceIp": "requestContext.identity.sourceIp",
  "httpHeaders": "headers?",
  "header Accept": "headers?",
  "cookies": "headers?",
  "httpMethod": "requestContext.httpMethod",
  "httpProtocol": "requestContext.protocol",
  "httpUserAgent": "requestContext.identity.userAgent?",
  "headerSortedPreferences Accept": "headers?",
  "headerPreferences Accept": "headers?",
  "queryDomainName": "requestContext.domainName",
  "queryPath": "requestContext.path",
  "queryStringParameters": "queryStringParameters?",
  "queryValues a": "queryStringParameters?",
  "queryPayload": "body?",
  "bytes": "body?",
  "text": "body?",
  "authorizerClaims": "requestContext",
  "authorizer": "requestContext",
  "requestId": "requestContext",
  "routeKey": "requestContext.httpMethod resource",
  "queryString":
    "requestContext.path requestContext.httpMethod requestContext.domainName queryStringParameters?",
  "url": "requestContext.path requestContext.domainName queryStringParameters? headers?",
};

/** Calls an accessor, such as `header Accept`. */
function call(event: FnProxyEvent, accessor: string): unknown {
  const [name, ...parameters] = accessor.split(" ");
  return (event as unknown as Record<string, (...given: string[]) => unknown>)[name!]!(
    ...parameters,
  );
}

const ACCESSORS = Object.keys(NEEDS);

/** Without the maps of lists, the maps of texts count. */
const SINGLE = { multiValueHeaders: null, multiValueQueryStringParameters: null };

const refuse = (read: () => unknown) => assertThrows(read, CloudEventSpecificationError);

Deno.test("every accessor names the shortest key that is absent or malformed", () => {
  const rest = { ...load("rest"), ...SINGLE };
  for (const [name, needs] of Object.entries(NEEDS)) {
    for (const need of needs.split(" ")) {
      const keys = need.replace("?", "").split(".");
      for (let depth = 1; depth <= keys.length; depth++) {
        const key = keys.slice(0, depth).join(".");
        const mayBeNull = need.endsWith("?") && depth === keys.length;
        for (const value of [undefined, null, 5, true, []]) {
          const event = new FnProxyEvent(withKey(rest, key, value));
          if (value === null && mayBeNull) {
            call(event, name);
            continue;
          }
          const { path, message } = refuse(() => call(event, name));
          assertEquals(path, key, `${name} without ${key}`);
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
    for (const name of [...ACCESSORS, "stageVariables", "pathParameters", "toRequest"]) {
      assertEquals(
        refuse(() => call(event, name)).message,
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
  for (const name of ACCESSORS) refuse(() => call(new FnProxyEvent(Object.create(null)), name));
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
      ["authorizerClaims", "requestContext.authorizer", "a", "is a string, not an object"],
      ["authorizerClaims", "requestContext.authorizer", [], "is an array, not an object"],
      ["stageVariables", "stageVariables", { mode: ["a"] }, undefined],
      ["pathParameters", "pathParameters", { id: ["a"] }, undefined],
      ["sourceIp", "requestContext.identity.sourceIp", "5", 'is "5", not an IP address'],
      ...["user@evil.example", "a/b", "a?b", "0x7f.1", "a.0x7f", "a.b:99999", ""].map((host) =>
        ["url", "requestContext.domainName", host, `is "${host}", not a host`] as const
      ),
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
  for (const name of ACCESSORS) call(event, name);
  assertEquals(event.rawEvent, raw);
});

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(Object.freeze(value)).forEach(freeze);
  }
  return value;
}

Deno.test("toRequest() refuses a method or header that a standard request cannot have, as a client error", () => {
  for (
    const [change, problem] of [
      [{ headers: { "a b": "1" } }, 'Invalid header "a b"'],
      [{ headers: { 'a"a': "1" } }, 'Invalid header "a\\"a"'],
      [{ headers: { a: "1\n2" } }, 'Invalid header "a"'],
      [{ requestContext: { httpMethod: "TRACE" } }, 'Invalid method "TRACE"'],
      [{ requestContext: { httpMethod: "A B" } }, 'Invalid method "A B"'],
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
    assertThrows(() => new FnProxyEvent(event).toRequest(), HttpBadRequestError, problem);
  }
});

Deno.test("url() has the host that the gateway named, whatever that is", () => {
  const parts = "a x XN-- xn-- 1 0x - . : 80 é %41 @ [ /".split(" ");
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

Deno.test("cookies of payload 2.0 that are not an array are malformed", () => {
  for (const cookies of ["a=1", 5, {}]) {
    const event = new FnProxyEvent({ ...load("apiV2"), cookies });
    assertEquals(refuse(() => event.cookies()).path, "cookies");
    assertEquals(refuse(() => event.httpHeaders()).path, "cookies");
  }
});

Deno.test("format recognises a load balancer by its key, whatever the version", () => {
  for (const version of [undefined, "1.0", "2.0", 1]) {
    const event = new FnProxyEvent({ requestContext: { elb: {} }, version: version ?? null });
    assertEquals(event.format, "alb", String(version));
  }
});
