import { assert, assertEquals, assertThrows } from "@std/assert";
import { HttpMethodNotAllowedError, HttpNotFoundError } from "../errors/client_errors.ts";
import { buildHttpClientErrorResponse, buildHttpServerErrorResponse } from "./error_response.ts";
import { HttpClientError, HttpError, HttpServerError } from "../errors/http_error.ts";
import { FnProxyEvent } from "../event/proxy_event.ts";
import { HttpInternalServerError, HttpServiceUnavailableError } from "../errors/server_errors.ts";
import { captureLog } from "../../testing/mod.ts";

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

Deno.test("buildHttpClientErrorResponse() logs one record with status and message", async () => {
  const { records: [record, ...more] } = await captureLog(() =>
    buildHttpClientErrorResponse(new HttpNotFoundError("No such order"))
  );
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

Deno.test("buildHttpClientErrorResponse() refuses a server error", () => {
  assertThrows(
    () => buildHttpClientErrorResponse(new HttpInternalServerError("secret")),
    TypeError,
    "status 500 of HttpInternalServerError is not a client error",
  );
});

Deno.test("buildHttpServerErrorResponse() tells the client nothing of the error", () => {
  const cause = new Error("secret cause");
  const error = new HttpServiceUnavailableError("secret message", { cause });
  const response = buildHttpServerErrorResponse(error, { event, log: false });
  assertEquals(response.statusCode, 503);
  assertEquals(JSON.parse(response.body), { Message: "The server failed to answer this request" });
  assert(!JSON.stringify(response).includes("secret"));
});

Deno.test("buildHttpServerErrorResponse() tells the client the client message, even an empty one", () => {
  for (const clientMessage of ["Later", ""]) {
    const error = new HttpServerError(599, "secret");
    const response = buildHttpServerErrorResponse(error, { clientMessage, log: false });
    assertEquals([response.statusCode, JSON.parse(response.body).Message], [599, clientMessage]);
  }
});

Deno.test("buildHttpServerErrorResponse() logs one critical record with status, stack and causes", async () => {
  const cause = new TypeError("middle", { cause: new Error("root") });
  const error = new HttpInternalServerError("Cannot order", { cause });
  const { records: [record, ...more] } = await captureLog(() =>
    buildHttpServerErrorResponse(error)
  );
  assertEquals(more, []);
  assertEquals(record!["level"], "FATAL");
  assertEquals(record!["message"], "INTERNAL ERROR: Cannot order.");
  assertEquals(record!["errorMessage"], "Cannot order");
  assertEquals(record!["data"], { status: 500 });
  assert((record!["stackTrace"] as string[]).some((line) => line.includes("error_response_test")));
  const text = JSON.stringify(record);
  for (const message of ["middle", "root"]) assert(text.includes(message), message);
});

Deno.test("both error responses are logged unless log is false", async () => {
  for (const [log, count] of [[false, 0], [true, 2], [undefined, 2]] as const) {
    const { records } = await captureLog(() => {
      buildHttpServerErrorResponse(new HttpInternalServerError(), { log });
      buildHttpClientErrorResponse(new HttpNotFoundError(), { log });
    });
    assertEquals(records.length, count, `log: ${log}`);
  }
});

Deno.test("both error responses carry the headers of the error, which win over the extra headers", () => {
  const options = { headers: { "Retry-After": "60", "X-A": ["1", "2"] }, details: { a: 1 } };
  const extraHeaders = { "retry-after": "5", "X-B": "3" };
  for (
    const { headers, multiValueHeaders } of [
      buildHttpServerErrorResponse(new HttpInternalServerError("", options), {
        log: false,
        extraHeaders,
      }),
      buildHttpClientErrorResponse(new HttpNotFoundError("", options), {
        log: false,
        extraHeaders,
      }),
    ]
  ) {
    assertEquals([headers["Retry-After"], headers["X-B"]], ["60", "3"]);
    assertEquals([headers["retry-after"], multiValueHeaders], [undefined, { "X-A": ["1", "2"] }]);
  }
});

Deno.test("only the client error response carries the details of the error", () => {
  const options = { details: { field: "name" } };
  const client = new HttpNotFoundError("No", options);
  const server = new HttpInternalServerError("No", options);
  assertEquals(JSON.parse(buildHttpClientErrorResponse(client, { log: false }).body), {
    Message: "No",
    Details: { field: "name" },
  });
  const { body } = buildHttpServerErrorResponse(server, { log: false, clientMessage: "Sorry" });
  assertEquals(JSON.parse(body), { Message: "Sorry" });
});

Deno.test("a transformer gets the error that the response answers", () => {
  const seen: unknown[] = [];
  const error = new HttpNotFoundError();
  buildHttpClientErrorResponse(error, {
    log: false,
    customTransformers: {
      "application/json": (payload, info) => (seen.push(payload, info), ["{}", "application/json"]),
    },
  });
  assertEquals(seen, [{ Message: "Not Found" }, { status: 404, error, event: undefined }]);
});

Deno.test("both error responses answer an event that is not a request", () => {
  const event = new FnProxyEvent({ Records: [] });
  const server = buildHttpServerErrorResponse(new HttpInternalServerError(), { event, log: false });
  const client = buildHttpClientErrorResponse(new HttpNotFoundError(), { event, log: false });
  assertEquals([server.statusCode, client.statusCode], [500, 404]);
});

Deno.test("both error responses are 406 if the client accepts no available type", () => {
  const event = new FnProxyEvent({ headers: { accept: "image/png" } });
  const server = buildHttpServerErrorResponse(new HttpInternalServerError(), { event, log: false });
  const client = buildHttpClientErrorResponse(new HttpNotFoundError(), { event, log: false });
  assertEquals([server.statusCode, client.statusCode], [406, 406]);
});
