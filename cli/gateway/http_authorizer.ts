import type { HttpEvent } from "@mate/core/testing";
import { methodArn } from "../rules/arn.ts";
import type { Statement } from "../rules/statement.ts";
import { readStatements } from "./policy.ts";
import { type Authorizing, GatewayError } from "./protocol.ts";

/** The parts of an event that a source such as `context.path` names. */
const CONTEXT: Readonly<Record<string, (context: HttpEvent["requestContext"]) => string>> = {
  httpMethod: ({ http }) => http.method,
  path: ({ http }) => http.path,
  routeKey: ({ routeKey }) => routeKey,
  "identity.sourceIp": ({ http }) => http.sourceIp,
  "identity.userAgent": ({ http }) => http.userAgent,
};

/**
 * The functions that authorize for an HTTP API, with the payload format 2.0.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-lambda-authorizer.html
 */
export const httpAuthorizing: Authorizing<HttpEvent> = {
  valuesOf(source, { headers, queryStringParameters, requestContext }) {
    const [, kind, name = ""] = /^(\w+)\.(.*)$/.exec(source)!;
    if (kind === "header") return [headers[name.toLowerCase()]];
    if (kind === "querystring") return [queryStringParameters?.[name]];
    return [CONTEXT[name]!(requestContext)];
  },
  resourceOf({ requestContext: { apiId, stage, http: { method, path } } }) {
    return methodArn(`${apiId}/${stage}/${method}${path}`);
  },
  conditionsOf: ({ requestContext: { http } }) => ({
    "aws:sourceip": http.sourceIp,
    "aws:useragent": http.userAgent,
  }),
  questionOf({ event: { body: _, isBase64Encoded: __, version, ...event }, resource, values }) {
    const identitySource = values?.flat() ?? null;
    return { version, type: "REQUEST", routeArn: resource, identitySource, ...event };
  },
  readResult(result, name, authorizes) {
    const { isAuthorized, policyDocument, context } = Object(result);
    const isSimple = authorizes === "simple";
    const statements = isSimple ? statementsOf(isAuthorized) : readStatements(policyDocument);
    if (statements !== undefined) return { statements, context: Object(context) };
    const expected = isSimple
      ? '"isAuthorized" to be true or false'
      : '"policyDocument.Statement" to have statements with Effect, Action, Resource';
    const hint = !isSimple && isAuthorized !== undefined
      ? `; for "isAuthorized", give the function "authorizes": "simple" in the manifest`
      : "";
    throw new GatewayError(
      "AUTHORIZER_CONFIGURATION_ERROR",
      `Malformed result of the authorizer "${name}": expected ${expected}${hint}`,
    );
  },
  contextOf: ({ context }) => ({ lambda: context }),
  tokenContextOf: ({ claims, scopes }) => ({ jwt: { claims, scopes } }),
};

/** The policy of a simple answer, which counts for every request. */
function statementsOf(isAuthorized: unknown): readonly Statement[] | undefined {
  if (typeof isAuthorized !== "boolean") return undefined;
  return [{ Effect: isAuthorized ? "Allow" : "Deny", Action: "*", Resource: "*" }];
}
