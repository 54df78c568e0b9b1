import { proxyEvent, type RestEvent } from "@mate/core/testing";
import type { Application, CorsSettings, Route } from "../application/types.ts";
import { reply, withHeaders } from "../lambda/http.ts";
import { ACCOUNT_ID } from "../rules/arn.ts";
import { GATEWAY_TIMEOUT, MAX_HEADERS, MAX_REQUEST_BODY } from "../rules/limits.ts";
import { createRouter, METHODS } from "../rules/router.ts";
import {
  type Failure,
  GatewayError,
  type HttpRequest,
  pathBelow,
  type Protocol,
} from "./protocol.ts";
import { restAuthorizing } from "./rest_authorizer.ts";

const NOT_AUTHORIZED = "User is not authorized to access this resource";
const INTERNAL_ERROR = ["InternalServerError", '{"message": "Internal server error"}'] as const;
const NO_MESSAGE = '{"message":null}';

/**
 * The answers that the gateway makes without a function: status, error type without `Exception`, and text of the body.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const ANSWERS: Readonly<Record<Failure, readonly [status: number, type: string, body: string]>> = {
  ACCESS_DENIED: [403, "AccessDenied", `{"Message":"${NOT_AUTHORIZED}"}`],
  EXPLICIT_DENY: [403, "AccessDenied", `{"Message":"${NOT_AUTHORIZED} with an explicit deny"}`],
  AUTHORIZER_CONFIGURATION_ERROR: [500, "AuthorizerConfiguration", NO_MESSAGE],
  AUTHORIZER_FAILURE: [500, "AuthorizerFailure", NO_MESSAGE],
  API_CONFIGURATION_ERROR: [500, ...INTERNAL_ERROR],
  BAD_REQUEST: [400, "BadRequest", '{"message": "Bad Request"}'],
  // The documentation names no status. RFC 6585 defines 431 for this case.
  HEADERS_TOO_LARGE: [
    431,
    "RequestTooLarge",
    `{"message":"HTTP header is larger than ${MAX_HEADERS} bytes."}`,
  ],
  INTEGRATION_FAILURE: [502, ...INTERNAL_ERROR],
  INTEGRATION_TIMEOUT: [504, "InternalServerError", '{"message": "Endpoint request timed out"}'],
  NO_ROUTE: [403, "MissingAuthenticationToken", '{"message":"Missing Authentication Token"}'],
  REQUEST_TOO_LARGE: [
    413,
    "RequestTooLarge",
    `{"message":"HTTP content length exceeded ${MAX_REQUEST_BODY} bytes."}`,
  ],
  REQUEST_TOO_LONG: [413, "RequestTooLarge", '{"message":"Request Too Long"}'],
  UNAUTHORIZED: [401, "Unauthorized", '{"message":"Unauthorized"}'],
};

/** A REST API with Lambda proxy integration. */
export function restApi(
  { name: apiId, stage, gateway, settings }: Application,
): Protocol<RestEvent> {
  const { routes = [], origin = "*", cors, preflights = [] } = gateway ?? {};
  const find = createRouter<Pick<Route, "method" | "path"> & Partial<Route>>([
    ...routes,
    ...preflights.map((path) => ({ method: "OPTIONS", path })),
  ]);
  const basePath = settings.domain?.basePath;
  const { binaryMediaTypes } = settings;
  const prefixes = [stage, basePath ?? []].flat().map((name) => `/${name}`);
  return {
    kind: "rest",
    timeout: GATEWAY_TIMEOUT,
    authorizing: restAuthorizing,
    findRoute({ method, path: whole, query, headers }) {
      const path = pathBelow(whole, prefixes);
      if (path === undefined) {
        const reason = `there is no such route: all start with ${prefixes.join(" or ")}`;
        throw new GatewayError("NO_ROUTE", reason);
      }
      const route = find(method, path);
      if (route === undefined) {
        const [other] = METHODS.flatMap((one) => find(one, path) ?? []);
        throw new GatewayError("NO_ROUTE", `there is no such route${hintOf(method, other?.path)}`);
      }
      const character = /[|{}]/.exec(query)?.[0];
      if (character !== undefined) {
        const reason = `the query has a "${character}" that is not percent-encoded`;
        throw new GatewayError("BAD_REQUEST", reason);
      }
      return route.function === undefined
        ? reply(204, mockFields(cors!, new Headers([...headers]).get("origin")))
        : route as Route;
    },
    async makeEvent(request, route, ids) {
      const { sourceIp, protocol, time } = request;
      const isBelowBase = pathBelow(request.path, [`/${stage}`]) === undefined;
      const facts = { apiId, sourceIp, protocol, time, ...ids };
      const event = await proxyEvent(request, {
        ...facts,
        stage,
        ...(isBelowBase && { basePath: `/${basePath}` }),
        // A body without a type counts as JSON.
        base64: isAmong(binaryMediaTypes, fieldOf(request, "content-type") ?? "application/json"),
        route: `${route.method} ${route.path}`,
      });
      event.requestContext.accountId = ACCOUNT_ID;
      return event;
    },
    takesBytes(request) {
      return isAmong(binaryMediaTypes, fieldOf(request, "accept")?.split(",")[0] ?? "");
    },
    answer({ failure }) {
      const [status, type, body] = ANSWERS[failure];
      const fields = [
        ["Content-Type", "application/json"],
        ["x-amzn-ErrorType", `${type}Exception`],
        ...ownFields(origin, cors),
      ] as const;
      return reply(status, fields, body);
    },
    finish: (response, _, { requestId, extendedRequestId }, traceId) =>
      withHeaders(response, [
        ...traceId === undefined ? [] : [["X-Amzn-Trace-Id", traceId] as const],
        ["x-amzn-RequestId", requestId],
        ["x-amz-apigw-id", extendedRequestId],
      ]),
  };
}

