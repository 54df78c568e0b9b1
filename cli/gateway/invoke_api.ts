import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { functionArn } from "../rules/arn.ts";
import type { FunctionHost } from "../lambda/function_host.ts";
import { LoopError } from "../lambda/loops.ts";
import { MAX_ASYNC_EVENT, MAX_SYNC_EVENT } from "../rules/limits.ts";
import { Refusal, type Reply, reply } from "../lambda/http.ts";
import type { Application } from "../application/types.ts";
import { parseObject } from "../rules/json_object.ts";
import type { AsyncInvocations } from "../sources/async_invocations.ts";
import { invokeWithResponseStream } from "./response_stream.ts";

export interface InvokeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** The headers, with lower-case names. */
  readonly headers: IncomingHttpHeaders;
  /** The body. A body over the limit may be cut beyond the limit. */
  readonly body: Uint8Array;
}

const MAX_CLIENT_CONTEXT = 3_583;

const OPERATIONS =
  /^\/2015-03-31\/functions\/([^/]+)\/invocations\/?$|^\/2021-11-15\/functions\/([^/]+)\/response-streaming-invocations\/?$/;

/** The header fields of Invoke, of a signature, and of the SDK. */
const FIELDS =
  /^x-amz-(client-context|content-sha256|date|invocation-type|log-type|security-token|tenant-id|user-agent)$/;

/**
 * Makes the Invoke API of AWS Lambda, for `aws lambda invoke --endpoint-url` and the SDKs.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export function createInvokeApi(
  application: Application,
  host: FunctionHost,
  asyncInvocations: AsyncInvocations,
): (request: InvokeRequest) => Promise<Reply> {
  async function invoke(request: InvokeRequest): Promise<Reply> {
    const [, plain, streaming] = OPERATIONS.exec(request.path) ?? [];
    const encoded = plain ?? streaming;
    if (encoded === undefined || request.method !== "POST") {
      const known = "only Invoke and InvokeWithResponseStream are";
      throw notEmulated(`The operation ${request.method} ${request.path}`, `: ${known}`);
    }
    checkNames(request);
    const qualifier = new URLSearchParams(request.query).get("Qualifier");
    const name = findFunction(application, decode(encoded), qualifier);
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
    const facts = { trigger: { type: "invoke", name } } as const;
    const options = { clientContext, tenantId, traceId, facts };
    if (type === "DryRun") return reply(204, identified(randomUUID()));
    if (type === "Event") {
      // AWS Lambda passes the client context to synchronous invocations only.
      const { clientContext: _, ...others } = options;
      return reply(202, identified(asyncInvocations.start(name, payload, others)));
    }
    if (application.functions[name]!.reservedConcurrency === 0) {
      throw invokeRefusal("TooManyRequestsException", "Rate Exceeded.", {
        Reason: "ReservedFunctionConcurrentInvocationLimitExceeded",
      });
    }
    if (streaming !== undefined) {
      return invokeWithResponseStream(host, name, payload, options, logType === "Tail");
    }
    const outcome = await host.invoke(name, payload, options);
    const headers: (readonly [string, string])[] = [
      ...identified(outcome.requestId),
      ["Content-Type", "application/json"],
      ["X-Amz-Executed-Version", "$LATEST"],
    ];
    if (outcome.failure !== undefined) headers.push(["X-Amz-Function-Error", "Unhandled"]);
    if (logType === "Tail") {
      headers.push(["X-Amz-Log-Result", Buffer.from(outcome.logTail).toString("base64")]);
    }
    return { status: 200, headers, body: outcome.payload };
  }

  return async (request) => {
    try {
      return await invoke(request);
    } catch (error) {
      const { reply } = error instanceof Refusal ? error : invokeRefusal(
        error instanceof LoopError ? "RecursiveInvocationException" : "ServiceException",
        (error as Error).message,
      );
      return { ...reply, headers: [...reply.headers, ...identified(randomUUID())] };
    }
  };
}

/** Refuses a parameter or a header field that is not emulated, because it could change the meaning of the request. */
function checkNames({ query, headers }: InvokeRequest): void {
  for (const name of new URLSearchParams(query).keys()) {
    if (name !== "Qualifier") throw notEmulated(`The parameter "${name}" of Invoke`);
  }
  for (const name of Object.keys(headers)) {
    const isKnown = !name.startsWith("x-amz-") || FIELDS.test(name);
    if (!isKnown) throw notEmulated(`The header field "${name}" of Invoke`);
  }
}

function notEmulated(what: string, rest = ""): Refusal {
  return invokeRefusal("NotImplementedException", `${what} is not emulated locally${rest}`);
}

