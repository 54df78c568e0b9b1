import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { FunctionHost } from "../function_host.ts";
import type { HttpResponse } from "../gateway/errors.ts";
import { MAX_ASYNC_EVENT, MAX_SYNC_EVENT } from "../limits.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import type { AsyncInvocations } from "./async_invocations.ts";
import { InvokeError } from "./errors.ts";
import { findFunction } from "./function_name.ts";

/** What the Invoke API works with. */
export interface InvokeApiOptions {
  /** The application. */
  readonly manifest: Manifest;
  /** What runs its functions. */
  readonly host: FunctionHost;
  /** What takes the events that nobody waits for. */
  readonly asyncInvocations: AsyncInvocations;
}

/** A request to the Invoke API. */
export interface InvokeRequest {
  /** The method. */
  readonly method: string;
  /** The path, percent-encoded. */
  readonly path: string;
  /** The query, without `?`. */
  readonly query: string;
  /** The headers, with lower-case names. */
  readonly headers: IncomingHttpHeaders;
  /** The body; of one that is over the limit perhaps only the start. */
  readonly body: Uint8Array;
}

const MAX_CLIENT_CONTEXT = 3_583;

/**
 * Makes the Invoke API, which `aws lambda invoke --endpoint-url` and the SDKs talk to.
 *
 * @param options What it works with.
 * @returns What answers a request.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export function createInvokeApi(
  { manifest, host, asyncInvocations }: InvokeApiOptions,
): (request: InvokeRequest) => Promise<HttpResponse> {
  async function invoke(request: InvokeRequest): Promise<HttpResponse> {
    const [, encoded] = /^\/2015-03-31\/functions\/([^/]+)\/invocations\/?$/.exec(request.path) ??
      [];
    if (encoded === undefined || request.method !== "POST") {
      throw new InvokeError(
        404,
        "UnknownOperationException",
        `The operation ${request.method} ${request.path} is not available here: only Invoke is`,
      );
    }
    const qualifier = new URLSearchParams(request.query).get("Qualifier");
    const name = findFunction(manifest, decode(encoded), qualifier);
    const type = readEnum(request, "x-amz-invocation-type", "invocationType", [
      "RequestResponse",
      "Event",
      "DryRun",
    ]);
    const logType = readEnum(request, "x-amz-log-type", "logType", ["None", "Tail"]);
    const clientContext = readClientContext(header(request, "x-amz-client-context"));
    const payload = readEvent(request.body, type === "Event" ? MAX_ASYNC_EVENT : MAX_SYNC_EVENT);
    const tenantId = header(request, "x-amz-tenant-id");
    const traceId = header(request, "x-amzn-trace-id");

    if (type === "DryRun") return reply(204, randomUUID());
    if (type === "Event") {
      // The platform hands the client context to synchronous invocations only.
      return reply(202, asyncInvocations.start(name, payload, { tenantId, traceId }));
    }
    const outcome = await host.invoke(name, payload, { clientContext, tenantId, traceId });
    const headers: (readonly [string, string])[] = [
      ["Content-Type", "application/json"],
      ["X-Amz-Executed-Version", "$LATEST"],
    ];
    if (outcome.failure !== undefined) headers.push(["X-Amz-Function-Error", "Unhandled"]);
    if (logType === "Tail") {
      headers.push(["X-Amz-Log-Result", Buffer.from(outcome.logTail).toString("base64")]);
    }
    return reply(200, outcome.requestId, headers, outcome.payload);
  }

  return async (request) => {
    try {
      return await invoke(request);
    } catch (error) {
      const known = error instanceof InvokeError
        ? error
        : new InvokeError(500, "ServiceException", (error as Error).message);
      const headers = [
        ["Content-Type", "application/json"],
        ["x-amzn-ErrorType", known.type],
      ] as const;
      return reply(known.status, randomUUID(), headers, Buffer.from(JSON.stringify(known)));
    }
  };
}

function reply(
  status: number,
  requestId: string,
  headers: HttpResponse["headers"] = [],
  body: Uint8Array = new Uint8Array(),
): HttpResponse {
  return { status, headers: [...headers, ["x-amzn-RequestId", requestId]], body };
}

function header({ headers }: InvokeRequest, name: string): string | undefined {
  return headers[name]?.toString();
}

/** One of some values; the first if the header is absent. */
function readEnum<T extends string>(
  request: InvokeRequest,
  name: string,
  member: string,
  values: readonly [T, ...T[]],
): T {
  const value = header(request, name) ?? values[0];
  const known = values.find((candidate) => candidate === value);
  if (known !== undefined) return known;
  throw new InvokeError(
    400,
    "ValidationException",
    `1 validation error detected: Value '${value}' at '${member}' failed to satisfy constraint: ` +
      `Member must satisfy enum value set: [${values.join(", ")}]`,
  );
}

/** The client context, as JSON text; it arrives in base64. */
function readClientContext(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = Buffer.from(value, "base64").toString();
  if (value.length <= MAX_CLIENT_CONTEXT && isJsonObject(text)) return text;
  throw new InvokeError(
    400,
    "InvalidRequestContentException",
    `Client context must be a valid Base64-encoded JSON object of at most ${MAX_CLIENT_CONTEXT} bytes.`,
  );
}

/** The event; an empty object if there is none. */
function readEvent(body: Uint8Array, limit: number): Uint8Array {
  if (body.length > limit) {
    throw new InvokeError(
      413,
      "RequestTooLargeException",
      `Request must be smaller than ${limit} bytes for the InvokeFunction operation`,
    );
  }
  if (body.length === 0) return Buffer.from("{}");
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    return body;
  } catch (error) {
    throw new InvokeError(
      400,
      "InvalidRequestContentException",
      `Could not parse request body into json: ${(error as Error).message}`,
    );
  }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false; // the caller says what it must be
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // no function has such a name: the answer quotes it
  }
}
