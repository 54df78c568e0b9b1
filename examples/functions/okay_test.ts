import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "@mate/core/function";
import { FnProxyEvent } from "@mate/core/gateway";
import {
  consoleTestEvent,
  CONTEXT,
  recordLog,
  type Request,
  restEvent,
} from "./testdata/fixture.ts";
import { handler } from "./okay.ts";

type Outcomes = Record<string, { result?: unknown; error?: string }>;

async function accessorsOf(event: JsonObject): Promise<Outcomes> {
  const { result, log } = await recordLog(() => handler(event, CONTEXT));
  assertEquals([result!.statusCode, log], [200, []]);
  const { accessors, rawEvent } = JSON.parse(result!.body);
  assertEquals(rawEvent, event);
  return accessors;
}

const ask = (request: Request) => accessorsOf(restEvent(request));

Deno.test("okay shows the result of every accessor", async () => {
  const host = "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com";
  const accessors = await ask({
    method: "POST",
    path: "/okay/a%20b/",
    headers: {
      Accept: "application/json, */*;q=0.5",
      "Accept-Encoding": "br, zstd;q=0",
      "Accept-Language": "en;q=0.7, de",
      "User-Agent": "curl/8.11.1",
    },
    query: { q: "fish & chips" },
    body: btoa('{"count": 2}'),
    isBase64Encoded: true,
  });
  const results = Object.entries(accessors).map(([call, { result }]) => [call, result]);
  assertEquals(Object.fromEntries(results), {
    "queryString()": `POST https://${host}/v0/okay/a%20b/?q=fish%20%26%20chips`,
    "sourceIp()": "198.51.100.23",
    "httpMethod()": "POST",
    "httpProtocol()": "HTTP/1.1",
    "httpUserAgent()": "curl/8.11.1",
    "httpHeaders()": {
      host,
      accept: "application/json, */*;q=0.5",
      "accept-encoding": "br, zstd;q=0",
      "accept-language": "en;q=0.7, de",
      "user-agent": "curl/8.11.1",
    },
    "headerSortedPreferences('accept')": ["application/json", "*/*"],
    "headerSortedPreferences('accept-encoding')": ["br", "zstd"],
    "headerSortedPreferences('accept-language')": ["de", "en"],
    "headerPreferences('accept')": [
      { value: "application/json", quality: 1 },
      { value: "*/*", quality: 0.5 },
    ],
    "queryDomainName()": host,
    "queryPath()": ["v0", "okay", "a%20b"],
    "queryStringParameters()": { q: "fish & chips" },
    "queryPayload()": { count: 2 },
    "authorizerClaims()": null,
  });
});

Deno.test("okay leaves out no accessor", async () => {
  const names = Object.keys(await ask({})).map((call) => call.slice(0, call.indexOf("(")));
  for (const name of Object.getOwnPropertyNames(FnProxyEvent.prototype)) {
    assert(name === "constructor" || names.includes(name), name);
  }
});

Deno.test("okay shows a body that is no JSON as the error of its accessor", async () => {
  for (const body of ["{", "", "name=value", "<script>"]) {
    const { "queryPayload()": payload, ...others } = await ask({ method: "POST", body });
    assertStringIncludes(payload!.error!, "MalformedPayloadError");
    for (const { error } of Object.values(others)) assertEquals(error, undefined);
  }
});

Deno.test("okay shows all of the console's test event but the address", async () => {
  for (const [call, { error }] of Object.entries(await accessorsOf(consoleTestEvent()))) {
    assertEquals(error !== undefined, call === "sourceIp()", call);
  }
});

Deno.test("okay shows what there is of a request context without its facts", async () => {
  const event = { ...restEvent({ headers: { Accept: "*/*" } }), requestContext: { stage: "v0" } };
  const accessors = await accessorsOf(event);
  for (const [call, { error }] of Object.entries(accessors)) {
    const isOfContext =
      /^(query(String|DomainName|Path)|sourceIp|http(Method|Protocol|UserAgent))\(/;
    assertEquals(error !== undefined, isOfContext.test(call), call);
    if (error !== undefined) assertStringIncludes(error, "CloudEventSpecificationError");
  }
});

Deno.test("okay shows what it can of a context that is null, and of claims that are none", async () => {
  for (const requestContext of [null, { authorizer: { claims: [] } }]) {
    const accessors = await accessorsOf({ ...restEvent(), requestContext });
    assertStringIncludes(accessors["authorizerClaims()"]!.error!, "requestContext");
    assertEquals(accessors["queryPayload()"], { result: null });
  }
});

Deno.test("okay refuses a body that it cannot echo within the platform's limit", async () => {
  const event = restEvent({ method: "POST", body: `"${"x".repeat(1_000_000)}"` });
  const { result } = await recordLog(() => handler(event, CONTEXT));
  assertEquals(result!.statusCode, 413);
});

Deno.test("okay keeps every answer below the platform's limit of 6 MB", async () => {
  const bodies = [
    `"${"語".repeat(799_000)}"`,
    "\u0001".repeat(799_000),
    JSON.stringify("\u0001".repeat(130_000)),
    `"${"\\\\".repeat(390_000)}"`,
    "[".repeat(399_000) + "]".repeat(399_000),
    `[${"[],".repeat(260_000)}1]`,
    "[".repeat(300) + "1,".repeat(300_000) + "1" + "]".repeat(300),
  ];
  for (const body of bodies) {
    for (const Accept of ["application/json", "text/html"]) {
      const event = restEvent({ method: "POST", headers: { Accept }, body });
      const { result } = await recordLog(() => handler(event, CONTEXT));
      const { statusCode, body: answer } = result!;
      assertEquals(statusCode, 200);
      assert(new TextEncoder().encode(JSON.stringify(answer)).length < 6_000_000, body.slice(0, 9));
    }
  }
});

Deno.test("okay shows no more on its page than one likes to look at", async () => {
  const body = JSON.stringify(Array.from({ length: 9_000 }, (_, order) => ({ order })));
  const event = restEvent({ method: "POST", headers: { Accept: "text/html" }, body });
  const { result } = await recordLog(() => handler(event, CONTEXT));
  assert(result!.body.length < 1_000_000);
  assertStringIncludes(result!.body, "more characters");
});