function identified(requestId: string): Reply["headers"] {
  return [["x-amzn-RequestId", requestId]];
}

function header({ headers }: InvokeRequest, name: string): string | undefined {
  return headers[name]?.toString();
}

/** Reads a header that allows some values. The first value is the default. */
function readEnum<T extends string>(
  request: InvokeRequest,
  name: string,
  member: string,
  values: readonly [T, ...T[]],
): T {
  const value = header(request, name) ?? values[0];
  const known = values.find((candidate) => candidate === value);
  if (known !== undefined) return known;
  throw invokeRefusal(
    "ValidationException",
    `1 validation error detected: Value '${value}' at '${member}' failed to satisfy constraint: ` +
      `Member must satisfy enum value set: [${values.join(", ")}]`,
  );
}

/** Reads the client context: JSON in base64. */
function readClientContext(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = Buffer.from(value, "base64").toString();
  if (value.length <= MAX_CLIENT_CONTEXT && parseObject(text)) return text;
  throw invokeRefusal(
    "InvalidRequestContentException",
    `Client context must be a valid Base64-encoded JSON object of at most ${MAX_CLIENT_CONTEXT} bytes.`,
  );
}

function readEvent(body: Uint8Array, limit: number): Uint8Array {
  if (body.length > limit) {
    throw invokeRefusal(
      "RequestTooLargeException",
      `Request must be smaller than ${limit} bytes for the InvokeFunction operation`,
    );
  }
  if (body.length === 0) return Buffer.from("{}");
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    return body;
  } catch (error) {
    throw invokeRefusal(
      "InvalidRequestContentException",
      `Could not parse request body into json: ${(error as Error).message}`,
    );
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // The error for an unknown name quotes the text.
  }
}

/** The status codes of errors. All other errors have 400. */
const STATUSES: Readonly<Record<string, number>> = {
  RequestTooLargeException: 413,
  ResourceNotFoundException: 404,
  ServiceException: 500,
  TooManyRequestsException: 429,
  NotImplementedException: 501,
};

/** Makes an error of the Invoke API. AWS Lambda spells the key of the message in two ways. */
function invokeRefusal(type: string, message: string, more: object = {}): Refusal {
  const key = type === "ResourceNotFoundException" ? "Message" : "message";
  const headers = [["Content-Type", "application/json"], ["x-amzn-ErrorType", type]] as const;
  return new Refusal(
    reply(
      STATUSES[type] ?? 400,
      headers,
      JSON.stringify({ ...more, Type: "User", [key]: message }),
    ),
    message,
  );
}

/** Returns the ARN of the function that the path of a request calls. */
export function calledFunction(application: Application, path: string): string {
  const [, plain, streaming] = OPERATIONS.exec(path) ?? [];
  const name = decode(plain ?? streaming ?? "");
  try {
    return application.functions[findFunction(application, name, null)]!.arn;
  } catch (error) {
    if (error instanceof Refusal) return functionArn(name);
    throw error;
  }
}

/** The name of a function, its ARN, or the last parts of its ARN. A version or an alias may follow. */
const NAME =
  /^(?:arn:aws[a-zA-Z-]*:lambda:)?(?:[a-z]{2}(?:-[a-z]+){1,2}-\d:)?(?:\d{12}:)?(?:function:)?([\w-]{1,64})(?::(\$LATEST|[\w-]{1,128}))?$/;

/**
 * Finds a function by its name, its ARN, or its name in the manifest. The account and the region of an ARN have no effect. The
 * qualifier is a version.
 */
function findFunction({ functions }: Application, name: string, qualifier: string | null): string {
  const [, functionName, version] = NAME.exec(name) ?? [];
  if (functionName === undefined) {
    throw invokeRefusal(
      "ValidationException",
      `1 validation error detected: Value '${name}' at 'functionName' failed to satisfy constraint: ` +
        "Member must be the name of a function, or its ARN",
    );
  }
  if (version !== undefined && qualifier !== null && version !== qualifier) {
    throw invokeRefusal(
      "InvalidParameterValueException",
      "The derived qualifier from the function name does not match the specified qualifier.",
    );
  }
  const wanted = version ?? qualifier;
  const known = Object.keys(functions)
    .find((key) => key === functionName || functions[key]!.name === functionName);
  if (known === undefined || (wanted !== null && wanted !== "$LATEST")) {
    const suffix = wanted === null ? "" : `:${wanted}`;
    throw invokeRefusal(
      "ResourceNotFoundException",
      `Function not found: ${functionArn(functionName)}${suffix}`,
    );
  }
  return known;
}
