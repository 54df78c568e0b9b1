import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { captureLog } from "../testing/mod.ts";
import { answer, ask, CANNED, context, fail, HTML_ONLY, JSON_UTF8 } from "./testdata/events.ts";
import {
  FnProxyEvent,
  HttpClientError,
  HttpError,
  HttpNotFoundError,
  HttpServiceUnavailableError,
  HttpUnauthorizedError,
  proxyHandler,
  type ProxyResult,
  type ProxyRoute,
  reply,
  type Transformer,
} from "./mod.ts";

Deno.test("an error has its headers, which win over the extra headers, and its details", async () => {
  const headers = { "WWW-Authenticate": "Basic", "X-A": "2" };
  const details = { field: "name" };
  const options = { extraHeaders: { "x-a": "1" } };
  const server = new HttpServiceUnavailableError("x", { headers, details });
  const client = new HttpUnauthorizedError("Log in", { headers, details });
  for (
    const [error, payload] of [
      [client, { Message: "Log in", Details: details }],
      [server, { Message: CANNED }],
    ] as const
  ) {
    const { result } = await ask(fail(error), options);
    assertEquals(JSON.parse(result.body), payload);
    assertEquals(result.headers["WWW-Authenticate"], "Basic");
    assertEquals([result.headers["X-A"], result.headers["x-a"]], ["2", undefined]);
  }
});

Deno.test("problemDetails makes errors application/problem+json wherever they would be JSON", async () => {
  const problemOf = async (route: unknown, headers: Record<string, string> = {}) => {
    const { result } = await ask(route, { problemDetails: true }, { headers });
    assertEquals(result.headers["Content-Type"], "application/problem+json");
    const text = Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8").toString();
    return [result.statusCode, JSON.parse(text)];
  };
  const type = "about:blank";
  const lost = new HttpNotFoundError("No", { details: { issues: [1], status: 5, type: "x" } });
  assertEquals(await problemOf(fail(lost)), [
    404,
    { type, issues: [1], title: "Not Found", status: 404, detail: "No" },
  ]);
  assertEquals(await problemOf(fail(new Error("secret"))), [
    500,
    { type, title: "Internal Server Error", status: 500, detail: CANNED },
  ]);
  const [, tea] = await problemOf(fail(new HttpClientError(418, "Tea")));
  assertEquals(tea.title, "418", "the registry has no reason phrase");
  const [status, { title, detail }] = await problemOf(() => 1, { Accept: "image/png" });
  assertEquals([status, title], [406, "Not Acceptable"]);
  assert(detail.includes("application/json"), detail);
  const broken: Transformer = () => {
    throw new Error("secret");
  };
  const options = { problemDetails: true, customTransformers: { "text/html": broken } };
  const { result } = await answer(fail(lost), { event: HTML_ONLY, options });
  assertEquals(result.headers["Content-Type"], "application/problem+json");
  const payload = await ask(() => 1, { problemDetails: true });
  assertEquals(payload.result.headers["Content-Type"], JSON_UTF8);
});

Deno.test("problemDetails leaves a transformer alone that the client prefers", async () => {
  const seen: unknown[] = [];
  const html: Transformer = (payload, { status, error }) => {
    seen.push(payload, status, error);
    return ["<p>", "text/html"];
  };
  const error = new HttpNotFoundError("No");
  const options = { problemDetails: true, customTransformers: { "text/html": html } };
  const { result } = await answer(fail(error), { event: HTML_ONLY, options });
  assertEquals([result.statusCode, result.body], [404, "<p>"]);
  assertEquals(seen, [{ Message: "No" }, 404, error]);
});

Deno.test("onError replaces an error, and the log has what it became", async () => {
  class Missing extends Error {}
  const cases: [name: string, replacement: () => unknown, status: number, levels: string[]][] = [
    ["nothing", () => undefined, 500, ["FATAL"]],
    ["a client error", () => new HttpNotFoundError("Gone"), 404, ["ERROR"]],
    ["a later client error", () => Promise.resolve(new HttpNotFoundError()), 404, ["ERROR"]],
    ["a server error", () => new HttpServiceUnavailableError("x"), 503, ["FATAL"]],
    ["an error without a class", () => new HttpError(418, "Tea"), 418, ["ERROR"]],
    ["a server error without a class", () => new HttpError(500, "x"), 500, ["FATAL"]],
    ["a payload", () => ({ a: 1 }), 200, []],
    ["a reply of the client's fault", () => reply(404, "x"), 404, ["ERROR"]],
    ["a reply of the server's fault", () => reply(503, "x"), 503, ["FATAL"]],
    ["a Response", () => new Response(null, { status: 302 }), 302, []],
    ["an error of its own", fail(new Error("broken onError")), 500, ["FATAL", "FATAL"]],
    ["an unsendable result", () => new Map(), 500, ["FATAL", "FATAL"]],
  ];
  for (const [name, replacement, status, levels] of cases) {
    const thrown = new Missing("the original");
    let seen: unknown;
    const { result, records: log } = await ask(fail(thrown), {
      onError: (error) => (seen = error, replacement()),
    });
    assertEquals(result.statusCode, status, name);
    assertEquals(log.map(({ level }) => level), levels, name);
    assertEquals(seen, thrown, name);
    assert(!result.body.includes("original"), name);
    if (levels.length === 2) assertStringIncludes(String(log[0]!.message), "the original");
    if (name === "an error of its own") assert(JSON.stringify(log[1]).includes("broken onError"));
  }
});

Deno.test("onError sees every failure: 406, a result that JSON cannot carry, an event that is not a request", async () => {
  for (
    const [route, event, status] of [
      [() => 1, { headers: { Accept: "image/png" } }, 406],
      [() => new Map(), { headers: {} }, undefined],
      [() => 1, "no request", undefined],
    ] as const
  ) {
    const seen: unknown[] = [];
    const onError = (...given: unknown[]) => void seen.push(...given);
    const given = context("id-1");
    await captureLog(() => proxyHandler(route as ProxyRoute, { onError })(event, given));
    assertEquals((seen[0] as HttpError).status, status);
    assertEquals(seen[1] instanceof FnProxyEvent, event !== "no request");
    assertEquals(seen[2], given);
  }
});

Deno.test("clientErrorLevel is the level of a client error's record", async () => {
  for (const clientErrorLevel of ["error", "warn", "info", "off"] as const) {
    const levelsOf = async (error: Error, onError?: () => ProxyResult) => {
      const { records } = await ask(fail(error), { clientErrorLevel, onError });
      return records.map(({ level }) => level);
    };
    const levels = clientErrorLevel === "off" ? [] : [clientErrorLevel.toUpperCase()];
    assertEquals(await levelsOf(new HttpNotFoundError()), levels);
    assertEquals(await levelsOf(new Error("x"), () => reply(404, "x")), levels);
    assertEquals(await levelsOf(new Error("x")), ["FATAL"]);
  }
});
