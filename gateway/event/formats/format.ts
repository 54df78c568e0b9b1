import type { JsonObject } from "../../../function/json.ts";
import type { Path } from "../../../function/read.ts";

/**
 * The format of an HTTP event.
 *
 * - `rest`: payload 1.0 of an API Gateway REST API, or of an HTTP API that is set to 1.0
 * - `http`: payload 2.0 of an API Gateway HTTP API or of a Lambda function URL
 * - `alb`: an Application Load Balancer
 * - `lattice`: Amazon VPC Lattice, version 2
 */
export type EventFormat = "rest" | "http" | "alb" | "lattice";

/** The names and values of headers or parameters, in order. */
export type Entries = readonly (readonly [name: string, value: string])[];

/** The places of all facts in the events of one kind of gateway. */
export interface Format {
  /** The public name of the format. */
  readonly name: EventFormat;
  /** The key of `requestContext` that only this gateway sends. A REST API has none. */
  readonly sign?: string;
  /** The version that goes with this key. A load balancer sends none. */
  readonly version?: string;
  /** This path and some other paths may name a header: `["headers", "host"]`. */
  readonly sourceIp: Path;
  readonly method: Path;
  /** Absent if the gateway does not send the protocol. */
  readonly protocol?: Path;
  readonly userAgent: Path;
  readonly domainName: Path;
  readonly requestId: Path;
  /** The path as transmitted, stage included. */
  readonly path: (event: JsonObject) => string;
  /** The path below the stage, or null if the event does not have this path; absent if the gateway sends only one path. */
  readonly routePath?: (event: JsonObject) => string | null;
  /** Tells whether the gateway decoded the path and the path parameters; absent if it never does. */
  readonly isPathDecoded?: (event: JsonObject) => boolean;
  /** Absent if the gateway does not send the key of the route. */
  readonly routeKey?: (event: JsonObject) => string;
  /** All header fields, or the fields of one name in lower case. */
  readonly headers: (event: JsonObject, wanted?: string) => Entries;
  /** The query as transmitted, without the `?`; absent if the gateway decodes the query. */
  readonly rawQuery?: (event: JsonObject) => string | null;
  /** The decoded parameters of the query. */
  readonly query: (event: JsonObject) => Entries;
  /** The body, as it is in the event. */
  readonly body: (event: JsonObject) => string | null;
  /** Absent if the gateway does not send claims. */
  readonly claims?: Path;
  /** The data of any kind of authorizer; absent if the gateway knows no authorizers. */
  readonly authorizer?: (event: JsonObject) => JsonObject | null;
}