/** Returns the first value of a header field. */
function fieldOf({ headers }: HttpRequest, name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

/**
 * Tells whether a media type is among those of the API.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-payload-encodings.html
 */
function isAmong(types: readonly string[], text: string): boolean {
  const type = text.split(";")[0]!.trim().toLowerCase();
  return types.some((one) => {
    const known = one.toLowerCase();
    return known === "*/*" || known === type ||
      known.endsWith("/*") && type.startsWith(known.slice(0, -1));
  });
}

/** Says what the routes of the manifest lack, if a route for another method has the path. */
function hintOf(method: string, path: string | undefined): string {
  const missing = `${method} ${path}`;
  return path === undefined
    ? ""
    : method === "OPTIONS"
    ? `: add the route ${missing} without an authorizer, for the preflights of browsers`
    : `: the routes of this path do not include ${missing}`;
}

/** Makes the CORS fields of the answers that the gateway makes without a function. They name one origin, whoever asks. */
function ownFields(origin: string, cors: CorsSettings | undefined): [string, string][] {
  const credentials = cors === undefined ? origin !== "*" : cors.credentials;
  const exposed = cors?.exposeHeaders ?? [];
  return [
    ["Access-Control-Allow-Origin", origin],
    ...credentials ? [["Access-Control-Allow-Credentials", "true"] as [string, string]] : [],
    ...exposed.length > 0
      ? [["Access-Control-Expose-Headers", exposed.join(",")] as [string, string]]
      : [],
  ];
}

/** Makes the fields of the answer to a preflight, which a mock integration makes in the account. */
function mockFields(cors: CorsSettings, asked: string | null): [string, string][] {
  const { origins, methods, headers, credentials, maxAge } = cors;
  const origin = origins.find((one) => one === asked) ?? origins[0]!;
  const fields: [string, string][] = [
    ["Access-Control-Allow-Origin", origin],
    ["Access-Control-Allow-Methods", methods.join(",")],
    ["Access-Control-Allow-Headers", headers.join(",")],
  ];
  if (credentials) fields.push(["Access-Control-Allow-Credentials", "true"]);
  if (maxAge > 0) fields.push(["Access-Control-Max-Age", String(maxAge)]);
  if (origins.length > 1) fields.push(["Vary", "Origin"]);
  return fields;
}
