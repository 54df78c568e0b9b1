import {
  encodeBody,
  forwardedHeaders,
  type HttpExchange,
  lastValues,
  parametersOf,
  valuesOf,
} from "./http_facts.ts";
import { ACCOUNT_ID, randomDigits, REGION } from "./identifiers.ts";

/** The event of an Application Load Balancer. The target group decides whether the values are texts or lists. */
export type AlbEvent = {
  requestContext: { elb: { targetGroupArn: string } };
  httpMethod: string;
  path: string;
  headers?: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
  /** The parameters, not decoded. */
  queryStringParameters?: Record<string, string>;
  /** The parameters, not decoded. */
  multiValueQueryStringParameters?: Record<string, string[]>;
  /** The body; `""` if there is none. */
  body: string;
  isBase64Encoded: boolean;
};

/** The event of Amazon VPC Lattice, version 2. */
export type LatticeEvent = {
  version: string;
  path: string;
  method: string;
  headers: Record<string, string[]>;
  queryStringParameters?: Record<string, string[]>;
  body?: string;
  isBase64Encoded: boolean;
  requestContext: {
    serviceNetworkArn: string;
    serviceArn: string;
    targetGroupArn: string;
    identity: { sourceVpcArn: string };
    region: string;
    timeEpoch: string;
  };
};

/**
 * Makes the event of an Application Load Balancer.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html#receive-event-from-load-balancer
 */
export function albEvent(exchange: HttpExchange): AlbEvent {
  const headers = valuesOf(forwardedHeaders(exchange));
  const parameters = parametersOf(exchange.query, (text) => text);
  const targetGroupArn = arn("elasticloadbalancing", `targetgroup/functions/${randomDigits(16)}`);
  return {
    requestContext: { elb: { targetGroupArn } },
    httpMethod: exchange.method,
    path: exchange.path,
    ...(exchange.multiValueHeaders
      ? {
        multiValueHeaders: Object.fromEntries(headers),
        multiValueQueryStringParameters: Object.fromEntries(parameters),
      }
      : { headers: lastValues(headers), queryStringParameters: lastValues(parameters) }),
    body: "",
    isBase64Encoded: false,
    ...encodeBody(exchange, false),
  };
}

/**
 * Makes the event of Amazon VPC Lattice, version 2.
 *
 * @see https://docs.aws.amazon.com/vpc-lattice/latest/ug/lambda-functions.html#receive-event-from-service
 */
export function latticeEvent(exchange: HttpExchange): LatticeEvent {
  const parameters = parametersOf(exchange.query);
  return {
    version: "2.0",
    path: exchange.path,
    method: exchange.method,
    headers: Object.fromEntries(valuesOf(forwardedHeaders(exchange))),
    ...(parameters.size > 0 && { queryStringParameters: Object.fromEntries(parameters) }),
    isBase64Encoded: false,
    ...encodeBody(exchange, false),
    requestContext: {
      serviceNetworkArn: arn("vpc-lattice", "servicenetwork/sn-0123456789abcdef0"),
      serviceArn: arn("vpc-lattice", "service/svc-0123456789abcdef0"),
      targetGroupArn: arn("vpc-lattice", "targetgroup/tg-0123456789abcdef0"),
      identity: { sourceVpcArn: arn("ec2", "vpc/vpc-0123456789abcdef0") },
      region: REGION,
      timeEpoch: `${exchange.time.getTime()}000`,
    },
  };
}

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT_ID}:${resource}`;
}
