import { assert, assertEquals, assertThrows } from "@std/assert";
import { STATUS_TEXT } from "@std/http/status";
import * as esbuild from "esbuild";
import { fileURLToPath } from "node:url";
import * as clientErrors from "./client_errors.ts";
import {
  errorKind,
  HttpClientError,
  HttpError,
  type HttpErrorOptions,
  HttpServerError,
} from "./http_error.ts";
import * as serverErrors from "./server_errors.ts";

type ErrorClass = new (message?: string, options?: HttpErrorOptions) => HttpError;

const CLIENT_ERRORS: Record<string, ErrorClass> = { ...clientErrors };
const SERVER_ERRORS: Record<string, ErrorClass> = { ...serverErrors };

const STATUSES: Record<string, number> = {
  HttpBadRequestError: 400,
  HttpUnauthorizedError: 401,
  HttpPaymentRequiredError: 402,
  HttpForbiddenError: 403,
  HttpNotFoundError: 404,
  HttpMethodNotAllowedError: 405,
  HttpNotAcceptableError: 406,
  HttpProxyAuthenticationRequiredError: 407,
  HttpRequestTimeoutError: 408,
  HttpConflictError: 409,
  HttpGoneError: 410,
  HttpLengthRequiredError: 411,
  HttpPreconditionFailedError: 412,
  HttpRequestEntityTooLargeError: 413,
  HttpRequestUriTooLongError: 414,
  HttpUnsupportedMediaTypeError: 415,
  HttpRequestRangeNotSatisfiableError: 416,
  HttpExpectationFailedError: 417,
  HttpMisdirectedRequestError: 421,
  HttpUnprocessableEntityError: 422,
  HttpLockedError: 423,
  HttpFailedDependencyError: 424,
  HttpUpgradeRequiredError: 426,
  HttpPreconditionRequiredError: 428,
  HttpTooManyRequestsError: 429,
  HttpRequestHeaderFieldsTooLargeError: 431,
  HttpInternalServerError: 500,
  HttpNotImplementedError: 501,
  HttpBadGatewayError: 502,
  HttpServiceUnavailableError: 503,
  HttpGatewayTimeoutError: 504,
  HttpVersionNotSupportedError: 505,
  HttpVarianteAlsoNegociatesError: 506,
  HttpInsufficientStorageError: 507,
  HttpLoopDetectedError: 508,
  HttpNotExtendedError: 510,
  HttpNetworkAuthenticationRequiredError: 511,
};

/** Reason phrases that the IANA registry spells differently than `@std/http`. */
const IANA_REASONS: Record<number, string> = {
  407: "Proxy Authentication Required",
  413: "Content Too Large",
  422: "Unprocessable Content",
};

const REASONS: Record<number, string> = { ...STATUS_TEXT, ...IANA_REASONS };
const BASES = { HttpError, HttpClientError, HttpServerError };

Deno.test("client_errors.ts has the classes below 500, server_errors.ts the others", () => {
  const expected = (isWanted: (status: number) => boolean) =>
    Object.keys(STATUSES).filter((name) => isWanted(STATUSES[name]!)).sort();
  assertEquals(Object.keys(CLIENT_ERRORS).sort(), expected((status) => status < 500));
  assertEquals(Object.keys(SERVER_ERRORS).sort(), expected((status) => status >= 500));
});

Deno.test("each error class has its status and name, and its reason phrase unless it gets a message", () => {
  const options = { cause: new Error("why"), headers: { Allow: ["GET"] }, details: { a: 1 } };
  for (const [name, Class] of Object.entries({ ...CLIENT_ERRORS, ...SERVER_ERRORS })) {
    const status = STATUSES[name]!;
    const error = new Class();
    assert(error instanceof Error, name);
    assertEquals(error instanceof HttpClientError, status < 500, name);
    assertEquals(error instanceof HttpServerError, status >= 500, name);
    assertEquals(errorKind(error), status < 500 ? "client" : "server", name);
    assertEquals([error.status, error.name, error.message], [status, name, REASONS[status]]);
    const [title, place] = error.stack!.split("\n");
    assertEquals(title, `${name}: ${REASONS[status]}`);
    assert(place!.includes("http_error_test.ts"), place);
    assertEquals(Object.keys(error), ["status"], name);
    assertEquals("cause" in error, false, name);

    const told = new Class("Not today", options);
    assertEquals([told.message, told.status], ["Not today", status], name);
    assertEquals([told.cause, told.headers, told.details], Object.values(options), name);
    const unsaid = new Class("", options);
    assertEquals([unsaid.message, unsaid.cause], [REASONS[status], options.cause], name);
  }
});

Deno.test("HttpError, HttpClientError and HttpServerError take any status", () => {
  for (const [name, Class] of Object.entries(BASES)) {
    const error = new Class(799, "message", { cause: 5 });
    assertEquals([error.status, error.message, error.cause, error.name], [799, "message", 5, name]);
    assertThrows(() => {
      // @ts-expect-error: the status is read-only for the compiler
      Object.freeze(error).status = 200;
    }, TypeError);
  }
});

Deno.test("a class of one's own may set a name of its own", () => {
  class Renamed extends HttpClientError {
    override name = "Renamed";
  }
  assertEquals(String(new Renamed(400, "x")), "Renamed: x");
});

Deno.test("errorKind() takes no other thrown value", () => {
  const alike = { name: "HttpNotFoundError", status: 404 };
  const others = [null, undefined, "x", 5n, {}, new Error("x"), alike];
  for (const other of others) {
    assertEquals(errorKind(other), undefined, String(other));
  }
  assertEquals(errorKind(new HttpError(404, "x")), "any");
});

/** The module that esbuild makes of a few lines, minified. */
async function bundle(lines: string): Promise<string> {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: lines, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  return outputFiles[0]!.text;
}

Deno.test({
  name: "the error classes survive minifying, are known to another copy, and fall out if unused",
  sanitizeResources: false, // esbuild's own process, which ends with the test's
  sanitizeOps: false,
  async fn() {
    try {
      const all = await bundle(
        'export * from "./client_errors.ts"; export * from "./server_errors.ts"; export * from "./http_error.ts";',
      );
      assert(!/class HttpGoneError\b/.test(all), "the bundle is not minified");
      const copy = await import(`data:text/javascript,${encodeURIComponent(all)}`);
      for (const [name, status] of Object.entries(STATUSES)) {
        const error: unknown = new copy[name]();
        assertEquals((error as Error).name, name);
        assertEquals(error instanceof HttpError, false, "the class of another copy");
        assertEquals(errorKind(error), status < 500 ? "client" : "server");
      }
      for (const name of Object.keys(BASES)) assertEquals(new copy[name](400, "").name, name);

      const alone = await bundle('export { HttpNotFoundError } from "./client_errors.ts";');
      assert(alone.length < 1000, `${alone.length} bytes`);
      assert(!alone.includes("Gone"), alone);
      assertEquals(await bundle('import "./client_errors.ts"; import "./server_errors.ts";'), "");
    } finally {
      await esbuild.stop();
    }
  },
});
