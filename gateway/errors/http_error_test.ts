import { assert, assertEquals, assertThrows } from "@std/assert";
import { STATUS_TEXT } from "@std/http/status";
import * as clientErrors from "./client_errors.ts";
import { HttpClientError, HttpError, HttpServerError } from "./http_error.ts";
import * as serverErrors from "./server_errors.ts";

type ErrorClass = new (message?: string, options?: ErrorOptions) => HttpError;

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

/** Reason phrases of the IANA registry that other tables spell as older standards did. */
const IANA_REASONS: Record<number, string> = {
  407: "Proxy Authentication Required",
  413: "Content Too Large",
  422: "Unprocessable Content",
};

/** Reason phrases by status, of a table that is not ours but for the three above. */
const REASONS: Record<number, string> = { ...STATUS_TEXT, ...IANA_REASONS };

Deno.test("there is one error class a status, client errors below 500, server errors from there", () => {
  const expected = (isWanted: (status: number) => boolean) =>
    Object.keys(STATUSES).filter((name) => isWanted(STATUSES[name]!)).sort();
  assertEquals(Object.keys(CLIENT_ERRORS).sort(), expected((status) => status < 500));
  assertEquals(Object.keys(SERVER_ERRORS).sort(), expected((status) => status >= 500));
});

for (const [name, Class] of Object.entries({ ...CLIENT_ERRORS, ...SERVER_ERRORS })) {
  const status = STATUSES[name]!;
  const [Base, Other] = status < 500
    ? [HttpClientError, HttpServerError]
    : [HttpServerError, HttpClientError];

  Deno.test(`${name} has its status, its name and the reason phrase of the registry`, () => {
    const error = new Class();
    assert(error instanceof Base && error instanceof HttpError && error instanceof Error);
    assert(!(error instanceof Other));
    assertEquals([error.status, error.name, error.message], [status, name, REASONS[status]]);
    assertEquals(String(error), `${name}: ${REASONS[status]}`);
    assert(error.stack?.startsWith(String(error)), error.stack);
  });

  Deno.test(`${name} takes a message and a cause, and counts an empty message as omitted`, () => {
    const cause = new Error("why");
    const error = new Class("Not today", { cause });
    assertEquals([error.message, error.cause, error.status], ["Not today", cause, status]);
    assertEquals(new Class("").message, REASONS[status]);
    assertEquals(new Class("", { cause }).cause, cause);
    assertEquals("cause" in new Class(), false);
  });
}

for (const Class of [HttpError, HttpClientError, HttpServerError]) {
  Deno.test(`${Class.name} takes any status, which is then read-only`, () => {
    const cause = { any: "value" };
    const error = new Class(799, "message", { cause });
    assertEquals(
      [error.status, error.message, error.cause, error.name],
      [799, "message", cause, Class.name],
    );
    assertThrows(() => {
      // @ts-expect-error: read-only for the compiler too
      error.status = 200;
    }, TypeError);
    assertEquals(error.status, 799);
  });
}

Deno.test("the error classes keep their names when minified", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const modules = ["http_error", "client_errors", "server_errors"];
    const entry = `${directory}/entry.ts`;
    await Deno.writeTextFile(
      entry,
      `${
        modules.map((name) =>
          `import * as ${name} from "${new URL(`${name}.ts`, import.meta.url)}";`
        )
          .join("\n")
      }
      const names = [];
      for (const Class of Object.values({ ...${
        modules.join(", ...")
      } })) names.push(new Class(400, "").name);
      console.log(JSON.stringify(names));`,
    );
    const bundle = `${directory}/bundle.js`;
    await run(["bundle", "--quiet", "--minify", "--output", bundle, entry]);
    const code = await Deno.readTextFile(bundle);
    assert(!/class HttpGoneError\b/.test(code), "the bundle is not minified");
    assertEquals(
      JSON.parse(await run(["run", bundle])).sort(),
      [...Object.keys(STATUSES), "HttpError", "HttpClientError", "HttpServerError"].sort(),
    );
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

async function run(args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}
