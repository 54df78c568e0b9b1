import { Buffer } from "node:buffer";
import type { Gateway } from "../application/types.ts";
import { decide } from "../aws/iam/policy.ts";
import type { FunctionHost } from "../lambda/function_host.ts";
import { type Authorizing, GatewayError, type Question, type Verdict } from "./protocol.ts";

/**
 * The functions of an application that authorize requests. If an authorizer has a `ttl`, its results are kept in a cache, and
 * each request evaluates the kept policy anew, whatever its route.
 */
export class Authorizers<Event> {
  readonly #gateway: Gateway | undefined;
  readonly #protocol: Authorizing<Event>;
  readonly #host: FunctionHost;
  readonly #note: (text: string) => void;
  /** The results by the values of their sources, by the name of the authorizer. */
  readonly #kept = new Map<
    string,
    Map<string, { readonly verdict: Verdict; readonly end: number }>
  >();
  readonly #warned = new Set<string>();

  constructor(
    gateway: Gateway | undefined,
    protocol: Authorizing<Event>,
    host: FunctionHost,
    note: (text: string) => void,
  ) {
    this.#gateway = gateway;
    this.#protocol = protocol;
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
   * @param time The time of the request.
   * @param traceId The trace header of the request.
   * @returns The object for `requestContext.authorizer` of the event.
   * @throws {GatewayError} If a source of the cache is missing, or the authorizer refuses the request or fails.
   */
  async authorize(name: string, event: Event, time: Date, traceId: string): Promise<object> {
    const { ttl, authorizes } = this.#gateway!.authorizers[name]!;
    const now = time.getTime();
    const resource = this.#protocol.resourceOf(event);
    // API Gateway requires a token also without a cache.
    const values = ttl > 0 || authorizes === "token" ? this.#sourcesOf(name, event) : null;
    const key = JSON.stringify(values);
    const start = performance.now();
    const kept = this.#kept.get(name)?.get(key);
    const isKept = kept !== undefined && now < kept.end;
    const verdict = isKept
      ? kept.verdict
      : await this.#ask(name, { event, resource, values, authorizes }, traceId);
    if (ttl > 0 && !isKept) {
      const results = this.#kept.get(name) ?? new Map();
      for (const [old, { end }] of results) if (end <= now) results.delete(old);
      this.#kept.set(name, results.set(key, { verdict, end: now + ttl * 1_000 }));
      this.#checkReach(name, verdict, resource);
    }
    const access = { action: "execute-api:Invoke", resource };
    const conditions = {
      "aws:currenttime": new Date().toISOString(),
      ...this.#protocol.conditionsOf(event),
    };
    const decision = decide(verdict.statements, access, conditions);
    if (decision !== "Allow") {
      const failure = decision === "Deny" ? "EXPLICIT_DENY" : "ACCESS_DENIED";
      const policy = isKept ? "policy, which is kept," : "policy";
      const shown = shorten(JSON.stringify(verdict.statements));
      const reason = `the ${policy} of the authorizer "${name}" denies ${resource}: ${shown}`;
      throw new GatewayError(failure, reason);
    }
    const latency = isKept ? 0 : Math.round(performance.now() - start);
    return this.#protocol.contextOf(verdict, latency);
  }

  /**
   * Reads the sources that a result is kept by.
   *
   * @throws {GatewayError} If a source is missing or empty, or if a token does not match the pattern.
   */
  #sourcesOf(name: string, event: Event): unknown[][] {
    const { identity, validation } = this.#gateway!.authorizers[name]!;
    const values = identity.map((one) => this.#protocol.valuesOf(one, event).filter(Boolean));
    const missing = values.findIndex((found) => found.length === 0);
    if (missing >= 0) {
      const source = `${identity[missing]}, a source of the authorizer "${name}"`;
      throw new GatewayError("UNAUTHORIZED", `the request has no ${source}`);
    }
    // AWS does not say whether a part of the token may match, so a pattern that counts here counts there, too.
    if (
      validation !== undefined && !new RegExp(`^(?:${validation})$`).test(String(values[0]))
    ) {
      const pattern = `the "validation" of the authorizer "${name}", ${validation}`;
      throw new GatewayError("UNAUTHORIZED", `${identity[0]} as a whole does not match ${pattern}`);
    }
    return values;
  }

  /** Invokes an authorizer. */
  async #ask(name: string, question: Question<Event>, traceId: string): Promise<Verdict> {
    const { authorizes } = question;
    const asked = this.#protocol.questionOf(question);
    const [, , method, ...path] = question.resource.split("/");
    const trigger = { type: "authorizer", name: `${method} /${path.join("/")}` } as const;
    const options = { traceId, facts: { trigger } };
    const payload = Buffer.from(JSON.stringify(asked));
    const outcome = await this.#host.invoke(name, payload, options);
    const result = JSON.parse(Buffer.from(outcome.payload).toString());
    const shape = `it got an event with ${Object.keys(Object(asked)).join(", ")}`;
    if (outcome.failure === undefined) {
      try {
        return this.#protocol.readResult(result, name, authorizes);
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        const shown = shorten(JSON.stringify(result));
        const reason = `${error.message}; ${shape}, and returned ${shown}`;
        throw new GatewayError(error.failure, reason);
      }
    }
    const { errorType, errorMessage } = Object(result);
    if (errorMessage === "Unauthorized") {
      const reason = `the authorizer "${name}" threw "Unauthorized"; ${shape}`;
      throw new GatewayError("UNAUTHORIZED", reason);
    }
    // Code for the other kind of event reads a token that is not there.
    const remedy = authorizes === "request" && errorType === "TypeError"
      ? ', and no authorizationToken, which "authorizes": "token" gives'
      : "";
    const what = `${errorType}: ${shorten(String(errorMessage))}`;
    const reason = `the authorizer "${name}" failed: ${what}; ${shape}${remedy}`;
    throw new GatewayError("AUTHORIZER_FAILURE", reason);
  }

  /** Warns once if a policy that is kept names only the route of the request, and the authorizer protects others. */
  #checkReach(name: string, { statements }: Verdict, resource: string): void {
    const named = statements.flatMap(({ Resource = [] }) => Resource);
    const routes = this.#gateway!.routes.filter(({ authorizer }) => authorizer === name);
    const isAlone = routes.length === 1 &&
      !/^ANY |\{/.test(`${routes[0]!.method} ${routes[0]!.path}`);
    if (isAlone || this.#warned.has(name) || named.some((one) => one !== resource)) return;
    const { ttl, identity } = this.#gateway!.authorizers[name]!;
    if (identity.includes("context.routeKey")) return; // A result then counts for one route.
    this.#warned.add(name);
    const whole = resource.split("/").slice(0, 2).join("/");
    this.#note(
      `WARN The policy of the authorizer "${name}" counts for all routes for ${ttl} s, because it has a ttl, ` +
        `but it names only ${resource}: return a policy for "${whole}/*", or set the ttl to 0`,
    );
  }
}

/** Shortens a text for the log. */
function shorten(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 500)}…`;
}
