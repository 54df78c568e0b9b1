import { assert, assertEquals } from "@std/assert";
import { HttpNotFoundError } from "../errors/client_errors.ts";
import { HttpClientError, HttpError, HttpServerError } from "../errors/http_error.ts";
import { HttpInternalServerError, HttpServiceUnavailableError } from "../errors/server_errors.ts";
import { FnProxyEvent } from "../event/proxy_event.ts";
import { CANNED, JSON_UTF8 } from "../testdata/events.ts";
import { captureLog } from "../../testing/mod.ts";
import {
  buildHttpClientErrorResponse,
  buildHttpServerErrorResponse,
  type ErrorResponseOptions,
} from "./build_response.ts";

const OWN = { headers: { "Retry-After": "60", "X-A": ["1", "2"] }, details: { field: "name" } };

/** The responses to a client error and to a server error with headers and details. */
function buildBoth(options: ErrorResponseOptions) {
  const cause = new Error("secret cause");
  const server = new HttpServiceUnavailableError("secret message", { ...OWN, cause });
  return [
    buildHttpClientErrorResponse(new HttpNotFoundError("No", OWN), options),
    buildHttpServerErrorResponse(server, options),
  ] as const;
}

Deno.test("both error responses have the error's headers, which win, but only the client error tells its message and details", () => {
  const event = new FnProxyEvent({ headers: { "accept-encoding": "identity" } });
  const extraHeaders = { "retry-after": "5", "X-B": "3" };
  const [client, server] = buildBoth({ event, extraHeaders, log: false });
  assertEquals(client, {
    statusCode: 404,
    headers: {
      "Content-Type": JSON_UTF8,
      "Retry-After": "60",
      "X-B": "3",
      Vary: "Accept, Accept-Encoding",
    },
    multiValueHeaders: { "X-A": ["1", "2"] },
    body: JSON.stringify({ Message: "No", Details: OWN.details }, null, 2),
    isBase64Encoded: false,
  });
  const body = JSON.stringify({ Message: CANNED }, null, 2);
  assertEquals(server, { ...client, statusCode: 503, body });
});

Deno.test("buildHttpClientErrorResponse() logs one record with status and message", async () => {
  const { records: [record, ...more] } = await captureLog(() =>
    buildHttpClientErrorResponse(new HttpNotFoundError("No such order"))
  );
  assertEquals([record!["level"], record!["message"]], ["ERROR", "No such order"]);
  assertEquals(record!["data"], { status: 404 });
  assertEquals(more, []);
});

Deno.test("buildHttpClientErrorResponse() takes a status without a class of its own, but no server error", () => {
  for (const error of [new HttpClientError(418, "Tea"), new HttpError(418, "Tea")]) {
    const response = buildHttpClientErrorResponse(error, { log: false });
    assertEquals([response.statusCode, JSON.parse(response.body)], [418, { Message: "Tea" }]);
  }
});

Deno.test("both error responses answer a status outside of the class of the error as a server error", async () => {
  for (
    const [error, status] of [
      [new HttpClientError(503, "secret"), 503],
      [new HttpInternalServerError("secret"), 500],
      [new HttpClientError(200, "secret"), 500],
      [new HttpClientError(799, "secret"), 500],
      [new HttpClientError(NaN, "secret"), 500],
      [new HttpError(302, "secret"), 500],
      [new HttpError(501, "secret"), 501],
      [new HttpServerError(404, "secret"), 500],
      [new HttpServerError(600, "secret"), 500],
    ] as const
  ) {
    for (const build of [buildHttpClientErrorResponse, buildHttpServerErrorResponse]) {
      const { result, records } = await captureLog(() => build(error));
      const name = `${build.name} ${error.name} ${error.status}`;
      assertEquals(
        [result.statusCode, JSON.parse(result.body)],
        [status, { Message: CANNED }],
        name,
      );
      assertEquals(records.map(({ level }) => level), ["FATAL"], name);
      assert(JSON.stringify(records).includes("secret"), name);
      assertEquals(build(error, { log: false }).statusCode, status);
    }
  }
  const { records } = await captureLog(() =>
    buildHttpClientErrorResponse(new HttpClientError(503, "secret"), { log: false })
  );
  assertEquals(records, []);
});

Deno.test("the record of buildHttpClientErrorResponse() has the method and path of its event", async () => {
  const event = new FnProxyEvent({
    headers: {},
    path: "/orders",
    requestContext: { httpMethod: "get", path: "/v0/orders", stage: "v0" },
  });
  const { records } = await captureLog(() =>
    buildHttpClientErrorResponse(new HttpNotFoundError("No"), { event })
  );
  assertEquals(records[0]!["data"], { status: 404, method: "GET", path: "/orders" });
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
    const { records } = await captureLog(() => buildBoth({ log }));
    assertEquals(records.length, count, `log: ${log}`);
  }
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

Deno.test("both error responses answer an event that is not a request, but 406 if no type is acceptable", () => {
  for (
    const [raw, statuses] of [
      [{ Records: [] }, [404, 503]],
      [{ headers: { accept: "image/png" } }, [406, 406]],
    ] as const
  ) {
    const built = buildBoth({ event: new FnProxyEvent(raw), log: false });
    assertEquals(built.map(({ statusCode }) => statusCode), [...statuses]);
  }
});
