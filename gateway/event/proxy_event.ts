import { FnEvent } from "../../function/event.ts";
import type { JsonObject, JsonValue } from "../../function/json.ts";
import {
  readOptionalObject,
  readString,
  specificationError,
  wrongValue,
} from "../../function/read.ts";
import { refuse, type StandardSchema, validate, validateAt } from "../../function/schema.ts";
import { HttpBadRequestError, HttpUnprocessableEntityError } from "../errors/client_errors.ts";
import { parsePreferences, type Preference, sortedValues } from "../negotiation/preferences.ts";
import { readBytes, readPayload, readText, requireJsonType } from "./body.ts";
import { readFormData } from "./form_data.ts";
import { readMap } from "./formats/entries.ts";
import type { EventFormat, Format } from "./formats/format.ts";
import { formatOf, recogniseFormat } from "./formats/recognise.ts";
import {
  findHeader,
  isHeader,
  parseCookies,
  readFact,
  readHeaders,
  requireFact,
} from "./headers.ts";
import { IpAddress } from "./ip_address.ts";
import { readPathParameters, validatePathParameters } from "./path_parameters.ts";
import { readPath, readRequest, readUrl, withoutPort, writeQuery } from "./request.ts";

/**
 * The event of an HTTP request behind any gateway: an API Gateway REST API or HTTP API, a Lambda function URL, an
 * Application Load Balancer, or Amazon VPC Lattice.
 *
 * An accessor reads its part of the event only when it is called. It raises a `CloudEventSpecificationError` if this part
 * is absent or malformed, or if another AWS service sent the event.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 *
 * @example Reading a request
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * import { CloudEventSpecificationError } from "@mate/core/function";
 * import { FnProxyEvent } from "@mate/core/gateway";
 * import { proxyEvent } from "@mate/core/testing";
 *
 * const event = new FnProxyEvent(
 *   await proxyEvent({
 *     method: "POST",
 *     url: "https://api.example.com/v0/orders?q=fish%20%26%20chips",
 *     headers: { "Accept-Language": "en;q=0.5, de", "X-Order": "7" },
 *     body: '{"count": 2}',
 *   }, { sourceIp: "test-invoke-source-ip" }), // as the test of the console sends it
 * );
 *
 * assertEquals(event.format, "rest");
 * assertEquals(event.header("X-Order"), "7");
 * assertEquals(event.headerSortedPreferences("Accept-Language"), ["de", "en"]);
 * assertEquals(event.queryPath(), ["v0", "orders"]);
 * assertEquals(event.queryString(), "POST https://api.example.com/v0/orders?q=fish%20%26%20chips");
 * assertEquals(event.queryPayload(), { count: 2 });
 *
 * const error = assertThrows(() => event.sourceIp(), CloudEventSpecificationError);
 * assertEquals(error.path, "requestContext.identity.sourceIp");
 * ```
 */
export class FnProxyEvent extends FnEvent {
  /** The format of the event, which tells the kind of gateway. It never raises an error: an unknown event is `rest`. */
  get format(): EventFormat {
    return recogniseFormat(this.rawEvent).name;
  }

