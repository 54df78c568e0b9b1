import {
  type JsonObject,
  type JsonValue,
  own,
  type Path,
  readOptionalObject,
  wrongType,
} from "../../function/read.ts";

/**
 * The format of an HTTP event.
 *
 * - `rest`: payload 1.0 of an API Gateway REST API, or of an HTTP API that is set to 1.0
 * - `http`: payload 2.0 of an API Gateway HTTP API or of a Lambda function URL
 * - `alb`: an Application Load Balancer
 * - `lattice`: Amazon VPC Lattice, version 2
 * - `web`: no gateway; `toFetch()` or `listen()` of `@mate/core/web` made the event of a request
 */
export type EventFormat = "rest" | "http" | "alb" | "lattice" | "web";

/** A parameter. */
export type Pair = readonly [name: string, value: string];

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
  /** The path below the stage, which the event may lack; absent if the gateway sends only one path. */
  readonly routePath?: Path;
  /** Tells whether the gateway decoded the path and the path parameters; absent if it never does. */
  readonly isPathDecoded?: (event: JsonObject) => boolean;
  /** Absent if the gateway does not send the key of the route. */
  readonly routeKey?: (event: JsonObject) => string;
  /** Finds the header fields. The cookies may be left out unless all fields or those of this name are wanted. */
  readonly headers: (event: JsonObject, wanted?: string) => SentMap | undefined;
  /** The query as transmitted, without the `?`; absent if the gateway decodes the query. */
  readonly rawQuery?: (event: JsonObject) => string | null;
  /** Reads the decoded parameters of the query. */
  readonly query: (event: JsonObject) => readonly Pair[];
  /** The body, as it is in the event; bytes if no gateway made a text of them. */
  readonly body: (event: JsonObject) => string | Uint8Array<ArrayBuffer> | null;
  /** Absent if the gateway does not send claims. */
  readonly claims?: Path;
  /** The scheme of the URL; absent if a header field tells it. */
  readonly scheme?: Path;
  /** Aborts when the client goes; absent if the gateway does not tell. */
  readonly signal?: AbortSignal;
  /** The data of any kind of authorizer; absent if the gateway knows no authorizers. */
  readonly authorizer?: (event: JsonObject) => JsonObject | null;
}

/** A map of headers or parameters, as a gateway sends it. */
export interface SentMap {
  readonly key: string;
  readonly map: JsonObject;
  /** Whether the values in the map are lists of texts or texts; both if it is `undefined`. */
  readonly lists: boolean | undefined;
}

/** Finds a map; `undefined` if it is null or, unless it is required, absent. */
export function findMap(
  event: JsonObject,
  key: string,
  lists?: boolean,
  required = 0,
): SentMap | undefined {
  const map = readOptionalObject(event, [key], required);
  return map ? { key, map, lists } : undefined;
}

/** Finds a map of lists or, if the event does not have this map, a map of texts. */
export function findEither(event: JsonObject, lists: string, texts: string): SentMap | undefined {
  return findMap(event, lists, true) ?? findMap(event, texts, false);
}

/** Reads the texts of a value in a map. Who loops over the map reads the value far faster than this function could. */
export function readTexts(
  { key, lists }: SentMap,
  name: string,
  value: JsonValue | undefined,
): readonly string[] {
  if (typeof value === "string" && !lists) return [value];
  if (!Array.isArray(value) || lists === false) {
    throw wrongType([key, name], value, lists ? "an array" : "a string");
  }
  for (let index = 0; index < value.length; index++) {
    const item = value[index];
    if (typeof item !== "string") throw wrongType([key, name, index], item, "a string");
  }
  return value as string[];
}

/** Reads the parameters of a map, in order. */
export function readPairs(sent: SentMap | undefined): Pair[] {
  const pairs: Pair[] = [];
  for (const name of Object.keys(sent?.map ?? {})) {
    for (const text of readTexts(sent!, name, sent!.map[name])) pairs.push([name, text]);
  }
  return pairs;
}

/** Parses a query as `application/x-www-form-urlencoded`. */
export function parseQuery(query: string): Pair[] {
  return query.split("&").filter(Boolean).map((parameter) => {
    const sign = `${parameter}=`.indexOf("=");
    return [decodeForm(parameter.slice(0, sign)), decodeForm(parameter.slice(sign + 1))];
  });
}

/** Decodes a form-encoded text. A text with a malformed escape stays as it is. */
export function decodeForm(text: string): string {
  return percentDecode(text.replaceAll("+", " ")) ?? text;
}

/** Percent-decodes a text as UTF-8. A text with a malformed escape gives `undefined`. */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Reads the context that a Lambda authorizer passed on. An authorizer that passed nothing on gives null. */
export function readAuthorizerContext(event: JsonObject, path: Path): JsonObject | null {
  const context = Object.entries(readOptionalObject(event, path) ?? {}).filter(([key, value]) =>
    !/^(principalId|integrationLatency)$/.test(key) && // added by API Gateway
    !(value === null && /^(claims|scopes)$/.test(key)) // sent by payload 1.0 of an HTTP API without a token
  );
  return context.length === 0 ? null : Object.fromEntries(context);
}

/** Reads the IAM identity, if the given key of the identity is a string with characters. */
export function readIdentity(event: JsonObject, key: string): JsonObject | null {
  const identity = readOptionalObject(event, ["requestContext", "identity"]);
  const name = identity && own(identity, key);
  return typeof name === "string" && name !== "" ? identity : null;
}
