import { FnEvent } from "../../function/event.ts";
import type { JsonObject, JsonValue } from "../../function/json.ts";
import { read, readString, specificationError, wrongType } from "../../function/read.ts";
import { readClaims } from "./claims.ts";
import { findHeader, readHeaders } from "./headers.ts";
import { IpAddress } from "./ip_address.ts";
import { splitPath } from "./path.ts";
import { readPayload } from "./payload.ts";
import { encodeQuery, readParameters } from "./query.ts";
import { parsePreferences, type Preference } from "../negotiation/preferences.ts";

const SOURCE_IP = ["requestContext", "identity", "sourceIp"] as const;
const USER_AGENT = ["requestContext", "identity", "userAgent"] as const;
const HTTP_METHOD = ["requestContext", "httpMethod"] as const;
const PROTOCOL = ["requestContext", "protocol"] as const;
const DOMAIN_NAME = ["requestContext", "domainName"] as const;
const PATH = ["requestContext", "path"] as const;

/**
 * The event of an HTTP request to a REST API with proxy integration, in the payload format 1.0.
 *
 * Nothing is read before it is asked for, so that a function fails only for what it needs: every method
 * raises a {@linkcode CloudEventSpecificationError} if its key, named below, is absent or malformed.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 *
 * @example Reading a request
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * import { CloudEventSpecificationError } from "@mate/core/function";
 * import { FnProxyEvent } from "@mate/core/gateway";
 *
 * const event = new FnProxyEvent({
 *   headers: { "Accept-Language": "en;q=0.5, de", "X-Order": "7" },
 *   queryStringParameters: { q: "fish & chips" },
 *   body: '{"count": 2}',
 *   requestContext: { httpMethod: "POST", domainName: "api.example.com", path: "/v0/orders" },
 * });
 *
 * assertEquals(event.httpHeaders()["x-order"], "7");
 * assertEquals(event.headerSortedPreferences("Accept-Language"), ["de", "en"]);
 * assertEquals(event.queryPath(), ["v0", "orders"]);
 * assertEquals(event.queryString(), "POST https://api.example.com/v0/orders?q=fish%20%26%20chips");
 * assertEquals(event.queryPayload(), { count: 2 });
 *
 * const error = assertThrows(() => event.sourceIp(), CloudEventSpecificationError);
 * assertEquals(error.message, 'Cannot read the event: "requestContext.identity" is absent');
 * ```
 */
export class FnProxyEvent extends FnEvent {
  /**
   * The address of the client, `requestContext.identity.sourceIp`.
   *
   * @returns The address. An event that the console makes to test a method has none.
   * @throws {CloudEventSpecificationError} If the key is absent or no IP address.
   */
  sourceIp(): IpAddress {
    const text = readString(this.rawEvent, SOURCE_IP);
    try {
      return new IpAddress(text);
    } catch (cause) {
      const problem = `is ${JSON.stringify(text)}, not an IP address`;
      throw specificationError(SOURCE_IP, problem, { cause });
    }
  }

  /**
   * The header fields, `headers`.
   *
   * @returns Names in lower case, values as submitted; those of names equal but for case are joined with `, `
   * (RFC 9110 §5.3). Empty if the key is null.
   * @throws {CloudEventSpecificationError} If the key is absent, or a value is no string.
   */
  httpHeaders(): Record<string, string> {
    return readHeaders(this.rawEvent);
  }

  /**
   * The method, `requestContext.httpMethod` (RFC 9110 §9).
   *
   * @returns The method in upper case, whatever it is.
   * @throws {CloudEventSpecificationError} If the key is absent or no string.
   */
  httpMethod(): string {
    return readString(this.rawEvent, HTTP_METHOD).toUpperCase();
  }

  /**
   * The protocol, `requestContext.protocol`.
   *
   * @returns The protocol in upper case, such as `HTTP/1.1`.
   * @throws {CloudEventSpecificationError} If the key is absent or no string.
   */
  httpProtocol(): string {
    return readString(this.rawEvent, PROTOCOL).toUpperCase();
  }

  /**
   * What the client calls itself, `requestContext.identity.userAgent` (RFC 9110 §10.1.5).
   *
   * @returns The value as transmitted; empty if the key is null, for the client sent none.
   * @throws {CloudEventSpecificationError} If the key is absent, or neither a string nor null.
   */
  httpUserAgent(): string {
    const value = read(this.rawEvent, USER_AGENT);
    if (value === null) return "";
    if (typeof value !== "string") throw wrongType(USER_AGENT, value, "a string or null");
    return value;
  }

  /**
   * The values of a header of weighted preferences in `headers`, such as `Accept-Language` (RFC 9110 §12.4.2).
   *
   * @param header The name of the header, in any case.
   * @returns All values by decreasing quality, those that the client refuses last; equal qualities keep the
   * order of the header. Empty if there is no such header.
   * @throws {CloudEventSpecificationError} If `headers` is absent, or the value is no string.
   * @throws {TypeError} If the name is no string.
   *
   * @example The languages of a client, best first
   * ```ts
   * import { assertEquals } from "@std/assert";
   * import { FnProxyEvent } from "@mate/core/gateway";
   *
   * const event = new FnProxyEvent({ headers: { "accept-language": "fr;q=0, en;q=0.7, de" } });
   * assertEquals(event.headerSortedPreferences("Accept-Language"), ["de", "en", "fr"]);
   * ```
   */
  headerSortedPreferences(header: string): readonly string[] {
    return this.headerPreferences(header).map(({ value }) => value);
  }

