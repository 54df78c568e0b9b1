import type { RestEvent } from "@mate/core/testing";
import { Buffer } from "node:buffer";
import type { Gateway } from "../application/types.ts";
import { isConditionOperator, type Statement } from "../rules/statement.ts";
import { methodArn } from "../rules/arn.ts";
import type { FunctionHost } from "../lambda/function_host.ts";
import { decide } from "../aws/iam/policy.ts";
import { gatewayRefusal } from "./result.ts";

/** The result of an authorizer. */
type Result = ReturnType<typeof readResult>;

/**
 * The authorizers of an application, each of the type REQUEST. If an authorizer has a `ttl`, its results are kept in a cache, and
 * each request evaluates the kept policy anew, whatever its route.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/configure-api-gateway-lambda-authorization.html
 */
export class Authorizers {
  readonly #gateway: Gateway | undefined;
  readonly #host: FunctionHost;
  readonly #note: (text: string) => void;
  /** The results by the values of their sources, by the name of the authorizer. */
  readonly #kept = new Map<
    string,
    Map<string, { readonly result: Result; readonly end: number }>
  >();
  readonly #warned = new Set<string>();

  constructor(gateway: Gateway | undefined, host: FunctionHost, note: (text: string) => void) {
    this.#gateway = gateway;
    this.#host = host;
    this.#note = note;
  }

  /** Forgets all results that are kept. */
  flush(): void {
    this.#kept.clear();
  }

  /**
   * Asks an authorizer, or its cache, whether a request is allowed.
   *
   * @param event The event for the function that the authorizer protects.
   * @returns The object for `requestContext.authorizer` of the event.
   * @throws {Refusal} If a source of the cache is missing (401), the authorizer refuses the request (401 or 403) or fails (500).
   */
  async authorize(
    name: string,
    event: RestEvent,
  ): Promise<Readonly<Record<string, string | number>>> {
    const { ttl, identity } = this.#gateway!.authorizers[name]!;
    const { apiId, stage, requestTimeEpoch: now } = event.requestContext;
    const resource = methodArn(`${apiId}/${stage}/${event.httpMethod}${event.path}`);
    const key = ttl > 0 ? keyOf(name, identity, event) : "";
    const start = performance.now();
    const kept = this.#kept.get(name)?.get(key);
    const isKept = kept !== undefined && now < kept.end;
    const result = isKept ? kept.result : await ask(this.#host, name, event, resource);
    if (ttl > 0 && !isKept) {
      const results = this.#kept.get(name) ?? new Map();
      for (const [old, { end }] of results) if (end <= now) results.delete(old);
      this.#kept.set(name, results.set(key, { result, end: now + ttl * 1_000 }));
      this.#checkReach(name, result, resource);
    }
    const { principalId, statements, context } = result;
    const access = { action: "execute-api:Invoke", resource };
    const decision = decide(statements, access, contextOf(event));
    if (decision !== "Allow") {
      const answer = decision === "Deny" ? "EXPLICIT_DENY" : "ACCESS_DENIED";
      const policy = isKept ? "policy, which is kept," : "policy";
      throw gatewayRefusal(answer, `the ${policy} of the authorizer "${name}" denies ${resource}`);
    }
    const integrationLatency = isKept ? 0 : Math.round(performance.now() - start);
    return { principalId, integrationLatency, ...context };
  }

  /** Warns once if a policy that is kept names only the route of the request, and the authorizer protects others. */
  #checkReach(name: string, { statements }: Result, resource: string): void {
    const named = statements.flatMap(({ Resource = [] }) => Resource);
    const routes = this.#gateway!.routes.filter(({ authorizer }) => authorizer === name);
    const isAlone = routes.length === 1 &&
      !/^ANY |\{/.test(`${routes[0]!.method} ${routes[0]!.path}`);
    if (isAlone || this.#warned.has(name) || named.some((one) => one !== resource)) return;
    this.#warned.add(name);
    const { ttl } = this.#gateway!.authorizers[name]!;
    const whole = resource.split("/").slice(0, 2).join("/");
    this.#note(
      `WARN The policy of the authorizer "${name}" counts for all routes for ${ttl} s, because it has a ttl, ` +
        `but it names only ${resource}: return a policy for "${whole}/*", or set the ttl to 0`,
    );
  }
}

/**
 * Makes the key of a result: the values of the sources.
 *
 * @throws {Refusal} If a source is missing or empty (401).
 */
function keyOf(name: string, identity: readonly string[], event: RestEvent): string {
  const values = identity.map((source) => valuesOf(source, event).filter(Boolean));
  const missing = values.findIndex((found) => found.length === 0);
  if (missing < 0) return JSON.stringify(values);
  const reason = `the request has no ${identity[missing]}, a source of the authorizer "${name}"`;
  throw gatewayRefusal("UNAUTHORIZED", reason);
}

function valuesOf(source: string, event: RestEvent): readonly unknown[] {
  const [, kind, name = ""] = /^(\w+)\.(.*)$/.exec(source)!;
  if (kind === "header") {
    return Object.entries(event.multiValueHeaders)
      .flatMap(([key, values]) => key.toLowerCase() === name.toLowerCase() ? values : []);
  }
  if (kind === "querystring") return event.multiValueQueryStringParameters?.[name] ?? [];
  let value: unknown = event.requestContext;
  for (const key of name.split(".")) value = (value as Record<string, unknown>)[key];
  return [value];
}

/** Invokes an authorizer. */
async function ask(
  host: FunctionHost,
  name: string,
  { body: _, isBase64Encoded: __, ...event }: RestEvent,
  resource: string,
): Promise<Result> {
  const { authorizer: ___, ...requestContext } = event.requestContext;
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
  const result: Record<string, unknown> | null = JSON.parse(
    Buffer.from(outcome.payload).toString(),
  );
  if (outcome.failure === undefined) return readResult(result, name);
  if (result?.errorMessage === "Unauthorized") {
    throw gatewayRefusal("UNAUTHORIZED", `the authorizer "${name}" threw "Unauthorized"`);
  }
  throw gatewayRefusal("AUTHORIZER_FAILURE", `the authorizer "${name}" failed`);
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
  const statements: Statement[] = [Statement ?? []].flat();
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
