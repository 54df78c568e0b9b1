import type { RestEvent } from "@mate/core/testing";
import { Buffer } from "node:buffer";
import type { Statement } from "../../manifest/manifest.ts";
import { methodArn } from "../../application/arn.ts";
import type { FunctionHost } from "../../lambda/function_host.ts";
import { decide } from "../services/policy.ts";
import { isConditionOperator } from "../../manifest/statements.ts";
import { gatewayRefusal } from "./errors.ts";

/**
 * Invokes an authorizer of the type REQUEST. No answer is cached.
 *
 * @param event The event for the function that the authorizer protects.
 * @returns The object for `requestContext.authorizer` of the event.
 * @throws {Refusal} If the authorizer refuses the request (401 or 403) or fails (500).
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export async function authorize(
  host: FunctionHost,
  name: string,
  { body: _, isBase64Encoded: __, ...event }: RestEvent,
): Promise<Readonly<Record<string, string | number>>> {
  const { authorizer: ___, ...requestContext } = event.requestContext;
  const { apiId, stage } = requestContext;
  const resource = methodArn(`${apiId}/${stage}/${event.httpMethod}${event.path}`);
  const start = performance.now();
  const payload = JSON.stringify({
    type: "REQUEST",
    methodArn: resource,
    ...event,
    // An authorizer gets empty objects where the function gets null.
    queryStringParameters: event.queryStringParameters ?? {},
    multiValueQueryStringParameters: event.multiValueQueryStringParameters ?? {},
    pathParameters: event.pathParameters ?? {},
    stageVariables: event.stageVariables ?? {},
    requestContext,
  });
  const outcome = await host.invoke(name, Buffer.from(payload));
  const result = JSON.parse(Buffer.from(outcome.payload).toString()) as Record<string, unknown>;
  if (outcome.failure !== undefined) {
    if (result.errorMessage === "Unauthorized") {
      throw gatewayRefusal("UNAUTHORIZED", `the authorizer "${name}" threw "Unauthorized"`);
    }
    throw gatewayRefusal("AUTHORIZER_FAILURE", `the authorizer "${name}" failed`);
  }
  const { principalId, statements, context } = readResult(result, name);
  const access = { action: "execute-api:Invoke", resource };
  const decision = decide(statements, access, contextOf(event));
  if (decision !== "Allow") {
    const answer = decision === "Deny" ? "EXPLICIT_DENY" : "ACCESS_DENIED";
    throw gatewayRefusal(answer, `the policy of the authorizer "${name}" denies ${resource}`);
  }
  const integrationLatency = Math.round(performance.now() - start);
  return { principalId, integrationLatency, ...context };
}

function readResult(result: Record<string, unknown> | null, name: string) {
  const { principalId, policyDocument, context = {} } = result ?? {};
  const { Statement } = Object(policyDocument) as { Statement?: Statement | readonly Statement[] };
  const malformed = (expected: string) =>
    gatewayRefusal(
      "AUTHORIZER_CONFIGURATION_ERROR",
      `Malformed result of the authorizer "${name}": expected ${expected}`,
    );
  if (typeof principalId !== "string") throw malformed('"principalId" to be a string');
  const statements = [Statement ?? []].flat();
  if (statements.length === 0 || !statements.every(isStatement)) {
    throw malformed('"policyDocument.Statement" to have statements with Effect, Action, Resource');
  }
  const entries = Object.entries(Object(context));
  if (entries.some(([, value]) => !["string", "number", "boolean"].includes(typeof value))) {
    throw malformed('the values of "context" to be strings, numbers or booleans');
  }
  return {
    principalId,
    statements,
    context: Object.fromEntries(entries.map(([key, value]) => [key, String(value)])),
  };
}

function isStatement(statement: unknown): boolean {
  const { Effect, Action, NotAction, Resource, NotResource, Condition = {} } = Object(statement);
  return ["Allow", "Deny"].includes(Effect) &&
    areTexts(Action ?? NotAction) && areTexts(Resource ?? NotResource) &&
    Object.entries(Object(Condition)).every(([operator, keys]) =>
      isConditionOperator(operator) && typeof keys === "object" && keys !== null
    );
}

function areTexts(value: unknown): boolean {
  const texts = [value].flat();
  return texts.length > 0 && texts.every((text) => typeof text === "string" && text !== "");
}

/** The condition keys that a policy of an authorizer can use. */
function contextOf({ requestContext: { identity } }: Pick<RestEvent, "requestContext">) {
  return {
    "aws:currenttime": new Date().toISOString(),
    "aws:sourceip": identity.sourceIp,
    "aws:useragent": identity.userAgent ?? "",
  };
}