  get #format(): Format {
    return formatOf(this.rawEvent);
  }

  /** The address of the client. Behind a load balancer or VPC Lattice, it is the last entry of `X-Forwarded-For`. */
  sourceIp(): IpAddress {
    const { sourceIp } = this.#format;
    const value = requireFact(this.rawEvent, sourceIp);
    const text = isHeader(sourceIp) ? lastAddress(value) : value;
    try {
      return new IpAddress(text);
    } catch (cause) {
      throw wrongValue(sourceIp, value, "an IP address", { cause });
    }
  }

  /**
   * All header fields, by names in lower case. The values of one name are joined with `, ` (RFC 9110 section 5.3), and
   * cookies with `; `.
   */
  httpHeaders(): Record<string, string> {
    return readHeaders(this.rawEvent);
  }

  /** The value of one header field, or `undefined`. The name may be in any case. Other fields are not checked. */
  header(name: string): string | undefined {
    return findHeader(this.rawEvent, name);
  }

  /** The cookies by name (RFC 6265 section 5.4). Values are percent-decoded if that is possible. */
  cookies(): Record<string, string> {
    return parseCookies(this.header("cookie") ?? "");
  }

  /** The method in upper case (RFC 9110 section 9), unchecked. */
  httpMethod(): string {
    return readString(this.rawEvent, this.#format.method).toUpperCase();
  }

  /** The protocol in upper case, such as `HTTP/1.1`. Load balancers and VPC Lattice do not send it: an error says so. */
  httpProtocol(): string {
    const { protocol, name } = this.#format;
    if (protocol) return readString(this.rawEvent, protocol).toUpperCase();
    throw specificationError(["protocol"], `is absent from events of the format "${name}"`);
  }

  /** The name of the client software (RFC 9110 section 10.1.5). It is empty if the client sent none. */
  httpUserAgent(): string {
    return readFact(this.rawEvent, this.#format.userAgent) ?? "";
  }

  /**
   * The values of a header of weighted preferences, such as `Accept-Language` (RFC 9110 section 12.4.2), by decreasing
   * quality. Equal qualities keep the order of the header. The values that the client refuses come last.
   */
  headerSortedPreferences(header: string): readonly string[] {
    return sortedValues(this.header(header) ?? "");
  }

  /**
   * The preferences in the same order, with their qualities from 0 (refused) to 1.
   *
   * @example Finding the refused types
   * ```ts
   * import { assertEquals } from "@std/assert";
   * import { FnProxyEvent } from "@mate/core/gateway";
   * import { proxyEvent } from "@mate/core/testing";
   *
   * const headers = { Accept: "text/html;q=0, application/json" };
   * const event = new FnProxyEvent(await proxyEvent({ url: "/", headers }));
   * assertEquals(event.headerPreferences("Accept"), [
   *   { value: "application/json", quality: 1 },
   *   { value: "text/html", quality: 0 },
   * ]);
   * ```
   */
  headerPreferences(header: string): readonly Preference[] {
    return parsePreferences(this.header(header) ?? "");
  }

  /** The domain name of the request in lower case. */
  queryDomainName(): string {
    const { domainName } = this.#format;
    const host = requireFact(this.rawEvent, domainName);
    return isHeader(domainName) ? withoutPort(host) : host.toLowerCase();
  }

  /**
   * The parts of the path between the slashes, as transmitted: the stage is included, and nothing is decoded. A leading
   * and a trailing slash make no empty part.
   */
  queryPath(): readonly string[] {
    const parts = this.#format.path(this.rawEvent).split("/");
    return parts.slice(parts[0] === "" ? 1 : 0, parts.at(-1) === "" ? -1 : undefined);
  }

  /** The decoded parameters of the query. The last value of a repeated parameter counts. */
  queryStringParameters(): Record<string, string>;
  /**
   * The decoded parameters of the query, validated.
   *
   * @throws {HttpBadRequestError} If the schema refuses the parameters. The `details` hold the issues.
   */
  queryStringParameters<Output>(schema: StandardSchema<Output>): Output;
  queryStringParameters(schema?: StandardSchema): unknown {
    const parameters = Object.fromEntries(this.#format.query(this.rawEvent));
    return validate(schema, parameters, refuse(HttpBadRequestError, "query parameters"));
  }

  /** All values of a parameter of the query, in order. */
  queryValues(name: string): readonly string[] {
    return this.#format.query(this.rawEvent).filter(([key]) => key === name)
      .map(([, value]) => value);
  }

  /**
   * The method and the URL of the request in one line, such as `GET https://api.example.com/v0/orders?page=2`. The path is
   * as transmitted. Names and values of the query are percent-encoded again.
   */
  queryString(): string {
    const path = readPath(this.rawEvent);
    return `${this.httpMethod()} https://${this.queryDomainName()}${path}${
      writeQuery(this.rawEvent)
    }`;
  }

  /**
   * The URL of the request, stage included. The scheme comes from `X-Forwarded-Proto`; without this header it is https.
   *
   * @throws {HttpBadRequestError} If a URL would make another path of the path: one with a segment `.` or `..`, a
   * backslash or a control character.
   */
  url(): URL {
    return new URL(readUrl(this.rawEvent));
  }

  /**
   * A standard request with the same meaning as the request of the client.
   *
   * @throws {HttpBadRequestError} As `url()`, or if a standard request cannot have the method or a header.
   */
  toRequest(): Request {
    return readRequest(this.rawEvent);
  }

  /**
   * The parameters of the path, percent-decoded.
   *
   * @throws {HttpNotFoundError} If a parameter has a malformed escape, because no resource has this name.
   */
  pathParameters(): Record<string, string>;
  /**
   * The parameters of the path, validated.
   *
   * @throws {HttpNotFoundError} If the schema refuses the parameters. The `details` hold the issues.
   */
  pathParameters<Output>(schema: StandardSchema<Output>): Output;
  pathParameters(schema?: StandardSchema): unknown {
    return validatePathParameters(schema, readPathParameters(this.rawEvent));
  }

  /**
   * The body as JSON (RFC 8259), or `null` if there is no body. A body in base64 is decoded first.
   *
   * @throws {MalformedPayloadError} If the body is not JSON, or if a body that is flagged as base64 is not base64 of UTF-8.
   */
  queryPayload(): JsonValue;
  /**
   * The body as JSON, validated.
   *
   * @throws {HttpUnsupportedMediaTypeError} If the `Content-Type` is neither absent, JSON, `*+json` nor `text/plain`.
   * @throws {MalformedPayloadError} If the body is not JSON.
   * @throws {HttpUnprocessableEntityError} If the schema refuses the payload. The `details` hold the issues.
   */
  queryPayload<Output>(schema: StandardSchema<Output>): Output;
  queryPayload(schema?: StandardSchema): unknown {
    if (schema) requireJsonType(this.rawEvent);
    const payload = readPayload(this.rawEvent);
    return validate(schema, payload, refuse(HttpUnprocessableEntityError, "payload"));
  }

  /** The bytes of the body. */
  bytes(): Uint8Array<ArrayBuffer> {
    return readBytes(this.rawEvent);
  }

  /**
   * The text of the body, without a byte order mark.
   *
   * @throws {MalformedPayloadError} If the body is not UTF-8.
   */
  text(): string {
    return readText(this.rawEvent) ?? "";
  }

  /**
   * The form in the body: `multipart/form-data` or `application/x-www-form-urlencoded`.
   *
   * @throws {HttpUnsupportedMediaTypeError} If the `Content-Type` is absent or another type.
   * @throws {MalformedPayloadError} If the body is not such a form.
   * @throws {HttpRequestEntityTooLargeError} If the form has more than 10,000 fields.
   */
  async formData(): Promise<FormData> {
    return await readFormData(this.rawEvent);
  }

  /** The claims that the authorizer found in the token. An anonymous request has `null`. */
  authorizerClaims(): JsonObject | null;
  /** The claims, validated. An anonymous request has `null`, which is not validated. */
  authorizerClaims<Output>(schema: StandardSchema<Output>): Output | null;
  authorizerClaims(schema?: StandardSchema): unknown {
    const { claims: path } = this.#format;
    const claims = path ? readOptionalObject(this.rawEvent, path) : null;
    return claims && validateAt(schema, claims, path!);
  }

  /**
   * The data that any kind of authorizer passed on: the claims of a token, the context of a Lambda authorizer, or the IAM
   * identity. The `principalId` of a Lambda authorizer is not part of its context. Without such data it is `null`.
   */
  authorizer(): JsonObject | null {
    return this.#format.authorizer?.(this.rawEvent) ?? null;
  }

  /** The identifier of the request. Behind a load balancer or VPC Lattice, it is the trace id. It may be empty. */
  requestId(): string {
    return readFact(this.rawEvent, this.#format.requestId, 1) ?? "";
  }

  /** The method and resource of the route, such as `GET /orders/{id}`. Load balancers and VPC Lattice have `null`. */
  routeKey(): string | null {
    return this.#format.routeKey?.(this.rawEvent) ?? null;
  }

  /** The variables of the stage. */
  stageVariables(): Record<string, string> {
    formatOf(this.rawEvent); // refuses the event of another service
    return Object.fromEntries(readMap(this.rawEvent, "stageVariables", false) ?? []);
  }
}

/** The last address of `X-Forwarded-For`, which the gateway wrote. A port is removed. */
function lastAddress(forwarded: string): string {
  const address = forwarded.split(",").at(-1)!.trim();
  return address.replace(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2");
}
