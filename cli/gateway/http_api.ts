import { type HttpEvent, proxyEvent } from "@mate/core/testing";
import type { Application, CorsSettings } from "../application/types.ts";
import { routeKey } from "../application/invoking.ts";
import { type Reply, reply, withHeaders } from "../lambda/http.ts";
import { ACCOUNT_ID } from "../rules/arn.ts";
import { HTTP_API_TIMEOUT } from "../rules/limits.ts";
import { createHttpRouter } from "../rules/router.ts";
import { httpAuthorizing } from "./http_authorizer.ts";
import {
  type Failure,
  GatewayError,
  type HttpRequest,
  pathBelow,
  type Protocol,
} from "./protocol.ts";

const FORBIDDEN = [403, "Forbidden"] as const;
const INTERNAL = [500, "Internal Server Error"] as const;
const TOO_LARGE = [413, "Request Entity Too Large"] as const;

/**
 * The answers that the gateway makes without a function: status and message.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html (404)
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-lambda-authorizer.html (500)
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-troubleshooting-jwt.html (401)
 */
const ANSWERS: Readonly<Record<Failure, readonly [status: number, message: string]>> = {
  ACCESS_DENIED: FORBIDDEN,
  EXPLICIT_DENY: FORBIDDEN,
  API_CONFIGURATION_ERROR: INTERNAL,
  AUTHORIZER_CONFIGURATION_ERROR: INTERNAL,
  AUTHORIZER_FAILURE: INTERNAL,
  BAD_REQUEST: [400, "Bad Request"],
  HEADERS_TOO_LARGE: [431, "Request Header Fields Too Large"],
  INTEGRATION_FAILURE: INTERNAL,
  INTEGRATION_TIMEOUT: [503, "Service Unavailable"],
  NO_ROUTE: [404, "Not Found"],
  REQUEST_TOO_LARGE: TOO_LARGE,
  REQUEST_TOO_LONG: TOO_LARGE,
  UNAUTHORIZED: [401, "Unauthorized"],
};

/** The header fields of a result that the gateway sets itself. */
const OWN_FIELDS = ["connection", "content-length", "keep-alive", "trailer", "upgrade"];

/** An HTTP API with Lambda proxy integrations of the payload format 2.0, and the stage `$default`. */
export function httpApi({ name: apiId, gateway, settings }: Application): Protocol<HttpEvent> {
  const { routes = [], cors } = gateway ?? {};
  const find = createHttpRouter(routes);
  const { basePath } = settings.domain ?? {};
  const prefixes = basePath === undefined ? [] : [`/${basePath}`];
  const pathOf = (path: string) => pathBelow(path, [...prefixes, ""])!;
  return {
    kind: "http",
    timeout: HTTP_API_TIMEOUT,
    authorizing: httpAuthorizing,
    findRoute(request) {
      const { method, path } = request;
      const route = find(method, pathOf(path));
      if (route !== undefined) return route;
      if (cors !== undefined && isPreflight(request)) return reply(204);
      throw new GatewayError("NO_ROUTE", `there is no such route: no route is ${method} ${path}`);
    },
    async makeEvent(request, route, { extendedRequestId: requestId }) {
      const { authority, query, sourceIp, protocol, time } = request;
      const path = pathOf(request.path);
      // The event does not have the base path of a domain.
      const url = `http://${authority}${path}${query && `?${query}`}`;
      const event = await proxyEvent({ ...request, url }, {
        gateway: "http",
        route: routeKey(route),
        ...{ apiId, sourceIp, protocol, time, requestId },
      });
      event.requestContext.accountId = ACCOUNT_ID;
      return event;
    },
    takesBytes: () => true,
    answer({ failure, challenge }) {
      const [status, message] = ANSWERS[failure];
      const fields = [["Content-Type", "application/json"]] as [string, string][];
      if (challenge !== undefined) fields.push(["WWW-Authenticate", challenge]);
      return reply(status, fields, JSON.stringify({ message }));
    },
    finish(response, request, { extendedRequestId }) {
      const headers = response.headers.filter(([name]) => !OWN_FIELDS.includes(name.toLowerCase()));
      const own = withHeaders({ ...response, headers }, [["Apigw-Requestid", extendedRequestId]]);
      return cors === undefined ? own : withCors(own, request, cors);
    },
  };
}

type Head = Pick<HttpRequest, "method" | "headers">;

const fieldOf = ({ headers }: Head, name: string): string | undefined =>
  headers.find(([key]) => key.toLowerCase() === name)?.[1];

const isPreflight = (request: Head) =>
  request.method === "OPTIONS" && fieldOf(request, "origin") !== undefined &&
  fieldOf(request, "access-control-request-method") !== undefined;

/**
 * Replaces the CORS fields of a reply by those of the manifest.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
 */
function withCors(response: Reply, request: HttpRequest, cors: CorsSettings): Reply {
  const others = response.headers.filter(([name]) => !/^access-control-/i.test(name));
  const origin = fieldOf(request, "origin");
  const { origins, methods, headers, exposeHeaders, credentials, maxAge } = cors;
  const isAllowed = origin !== undefined && (origins.includes("*") || origins.includes(origin));
  if (!isAllowed) return { ...response, headers: others };
  const lists = isPreflight(request) ? { Methods: methods, Headers: headers } : {};
  const fields = [
    ["Access-Control-Allow-Origin", origins.includes("*") ? "*" : origin],
    ...Object.entries(lists).map((
      [name, values],
    ) => [`Access-Control-Allow-${name}`, values.join(",")]),
    ...exposeHeaders.length > 0 ? [["Access-Control-Expose-Headers", exposeHeaders.join(",")]] : [],
    ...credentials ? [["Access-Control-Allow-Credentials", "true"]] : [],
    ...isPreflight(request) && maxAge > 0 ? [["Access-Control-Max-Age", String(maxAge)]] : [],
  ] as [string, string][];
  return { ...response, headers: [...others, ...fields] };
}
