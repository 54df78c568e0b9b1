/**
 * The contract between a service and its clients: the schemas of the AWS SDK.
 *
 * @module
 */
import { NormalizedSchema } from "@smithy/core/schema";
import { XMLParser } from "fast-xml-parser";
import { Buffer } from "node:buffer";
import { Readable } from "node:stream";

/** The schema of an operation, as the commands of the SDK carry it. */
export type OperationSchema = readonly [
  kind: number,
  namespace: string,
  name: string,
  traits: unknown,
  input: unknown,
  output: unknown,
];

/** Header fields that no schema names, because HTTP or every AWS service has them. */
const COMMON =
  /^(connection|content-length|content-type|date|keep-alive|server|transfer-encoding|vary|x-amz-crc32|x-amz-id-2|x-amz-request-id|x-amzn-requestid)$/;

/** Header fields with which the port of the start page, which also has the Invoke API, keeps other pages away. */
const OF_START_PAGE = /^(cross-origin-resource-policy|x-content-type-options)$/;

/** Where a member is in a message. */
export interface Place {
  readonly member: string;
  readonly schema: NormalizedSchema;
  readonly traits: Readonly<Record<string, unknown>>;
}

/** Lists the members of a structure. */
export function placesOf(structure: unknown): Place[] {
  const schema = NormalizedSchema.of(structure as never);
  return [...schema.structIterator()].map(([member, inner]) => ({
    member,
    schema: inner,
    traits: inner.getMergedTraits() as Record<string, unknown>,
  }));
}

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  body: unknown;
}

interface Client {
  readonly middlewareStack: { add(middleware: unknown, options: object): void };
}

/**
 * Makes a client fail if a successful answer has a member or a header field that the schema of its operation does not have.
 *
 * @param called Gets the name of each operation that has succeeded.
 */
export function checkAnswers<SdkClient>(client: SdkClient, called = new Set<string>()): SdkClient {
  const check =
    (next: (args: unknown) => Promise<{ response: Answer }>, context: object) =>
    async (args: unknown) => {
      const result = await next(args);
      const { response } = result;
      const symbol = "__smithy_context" as keyof typeof context;
      const { operationSchema } = context[symbol] as { operationSchema: OperationSchema };
      if (response.statusCode >= 300) return result;
      const [, , operation, , , output] = operationSchema;
      const unknown = [...await unknownParts(operation, placesOf(output), response)];
      if (unknown.length > 0) {
        throw new Error(`The schema of ${operation} does not have ${unknown.join(", ")}`);
      }
      called.add(operation);
      return result;
    };
  const { middlewareStack } = client as Client;
  middlewareStack.add(check, { step: "deserialize", priority: "low", name: "contract" });
  return client;
}

async function unknownParts(
  operation: string,
  places: readonly Place[],
  response: Answer,
): Promise<string[]> {
  const fields = Object.keys(response.headers).map((name) => name.toLowerCase());
  const isField = (name: string) =>
    COMMON.test(name) ||
    operation.startsWith("Invoke") && OF_START_PAGE.test(name) ||
    places.some(({ traits: { httpHeader, httpPrefixHeaders } }) =>
      httpHeader !== undefined && String(httpHeader).toLowerCase() === name ||
      httpPrefixHeaders !== undefined && name.startsWith(String(httpPrefixHeaders))
    );
  const unknown = fields.filter((name) => !isField(name)).map((name) => `the field ${name}`);
  if (places.some(({ schema, traits }) => schema.isStreaming() || traits.httpPayload)) {
    return unknown;
  }
  const bytes = await new Response(response.body as never).bytes();
  response.body = Readable.from([bytes]);
  if (bytes.length === 0) return unknown;
  const text = Buffer.from(bytes).toString();
  const inBody = places.filter(({ traits }) => !traits.httpHeader && !traits.httpPrefixHeaders);
  if (/json/.test(response.headers["content-type"] ?? "")) {
    return [...unknown, ...unknownMembers(inBody, JSON.parse(text), operation, false)];
  }
  const { "?xml": _, ...root } = new XMLParser({ parseTagValue: false }).parse(text);
  const [content] = Object.values(root) as Record<string, unknown>[];
  // The query protocol of Amazon SNS wraps the result.
  const result = `${operation}Result`;
  const isWrapped = `${operation}Response` in root;
  const inner = isWrapped ? content![result] : content;
  const beside = isWrapped
    ? Object.keys(content!).filter((name) => name !== result && name !== "ResponseMetadata")
    : [];
  return [...unknown, ...beside, ...unknownMembers(inBody, inner, operation, true)];
}

/** Lists the members that the schema of a structure does not have. */
function* unknownMembers(
  places: readonly Place[],
  value: unknown,
  path: string,
  isXml: boolean,
): Generator<string> {
  for (const [name, content] of Object.entries(Object(value) as object)) {
    const place = places.find(({ member, traits }) =>
      ((isXml ? traits.xmlName : traits.jsonName) ?? member) === name
    );
    if (place === undefined) yield `${path}.${name}`;
    else yield* unknownInside(place.schema, content, `${path}.${name}`, isXml);
  }
}

function* unknownInside(
  schema: NormalizedSchema,
  value: unknown,
  path: string,
  isXml: boolean,
): Generator<string> {
  if (schema.isStructSchema()) {
    yield* unknownMembers(placesOf(schema), value, path, isXml);
  } else if (schema.isListSchema() || schema.isMapSchema()) {
    const inner = schema.getValueSchema();
    const { xmlFlattened } = schema.getMergedTraits();
    const item = schema.isMapSchema() ? "entry" : inner.getMergedTraits().xmlName ?? "member";
    let items = Array.isArray(value) ? value : Object.values(Object(value));
    if (isXml && xmlFlattened) items = [value].flat();
    if (isXml && !xmlFlattened) {
      const { [String(item)]: all = [], ...others } = Object(value || {});
      items = [all].flat();
      yield* Object.keys(others).map((name) => `${path}.${name}`);
    }
    for (const one of items) {
      const content = isXml && schema.isMapSchema() ? one.value : one;
      yield* unknownInside(inner, content, `${path}[]`, isXml);
    }
  }
}
