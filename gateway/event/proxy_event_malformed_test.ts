import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { CloudEventSpecificationError } from "../../function/mod.ts";
import { withKey } from "../../testdata/with_key.ts";
import { load } from "../testdata/events.ts";
import { FnProxyEvent } from "./proxy_event.ts";

/** Every accessor, with the keys it needs: their parents' types follow. */
const ACCESSORS: Record<string, {
  call: (event: FnProxyEvent) => unknown;
  needs: string[];
  mayBeNull?: boolean;
}> = {
  sourceIp: { call: (event) => event.sourceIp(), needs: ["requestContext.identity.sourceIp"] },
  httpHeaders: { call: (event) => event.httpHeaders(), needs: ["headers"], mayBeNull: true },
  httpMethod: { call: (event) => event.httpMethod(), needs: ["requestContext.httpMethod"] },
  httpProtocol: { call: (event) => event.httpProtocol(), needs: ["requestContext.protocol"] },
  httpUserAgent: {
    call: (event) => event.httpUserAgent(),
    needs: ["requestContext.identity.userAgent"],
    mayBeNull: true,
  },
  headerSortedPreferences: {
    call: (event) => event.headerSortedPreferences("Accept"),
    needs: ["headers"],
    mayBeNull: true,
  },
  headerPreferences: {
    call: (event) => event.headerPreferences("Accept"),
    needs: ["headers"],
    mayBeNull: true,
  },
  queryDomainName: {
    call: (event) => event.queryDomainName(),
    needs: ["requestContext.domainName"],
  },
  queryPath: { call: (event) => event.queryPath(), needs: ["requestContext.path"] },
  queryStringParameters: {
    call: (event) => event.queryStringParameters(),
    needs: ["queryStringParameters"],
    mayBeNull: true,
  },
  queryPayload: { call: (event) => event.queryPayload(), needs: ["body"], mayBeNull: true },
  authorizerClaims: { call: (event) => event.authorizerClaims(), needs: ["requestContext"] },
  queryString: {
    call: (event) => event.queryString(),
    needs: [
      "requestContext.path",
      "requestContext.httpMethod",
      "requestContext.domainName",
    ],
  },
  "queryString without parameters": {
    call: (event) => event.queryString(),
    needs: ["queryStringParameters"],
    mayBeNull: true,
  },
};

/** What is not an object with the next key, and not a value of the type that an accessor takes. */
const MALFORMED: [unknown, string][] = [
  [null, "is null"],
  [5, "is a number"],
  [true, "is a boolean"],
  [[], "is an array"],
];

for (const [name, { call, needs, mayBeNull }] of Object.entries(ACCESSORS)) {
  const rest = load("rest");
  for (const need of needs) {
    const keys = need.split(".");
    for (let depth = 1; depth <= keys.length; depth++) {
      const key = keys.slice(0, depth).join(".");
      const isLeaf = depth === keys.length;

      Deno.test(`${name}() names "${key}" if it is absent`, () => {
        const error = assertThrows(
          () => call(new FnProxyEvent(withKey(rest, key, undefined))),
          CloudEventSpecificationError,
        );
        assertEquals(error.path, key);
        assertEquals(error.message, `Cannot read the event: "${key}" is absent`);
      });

      for (const [value, problem] of MALFORMED) {
        if (isLeaf && mayBeNull && value === null) continue;
        Deno.test(`${name}() names "${key}" if it ${problem}`, () => {
          const error = assertThrows(
            () => call(new FnProxyEvent(withKey(rest, key, value))),
            CloudEventSpecificationError,
          );
          assertEquals(error.path, key);
          assertMatch(
            error.message,
            new RegExp(`^Cannot read the event: "${key}" ${problem}, not a`),
          );
        });
      }

      for (const other of [{}, "text"]) {
        const problem = typeof other === "string" ? "is a string" : "is an object";
        const isText = ["headers", "queryStringParameters"].includes(key) || !isLeaf;
        if (isText !== (typeof other === "string") || key === "requestContext" && isLeaf) continue;
        Deno.test(`${name}() names "${key}" if it ${problem}`, () => {
          const error = assertThrows(
            () => call(new FnProxyEvent(withKey(rest, key, other))),
            CloudEventSpecificationError,
          );
          assertEquals(error.path, key);
        });
      }
    }
  }

  Deno.test(`${name}() reads own properties only`, () => {
    const own = Object.assign(Object.create(null), { other: 1 });
    assertThrows(() => call(new FnProxyEvent(own)), CloudEventSpecificationError);
    assertThrows(() => call(new FnProxyEvent({})), CloudEventSpecificationError);
  });
}

for (
  const [call, key, value, problem] of [
    ["httpHeaders", "headers.X-Foo", 5, "is a number, not a string"],
    ["httpHeaders", "headers.X-Foo", null, "is null, not a string"],
    ["httpHeaders", "headers.X-Foo", ["a"], "is an array, not a string"],
    ["queryStringParameters", "queryStringParameters.q", 5, "is a number, not a string"],
    ["queryStringParameters", "queryStringParameters.q", null, "is null, not a string"],
    ["queryStringParameters", "queryStringParameters.q", ["a"], "is an array, not a string"],
    ["queryString", "multiValueQueryStringParameters", "a", "is a string, not an object or null"],
    ["queryString", "multiValueQueryStringParameters", ["a"], "is an array, not an object or null"],
    ["queryString", "multiValueQueryStringParameters.q", "a", "is a string, not an array"],
    ["queryString", "multiValueQueryStringParameters.q", null, "is null, not an array"],
    ["authorizerClaims", "requestContext.authorizer", "a", "is a string, not an object or null"],
    ["authorizerClaims", "requestContext.authorizer", [], "is an array, not an object or null"],
    ["sourceIp", "requestContext.identity.sourceIp", "5", 'is "5", not an IP address'],
    [
      "sourceIp",
      "requestContext.identity.sourceIp",
      'a"b',
      'is "a\\"b", not an IP address',
    ],
  ] as const
) {
  Deno.test(`${call}() names "${key}" if it ${problem}`, () => {
    const event = new FnProxyEvent(withKey(load("rest"), key, value));
    const error = assertThrows(() => event[call](), CloudEventSpecificationError);
    assertEquals(error.path, key);
    assertEquals(error.message, `Cannot read the event: "${key}" ${problem}`);
  });
}

