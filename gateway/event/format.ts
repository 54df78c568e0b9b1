import {
  type JsonObject,
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

/** A header field or a parameter. */
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
  /** Reads all header fields, or the fields of one name in lower case. */
  readonly headers: (event: JsonObject, wanted?: string) => readonly Pair[];
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

/**
 * Reads a map of headers or parameters, in order.
 *
 * @param key The key of the map.
 * @param lists Whether the values in the map are lists of texts or texts; both unless given.
 * @param wanted A name in lower case. Entries of other names are left out and are not checked.
 * @returns The entries; `undefined` if the map is absent or null.
 * @throws {CloudEventSpecificationError} If the map or a value is malformed.
 */
export function readMap(
  event: JsonObject,
  key: string,
  lists?: boolean,
  wanted?: string,
): Pair[] | undefined {
  const map = readOptionalObject(event, [key], 0);
  if (map === null) return undefined;
  const pairs: Pair[] = [];
  // A loop over `Object.keys()` reads the values far slower. This one has inherited keys at its end.
  let left = Object.keys(map).length;
  for (const name in map) {
    if (left-- === 0) break;
    // Comparing the length first takes half the time.
    if (wanted !== undefined && (name.length !== wanted.length || name.toLowerCase() !== wanted)) {
      continue;
    }
    const value = map[name];
    if (typeof value === "string" && lists !== true) pairs.push([name, value]);
    else if (Array.isArray(value) && lists !== false) {
      for (let index = 0; index < value.length; index++) {
        const item = value[index];
        if (typeof item !== "string") throw wrongType([key, name, index], item, "a string");
        pairs.push([name, item]);
      }
    } else throw wrongType([key, name], value, lists ? "an array" : "a string");
  }
  return pairs;
}

/** Reads a map of lists or, if the event does not have this map, a map of texts; see {@linkcode readMap}. */
export function readEither(
  event: JsonObject,
  lists: string,
  texts: string,
  wanted?: string,
): Pair[] {
  return readMap(event, lists, true, wanted) ?? readMap(event, texts, false, wanted) ?? [];
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
