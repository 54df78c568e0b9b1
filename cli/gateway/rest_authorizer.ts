import type { RestEvent } from "@mate/core/testing";
import { methodArn } from "../rules/arn.ts";
import { readStatements } from "./policy.ts";
import { type Authorizing, GatewayError } from "./protocol.ts";

/**
 * The authorizers of a REST API, each of the type REQUEST or TOKEN.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/configure-api-gateway-lambda-authorization.html
 */
export const restAuthorizing: Authorizing<RestEvent> = {
  valuesOf(source, event) {
    const [, kind, name = ""] = /^(\w+)\.(.*)$/.exec(source)!;
    if (kind === "header") {
      return Object.entries(event.multiValueHeaders)
        .flatMap(([key, values]) => key.toLowerCase() === name.toLowerCase() ? values : []);
    }
    if (kind === "querystring") return event.multiValueQueryStringParameters?.[name] ?? [];
    let value: unknown = event.requestContext;
    for (const key of name.split(".")) value = (value as Record<string, unknown>)[key];
    return [value];
  },
  resourceOf({ httpMethod, resource, pathParameters, requestContext: { apiId, stage } }) {
    // The path of a domain may begin with a base path, which is no part of the resource.
    const path = resource.replaceAll(/\{(\w+)\+?\}/g, (_, name) => pathParameters?.[name] ?? "");
    return methodArn(`${apiId}/${stage}/${httpMethod}${path}`);
  },
  conditionsOf: ({ requestContext: { identity } }) => ({
    "aws:sourceip": identity.sourceIp,
    "aws:useragent": identity.userAgent ?? "",
  }),
  questionOf({ event: { body: _, isBase64Encoded: __, ...event }, resource, values, authorizes }) {
    if (authorizes === "token") {
      return { type: "TOKEN", methodArn: resource, authorizationToken: values![0]![0] };
    }
    const { authorizer: ___, ...requestContext } = event.requestContext;
    return {
      type: "REQUEST",
      methodArn: resource,
      ...event,
      // An authorizer gets empty objects where the function gets null.
      queryStringParameters: event.queryStringParameters ?? {},
      multiValueQueryStringParameters: event.multiValueQueryStringParameters ?? {},
      pathParameters: event.pathParameters ?? {},
      stageVariables: event.stageVariables ?? {},
      requestContext,
    };
  },
  readResult(result, name) {
    const { principalId, policyDocument, context = {} } = Object(result);
    const malformed = (expected: string) =>
      new GatewayError(
        "AUTHORIZER_CONFIGURATION_ERROR",
        `Malformed result of the authorizer "${name}": expected ${expected}`,
      );
    if (typeof principalId !== "string") throw malformed('"principalId" to be a string');
    const statements = readStatements(policyDocument);
    if (statements === undefined) {
      const expected =
        '"policyDocument.Statement" to have statements with Effect, Action, Resource';
      throw malformed(expected);
    }
    const entries = Object.entries(Object(context));
    if (entries.some(([, value]) => !["string", "number", "boolean"].includes(typeof value))) {
      throw malformed('the values of "context" to be strings, numbers or booleans');
    }
    const texts = Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
    return { statements, context: { principalId, ...texts } };
  },
  contextOf({ context: { principalId, ...context } }, integrationLatency) {
    return { principalId, integrationLatency, ...context };
  },
  // As for the tokens of a user pool of Amazon Cognito.
  tokenContextOf: ({ claims }) => ({ claims }),
};