Deno.test("queryString() names the index of a value that is no string", () => {
  const event = withKey(load("rest"), "multiValueQueryStringParameters.q", ["a", null]);
  const error = assertThrows(
    () => new FnProxyEvent(event).queryString(),
    CloudEventSpecificationError,
  );
  assertEquals(error.path, "multiValueQueryStringParameters.q[1]");
});

Deno.test("queryString() of one value each names the value that is no string", () => {
  const event = withKey(load("rest"), "queryStringParameters.q", 7);
  delete (event as Record<string, unknown>)["multiValueQueryStringParameters"];
  const error = assertThrows(
    () => new FnProxyEvent(event).queryString(),
    CloudEventSpecificationError,
  );
  assertEquals(error.path, "queryStringParameters.q");
});

for (const claims of ["a", 5, true, [], ["a"]]) {
  Deno.test(`authorizerClaims() refuses claims that are ${JSON.stringify(claims)}`, () => {
    const event = withKey(load("rest"), "requestContext.authorizer", { claims });
    const error = assertThrows(
      () => new FnProxyEvent(event).authorizerClaims(),
      CloudEventSpecificationError,
    );
    assertEquals(error.path, "requestContext.authorizer.claims");
  });
}

/** The accessors that raise on an event of another shape, with the key they name. */
const OTHER_SHAPES: Record<string, Record<string, string>> = {
  function_console_sample: {
    httpProtocol: "requestContext.protocol",
    queryDomainName: "requestContext.domainName",
    queryPath: "requestContext.path",
    queryString: "requestContext.path",
  },
  sam_local: {},
  api_v2: {
    authorizerClaims: "requestContext.authorizer.claims",
    httpMethod: "requestContext.httpMethod",
    httpProtocol: "requestContext.protocol",
    httpUserAgent: "requestContext.identity",
    queryPath: "requestContext.path",
    queryString: "requestContext.path",
    sourceIp: "requestContext.identity",
  },
  function_url: {
    authorizerClaims: "requestContext.authorizer.claims",
    httpMethod: "requestContext.httpMethod",
    httpProtocol: "requestContext.protocol",
    httpUserAgent: "requestContext.identity",
    queryPath: "requestContext.path",
    queryPayload: "body",
    queryString: "requestContext.path",
    queryStringParameters: "queryStringParameters",
    sourceIp: "requestContext.identity",
  },
  alb: {
    authorizerClaims: "requestContext.authorizer.claims",
    httpMethod: "requestContext.httpMethod",
    httpProtocol: "requestContext.protocol",
    httpUserAgent: "requestContext.identity",
    queryDomainName: "requestContext.domainName",
    queryPath: "requestContext.path",
    queryPayload: "",
    queryString: "requestContext.path",
    sourceIp: "requestContext.identity",
  },
  alb_multi_value: {
    authorizerClaims: "requestContext.authorizer.claims",
    headerPreferences: "headers",
    headerSortedPreferences: "headers",
    httpHeaders: "headers",
    httpMethod: "requestContext.httpMethod",
    httpProtocol: "requestContext.protocol",
    httpUserAgent: "requestContext.identity",
    queryDomainName: "requestContext.domainName",
    queryPath: "requestContext.path",
    queryPayload: "",
    queryString: "requestContext.path",
    queryStringParameters: "queryStringParameters",
    sourceIp: "requestContext.identity",
  },
  lattice_v2: {
    authorizerClaims: "requestContext.authorizer.claims",
    headerPreferences: "headers.accept",
    headerSortedPreferences: "headers.accept",
    httpHeaders: "headers.accept",
    httpMethod: "requestContext.httpMethod",
    httpProtocol: "requestContext.protocol",
    httpUserAgent: "requestContext.identity.userAgent",
    queryDomainName: "requestContext.domainName",
    queryPath: "requestContext.path",
    queryPayload: "body",
    queryString: "requestContext.path",
    queryStringParameters: "queryStringParameters.dish",
    sourceIp: "requestContext.identity.sourceIp",
  },
};

for (const [kind, expected] of Object.entries(OTHER_SHAPES)) {
  Deno.test(`the accessors raise on what ${kind} lacks, rather than look empty`, () => {
    const event = new FnProxyEvent(load(kind));
    const raised: Record<string, string> = {};
    for (const [name, { call }] of Object.entries(ACCESSORS)) {
      try {
        call(event);
      } catch (error) {
        raised[name.split(" ")[0]!] = error instanceof CloudEventSpecificationError
          ? error.path
          : "";
      }
    }
    assertEquals(Object.entries(raised).sort(), Object.entries(expected).sort());
  });
}

Deno.test("the accessors leave the event as it is", () => {
  const raw = load("rest_base64_body");
  const event = new FnProxyEvent(freeze(structuredClone(raw)));
  for (const { call } of Object.values(ACCESSORS)) call(event);
  assertEquals(event.rawEvent, raw);
});

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(Object.freeze(value)).forEach(freeze);
  }
  return value;
}
