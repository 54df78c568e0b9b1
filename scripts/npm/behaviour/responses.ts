import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import * as gateway from "@mate/core/gateway";
import {
  buildHttpClientErrorResponse,
  buildHttpResponse,
  buildHttpServerErrorResponse,
  determineContentType,
  FnProxyEvent,
  HttpError,
  HttpNotAcceptableError,
  type HttpResponse,
  HttpServiceUnavailableError,
  IpAddress,
  isBinary,
  jsonTransformer,
  proxyHandler,
  simpleMessage,
} from "@mate/core/gateway";
import type { Cases } from "./cases.ts";

const PAGES = { "text/html": () => ["<p>Zoë", "text/html; charset=utf-8"] as const };

const request = (headers: Record<string, string>) => new FnProxyEvent({ headers });

/** The content that leaves the gateway. */
function contentOf({ body, isBase64Encoded, headers }: HttpResponse): string {
  if (!isBase64Encoded) return body;
  const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  const isGzipped = headers["Content-Encoding"] === "gzip";
  return new TextDecoder().decode(isGzipped ? gunzipSync(bytes) : bytes);
}

/** Negotiation, responses, errors and the handler that puts them together. */
export const responses: Cases = {
  "determineContentType() weighs what the client accepts"() {
    for (
      const [accept, type] of [
        [undefined, "application/json"],
        ["text/html", "text/html"],
        ["text/*;q=0.5, application/json;q=0.4", "text/html"],
        ["*/*, text/html;q=0", "application/json"],
        ["TEXT/HTML;q=0.1, image/png", "text/html"],
      ] as const
    ) {
      const event = request(accept === undefined ? {} : { Accept: accept });
      assert.equal(determineContentType(event, { customTransformers: PAGES }), type);
    }
    assert.throws(
      () => determineContentType(request({ accept: "image/png" })),
      HttpNotAcceptableError,
    );
  },

  "buildHttpResponse() compresses where the client takes gzip"() {
    for (
      const [coding, isGzipped] of [
        ["gzip", true],
        ["br, X-GZIP;q=0.5", true],
        ["*", true],
        ["gzip;q=0", false],
        ["gzip;q=0.5, identity", false],
        ["", false],
      ] as const
    ) {
      const event = request({ "Accept-Encoding": coding });
      const response = buildHttpResponse(200, { name: "Zoë" }, { event });
      assert.equal(response.isBase64Encoded, isGzipped, coding);
      assert.equal(response.headers["Content-Encoding"], isGzipped ? "gzip" : undefined);
      assert.equal(response.headers["Vary"], "Accept, Accept-Encoding");
      assert.deepEqual(JSON.parse(contentOf(response)), { name: "Zoë" });
    }
  },

  "buildHttpResponse() transforms into the chosen type, and flags bytes"() {
    const event = request({ Accept: "text/html" });
    const page = buildHttpResponse(200, {}, { event, customTransformers: PAGES });
    assert.equal(page.headers["Content-Type"], "text/html; charset=utf-8");
    assert.equal(page.body, "<p>Zoë");
    const picture = buildHttpResponse(200, {}, {
      event: request({ Accept: "image/png" }),
      customTransformers: { "image/png": () => [new Uint8Array([137, 80, 78, 71]), "image/png"] },
    });
    assert.equal(picture.isBase64Encoded, true);
    assert.equal(picture.body, "iVBORw==");
    assert.equal(buildHttpResponse(200, {}, { event: request({ Accept: "a/b" }) }).statusCode, 406);
  },

  "the small parts work"() {
    assert.deepEqual(simpleMessage("Done"), { Message: "Done" });
    assert.deepEqual([isBinary("image/png"), isBinary("Text/HTML; charset=utf-8")], [true, false]);
    assert.equal(jsonTransformer({ a: [1] })[0], JSON.stringify({ a: [1] }, null, 2));
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    assert.throws(() => jsonTransformer(cycle), TypeError);
    assert.equal(String(new IpAddress("2001:DB8:0:0:0:0:0:1")), "2001:db8::1");
  },

  "every error class has its name, status and phrase"() {
    let count = 0;
    for (const [name, Class] of Object.entries(gateway) as [string, unknown][]) {
      if (!/^Http\w+Error$/.test(name) || /^Http(Client|Server)?Error$/.test(name)) continue;
      const error = new (Class as new (message?: string) => HttpError)();
      assert.equal(error.name, name);
      assert(error.status >= 400 && error.status < 600 && error.message !== "", name);
      assert(error instanceof HttpError && error instanceof Error, name);
      assert(
        error instanceof (error.status < 500 ? gateway.HttpClientError : gateway.HttpServerError),
      );
      count++;
    }
    assert.equal(count, 37);
  },

  "an error becomes a response that tells a client its fault, and nobody the server's"() {
    const missing = new gateway.HttpNotFoundError("There is no such note");
    const client = buildHttpClientErrorResponse(missing, { log: false });
    assert.deepEqual([client.statusCode, JSON.parse(client.body)], [404, {
      Message: "There is no such note",
    }]);
    const down = new HttpServiceUnavailableError("10.0.0.7 refused the password");
    const server = buildHttpServerErrorResponse(down, { log: false });
    assert.equal(server.statusCode, 503);
    assert.equal(server.body.includes("password"), false);
  },

  async "proxyHandler() answers values, errors and requests it cannot serve"() {
    const handler = proxyHandler((event: FnProxyEvent) => {
      const { id = "" } = event.queryStringParameters();
      if (id === "") throw new gateway.HttpBadRequestError("The id is missing");
      return id === "nothing" ? undefined : { id };
    });
    for (
      const [parameters, accept, status, content] of [
        [{ id: "tea" }, "*/*", 200, { id: "tea" }],
        [{ id: "nothing" }, "*/*", 204, undefined],
        [{}, "application/json", 400, { Message: "The id is missing" }],
        [{ id: "tea" }, "image/png", 406, undefined],
      ] as const
    ) {
      const event = { headers: { accept }, queryStringParameters: parameters };
      const response = await handler(event);
      assert.equal(response.statusCode, status);
      if (content) assert.deepEqual(JSON.parse(contentOf(response)), content);
    }
  },
};
