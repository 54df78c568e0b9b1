import { invalid } from "../function/read.ts";
import { type AlbEvent, albEvent, type LatticeEvent, latticeEvent } from "./balancer_event.ts";
import { type HttpEvent, httpEvent, urlEvent } from "./http_event.ts";
import type { HttpExchange, HttpFacts } from "./http_facts.ts";
import { type HttpRequest, readRequest } from "./http_request.ts";
import { REGION } from "./identifiers.ts";
import { type RestEvent, restEvent } from "./rest_event.ts";

/** The events of the gateways by the names that tests give them. */
export interface ProxyEvents {
  /** An Amazon API Gateway REST API. */
  rest: RestEvent;
  /** An Amazon API Gateway HTTP API with payload format 2.0. */
  http: HttpEvent;
  /** A Lambda function URL. */
  url: HttpEvent;
  /** An Application Load Balancer. */
  alb: AlbEvent;
  /** Amazon VPC Lattice with events of version 2. */
  lattice: LatticeEvent;
}

/** A gateway in front of a function. */
export type Gateway = keyof ProxyEvents;

/** Options of {@linkcode proxyEvent}. */
export interface ProxyEventOptions<Name extends Gateway = Gateway> extends HttpFacts {
  /** The gateway; `rest` by default. */
  readonly gateway?: Name;
}

interface Maker<Event> {
  readonly make: (exchange: HttpExchange) => Event;
  /** The host of a URL that starts with `/`. */
  readonly host: string;
  /** The {@linkcode SPECIAL_FACTS} that this gateway sends. */
  readonly facts: readonly (keyof HttpFacts)[];
}

const API = `a1b2c3d4e5.execute-api.${REGION}.amazonaws.com`;
const API_FACTS = ["stage", "route", "claims", "authorizer", "stageVariables", "apiId"] as const;

const MAKERS: { [Name in Gateway]: Maker<ProxyEvents[Name]> } = {
  rest: { make: restEvent, host: API, facts: [...API_FACTS, "extendedRequestId"] },
  http: { make: httpEvent, host: API, facts: API_FACTS },
  url: {
    make: urlEvent,
    host: `abcdefghijklmnopqrstuvwxyz012345.lambda-url.${REGION}.on.aws`,
    facts: ["apiId"],
  },
  alb: { make: albEvent, host: "www.example.com", facts: ["multiValueHeaders"] },
  lattice: { make: latticeEvent, host: "service.example.com", facts: [] },
};

/** The facts that only some gateways send. */
const SPECIAL_FACTS = new Set(Object.values(MAKERS).flatMap(({ facts }) => facts));

/**
 * Makes the event of an HTTP request, exactly as a gateway sends it.
 *
 * Give the URL that the client uses. The URL includes the stage, if the API has its default domain. The route matches the
 * path below the stage. A URL that starts with `/` gets the host of the gateway.
 *
 * @typeParam Name The gateway.
 * @param request A standard `Request`, or its parts.
 * @param options The gateway, and the facts that the test cares about.
 * @returns The event. It has the types of `@types/aws-lambda`.
 * @throws {TypeError} If the URL is not an HTTP URL, if the request does not match the route, or if the gateway does not
 * send one of the facts.
 *
 * @example The same request through two gateways
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnProxyEvent } from "@mate/core/gateway";
 * import { proxyEvent } from "@mate/core/testing";
 *
 * for (const gateway of ["rest", "http"] as const) {
 *   const request = new Request("https://api.example.com/orders/7?dish=soup");
 *   const raw = await proxyEvent(request, { gateway, route: "GET /orders/{id}", claims: { sub: "ada" } });
 *   const event = new FnProxyEvent(raw);
 *   assertEquals(event.pathParameters(), { id: "7" });
 *   assertEquals(event.authorizerClaims(), { sub: "ada" });
 * }
 * ```
 */
export async function proxyEvent<Name extends Gateway = "rest">(
  request: HttpRequest,
  options: ProxyEventOptions<Name> = {},
): Promise<ProxyEvents[Name]> {
  const { gateway = "rest" as Name, ...facts } = options;
  const maker: Maker<ProxyEvents[Name]> | undefined = MAKERS[gateway];
  if (!maker) throw invalid(`gateway "${gateway}"`, `one of ${Object.keys(MAKERS).join(", ")}`);
  const { make, host, facts: known } = maker;
  for (const fact of SPECIAL_FACTS) {
    if (facts[fact] === undefined || known.includes(fact)) continue;
    throw new TypeError(`Cannot make the event: the gateway "${gateway}" does not send ${fact}`);
  }
  return make({
    ...await readRequest(request, host),
    sourceIp: "198.51.100.17",
    requestId: crypto.randomUUID(),
    time: new Date(),
    protocol: "HTTP/1.1",
    ...facts,
  });
}
