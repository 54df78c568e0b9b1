import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import { HttpMethodNotAllowedError, HttpNotFoundError } from "../errors/client_errors.ts";
import { buildHttpClientErrorResponse, buildHttpServerErrorResponse } from "./error_response.ts";
import { HttpClientError, HttpError, HttpServerError } from "../errors/http_error.ts";
import { FnProxyEvent } from "../event/proxy_event.ts";
import { HttpInternalServerError, HttpServiceUnavailableError } from "../errors/server_errors.ts";
import { loggerState } from "../../logger/state.ts";

/** The records that are logged meanwhile, in the platform's JSON format. */
function recordsOf(run: () => unknown): Record<string, unknown>[] {
  const state = loggerState();
  const { format, write } = state;
  const lines: string[] = [];
  Object.assign(state, { format: "json", write: (line: string) => lines.push(line) });
  try {
    run();
  } finally {
    Object.assign(state, { format, write });
  }
  return lines.map((line) => JSON.parse(line));
}

const event = new FnProxyEvent({ headers: { "accept-encoding": "identity" } });

Deno.test("buildHttpClientErrorResponse() tells the client the message", () => {
  const error = new HttpMethodNotAllowedError("Use GET");
  const extraHeaders = { Allow: "GET" };
  assertEquals(buildHttpClientErrorResponse(error, { event, extraHeaders, log: false }), {
    statusCode: 405,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      Allow: "GET",
      Vary: "Accept, Accept-Encoding",
    },
    body: '{\n  "Message": "Use GET"\n}',
    isBase64Encoded: false,
  });
});

Deno.test("buildHttpClientErrorResponse() logs one record with status and message", () => {
  const [record, ...more] = recordsOf(() => {
    buildHttpClientErrorResponse(new HttpNotFoundError("No such order"));
  });
  assertEquals([record!["level"], record!["message"]], ["ERROR", "No such order"]);
  assertEquals(record!["data"], { status: 404 });
  assertEquals(more, []);
});

Deno.test("buildHttpClientErrorResponse() takes a status without a class of its own", () => {
  for (const error of [new HttpClientError(418, "Tea"), new HttpError(418, "Tea")]) {
    const response = buildHttpClientErrorResponse(error, { log: false });
    assertEquals([response.statusCode, JSON.parse(response.body)], [418, { Message: "Tea" }]);
  }
});

Deno.test("buildHttpClientErrorResponse() does not give away an error of the server's", () => {
  assertThrows(
    () => buildHttpClientErrorResponse(new HttpInternalServerError("secret")),
    TypeError,
    "HttpInternalServerError is no error of the client's",
  );
});

Deno.test("buildHttpServerErrorResponse() tells the client nothing of the error", () => {
  const cause = new Error("secret cause");
  const error = new HttpServiceUnavailableError("secret message", { cause });
  const response = buildHttpServerErrorResponse(error, { event, log: false });
  assertEquals(response.statusCode, 503);
  assertEquals(JSON.parse(response.body), { Message: "The server failed to answer this request" });
  assertFalse(JSON.stringify(response).includes("secret"));
});

Deno.test("buildHttpServerErrorResponse() tells the client what it is given to tell, if nothing too", () => {
  for (const clientMessage of ["Later", ""]) {
    const error = new HttpServerError(599, "secret");
    const response = buildHttpServerErrorResponse(error, { clientMessage, log: false });
    assertEquals([response.statusCode, JSON.parse(response.body).Message], [599, clientMessage]);
  }
});

Deno.test("buildHttpServerErrorResponse() logs one critical record with status, stack and causes", () => {
  const cause = new TypeError("middle", { cause: new Error("root") });
  const error = new HttpInternalServerError("Cannot order", { cause });
  const [record, ...more] = recordsOf(() => buildHttpServerErrorResponse(error));
  assertEquals(more, []);
  assertEquals(record!["level"], "FATAL");
  assertEquals(record!["message"], "INTERNAL ERROR: Cannot order.");
  assertEquals(record!["errorMessage"], "Cannot order");
  assertEquals(record!["data"], { status: 500 });
  assert((record!["stackTrace"] as string[]).some((line) => line.includes("error_response_test")));
  const text = JSON.stringify(record);
  for (const message of ["middle", "root"]) assert(text.includes(message), message);
});

Deno.test("both error responses log nothing where they are told so, and anything else by default", () => {
  const server = new HttpInternalServerError();
  const client = new HttpNotFoundError();
  const count = (log?: boolean) =>
    recordsOf(() => {
      buildHttpServerErrorResponse(server, { log });
      buildHttpClientErrorResponse(client, { log });
    }).length;
  assertEquals([count(false), count(true), count(undefined)], [0, 2, 2]);
});

Deno.test("both error responses answer an event that is no request", () => {
  const event = new FnProxyEvent({ Records: [] });
  const server = buildHttpServerErrorResponse(new HttpInternalServerError(), { event, log: false });
  const client = buildHttpClientErrorResponse(new HttpNotFoundError(), { event, log: false });
  assertEquals([server.statusCode, client.statusCode], [500, 404]);
});

Deno.test("both error responses are 406 for a client that accepts nothing available", () => {
  const event = new FnProxyEvent({ headers: { accept: "image/png" } });
  const server = buildHttpServerErrorResponse(new HttpInternalServerError(), { event, log: false });
  const client = buildHttpClientErrorResponse(new HttpNotFoundError(), { event, log: false });
  assertEquals([server.statusCode, client.statusCode], [406, 406]);
});