  /**
   * The values of a header of weighted preferences in `headers`, with their qualities (RFC 9110 §12.4.2).
   *
   * @param header The name of the header, in any case.
   * @returns All values in the order of {@linkcode FnProxyEvent.headerSortedPreferences}, each with its quality
   * from 0, refused, to 1. Empty if there is no such header.
   * @throws {CloudEventSpecificationError} If `headers` is absent, or the value is no string.
   * @throws {TypeError} If the name is no string.
   *
   * @example Telling what the client refuses
   * ```ts
   * import { assertEquals } from "@std/assert";
   * import { FnProxyEvent } from "@mate/core/gateway";
   *
   * const event = new FnProxyEvent({ headers: { Accept: "text/html;q=0, application/json" } });
   * assertEquals(event.headerPreferences("Accept"), [
   *   { value: "application/json", quality: 1 },
   *   { value: "text/html", quality: 0 },
   * ]);
   * ```
   */
  headerPreferences(header: string): readonly Preference[] {
    if (typeof header !== "string") {
      throw new TypeError(`Cannot find the header: expected a name, got ${String(header)}`);
    }
    return parsePreferences(findHeader(this.rawEvent, header) ?? "");
  }

  /**
   * The domain name that the client asked, `requestContext.domainName`.
   *
   * @returns The name in lower case.
   * @throws {CloudEventSpecificationError} If the key is absent or no string.
   */
  queryDomainName(): string {
    return readString(this.rawEvent, DOMAIN_NAME).toLowerCase();
  }

  /**
   * The path, `requestContext.path`, which starts with the stage unless a mapping hides it.
   *
   * @returns What is between the slashes, as transmitted: percent-encoded. Neither a leading nor a trailing
   * slash makes an empty element; of `/` there is none.
   * @throws {CloudEventSpecificationError} If the key is absent or no string.
   */
  queryPath(): readonly string[] {
    return splitPath(readString(this.rawEvent, PATH));
  }

  /**
   * The parameters of the query, `queryStringParameters`: of each the last value, decoded by the gateway.
   *
   * @returns Names and values as they are in the event. Empty if the key is null.
   * @throws {CloudEventSpecificationError} If the key is absent, or a value is no string.
   */
  queryStringParameters(): Record<string, string> {
    return readParameters(this.rawEvent);
  }

  /**
   * The method and the URL of the request, on a line.
   *
   * The gateway hands parameters over decoded: names and values are percent-encoded again (RFC 3986 §2.1), so
   * that the URL means what the client sent. If `multiValueQueryStringParameters` is an object, it has every value.
   *
   * @returns A text such as `GET https://api.example.com/v0/orders?page=2`, the path as transmitted.
   * @throws {CloudEventSpecificationError} If one of `requestContext.httpMethod`, `requestContext.domainName`,
   * `requestContext.path` and `queryStringParameters` is absent, or one of them or
   * `multiValueQueryStringParameters` is malformed.
   */
  queryString(): string {
    const path = readString(this.rawEvent, PATH);
    const slash = path.startsWith("/") ? "" : "/";
    const url = `${this.httpMethod()} https://${this.queryDomainName()}${slash}${path}`;
    const query = encodeQuery(this.rawEvent);
    return query === "" ? url : `${url}?${query}`;
  }

  /**
   * The body, `body`, parsed as JSON (RFC 8259); in base64 if `isBase64Encoded` (RFC 4648 §4). A byte order
   * mark before the JSON is ignored.
   *
   * @returns What the JSON says; `null` also if the key is null, for there is no body.
   * @throws {CloudEventSpecificationError} If `body` is absent or neither a string nor null, or
   * `isBase64Encoded` is neither a boolean, null nor absent.
   * @throws {MalformedPayloadError} If the body is no JSON (an empty one, too), or flagged as base64 and no base64
   * of UTF-8. The message says where the JSON broke, the column in UTF-16 code units.
   *
   * @example A body in base64
   * ```ts
   * import { assertEquals } from "@std/assert";
   * import { FnProxyEvent } from "@mate/core/gateway";
   *
   * const event = new FnProxyEvent({ body: btoa('{"count":2}'), isBase64Encoded: true });
   * assertEquals(event.queryPayload(), { count: 2 });
   * ```
   */
  queryPayload(): JsonValue {
    return readPayload(this.rawEvent);
  }

  /**
   * What the authorizer knows about the client, `requestContext.authorizer.claims`.
   *
   * @returns The claims of the token; `null` if the request is anonymous: the authorizer or its claims are absent
   * or null.
   * @throws {CloudEventSpecificationError} If `requestContext` is absent, a key is malformed, or the event is of
   * another kind, which keeps its claims elsewhere: of the payload format 2.0, or of a load balancer.
   */
  authorizerClaims(): JsonObject | null {
    return readClaims(this.rawEvent);
  }
}
