/** Events and a context for the tests of the functions. */
import type { FnContext, JsonObject } from "@mate/core/function";

/** The parts of a request that a test chooses. */
export interface Request {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
}

/** The Accept header of a browser. */
export const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

/** The event of a request to a REST API, payload format 1.0. */
export function restEvent({
  method = "GET",
  path = "/okay",
  headers = {},
  query = {},
  body = null,
  isBase64Encoded = false,
}: Request = {}): JsonObject {
  const multiValues = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));
  const queryOrNull = Object.keys(query).length === 0 ? null : query;
  const [, name, ...rest] = path.split("/");
  return {
    resource: rest.length === 0 ? `/${name}` : `/${name}/{proxy+}`,
    path,
    httpMethod: method,
    headers: { Host: "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com", ...headers },
    multiValueHeaders: multiValues(headers),
    queryStringParameters: queryOrNull,
    multiValueQueryStringParameters: queryOrNull && multiValues(queryOrNull),
    pathParameters: rest.length === 0 ? null : { proxy: rest.join("/") },
    stageVariables: null,
    requestContext: {
      accountId: "123456789012",
      apiId: "a1b2c3d4e5",
      domainName: "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com",
      domainPrefix: "a1b2c3d4e5",
      extendedRequestId: "Qx3JzGkXliAFYqw=",
      httpMethod: method,
      identity: { sourceIp: "198.51.100.23", userAgent: headers["User-Agent"] ?? null },
      path: `/v0${path}`,
      protocol: "HTTP/1.1",
      requestId: "0d5c2a1e-6f4b-4d7a-9c3e-8b1f2a3c4d5e",
      requestTime: "21/Nov/2026:08:00:00 +0000",
      requestTimeEpoch: 1795248000000,
      resourceId: "k9x2m1",
      stage: "v0",
    },
    body,
    isBase64Encoded,
  };
}

/** The event of the console's button that tests a method. */
export function consoleTestEvent(method = "GET", path = "/okay"): JsonObject {
  return {
    ...restEvent({ method, path }),
    headers: null,
    multiValueHeaders: null,
    requestContext: {
      ...restEvent({ method, path }).requestContext as JsonObject,
      domainName: "testPrefix.testDomainName",
      identity: { sourceIp: "test-invoke-source-ip", userAgent: "aws-internal/3" },
      path,
      stage: "test-invoke-stage",
    },
  };
}

/** The context of an invocation. */
export const CONTEXT: FnContext = {
  awsRequestId: "5f6b8a52-6c0e-4a55-9d3b-1f0a9d5b7c11",
  functionName: "mate-example-okay",
  functionVersion: "$LATEST",
  invokedFunctionArn: "arn:aws:lambda:eu-central-1:123456789012:function:mate-example-okay",
  memoryLimitInMB: "256",
  logGroupName: "/aws/lambda/mate-example-okay",
  logStreamName: "2026/11/21/[$LATEST]0123456789abcdef",
  getRemainingTimeInMillis: () => 10_000,
};

/** One record of the log in its JSON format. */
export interface LogRecord {
  readonly level: string;
  readonly message: string;
  readonly requestId: string;
  readonly [key: string]: unknown;
}

/** Runs something, and gives what it returns or throws together with what was logged meanwhile. */
export async function recordLog<T>(
  run: () => T | Promise<T>,
): Promise<{ result?: T; thrown?: unknown; log: LogRecord[] }> {
  Deno.env.set("AWS_LAMBDA_LOG_FORMAT", "JSON");
  const lines: string[] = [];
  const { log } = console;
  console.log = (line: string) => lines.push(line);
  try {
    const result = await run();
    return { result, log: lines.map((line) => JSON.parse(line)) };
  } catch (thrown) {
    return { thrown, log: lines.map((line) => JSON.parse(line)) };
  } finally {
    console.log = log;
    Deno.env.delete("AWS_LAMBDA_LOG_FORMAT");
  }
}
