import { checkNames, invalid, isPlainObject, kindOf } from "../../function/arguments.ts";
import type { JsonObject } from "../../function/read.ts";
import { statusText } from "../errors/http_error.ts";
import { routes } from "../routes.ts";
import { Components, readParameters, type SchemaObject, unused } from "./components.ts";
import type { ApiDescription, DescribedSchema, RouteDescription } from "./description.ts";
import { readDescription } from "./read_description.ts";

/** The options of {@linkcode openApi}. */
export interface OpenApiOptions {
  /** The name of the API. */
  readonly title: string;
  /** The version of the API. */
  readonly version: string;
  /** A description of the API, in CommonMark. */
  readonly description?: string | undefined;
  /** The servers, as OpenAPI describes them: `[{ url: "https://api.example.com/v1" }]`. */
  readonly servers?: readonly { readonly url: string; readonly description?: string }[] | undefined;
  /** `"problem"` if errors are problem details (RFC 9457); `{ Message, Details? }` unless given. */
  readonly errors?: "problem" | undefined;
  /** The security schemes by their names, as OpenAPI describes them. */
  readonly securitySchemes?: Readonly<Record<string, JsonObject>> | undefined;
  /** Names the security schemes of a route, each of which is enough; none for a route that anyone may call. */
  readonly security?: ((key: string) => readonly string[]) | undefined;
  /** Describes a schema in JSON Schema, draft 2020-12. If it returns `undefined`, the schema describes itself. */
  readonly toJsonSchema?:
    | ((schema: DescribedSchema, direction: "input" | "output") => object | undefined)
    | undefined;
}

const NAMES = ["title", "version", "description", "servers", "errors", "securitySchemes"];

/**
 * Makes the OpenAPI document of a described API. Equal descriptions give equal documents, in the order of the description.
 *
 * Each schema describes itself by Standard JSON Schema: Zod from 4.2 on, ArkType from 2.2 on, and Valibot in the wrapper
 * `toStandardJsonSchema()`. Requests are described by what a schema takes, responses by what it gives.
 *
 * @param api The description of the API.
 * @param options The title, the version, and what the description does not have.
 * @returns The document, OpenAPI 3.1.1, as a JSON object.
 * @throws {TypeError} If a description is wrong, a schema cannot be described, an `id` stands twice, the schema of the path,
 * the query or the header fields is not an object of plain values, or one document cannot have both of two keys. The
 * message names the key and the part.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 *
 * @example The document as a route
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import * as z from "zod";
 * import { type ApiDescription, openApi } from "@mate/core/gateway";
 *
 * const api = {
 *   "GET /orders/{id}": { summary: "An order", responses: { 200: z.object({ item: z.string() }) } },
 * } as const satisfies ApiDescription;
 *
 * const document = openApi(api, { title: "Shop", version: "1" });
 * assertEquals(document.openapi, "3.1.1");
 * assertEquals(Object.keys(document.paths), ["/orders/{id}"]);
 * ```
 */
export function openApi(
  api: ApiDescription,
  options: OpenApiOptions,
): { readonly openapi: string; readonly paths: JsonObject } & JsonObject {
  checkOptions(options);
  const { title, version, description, servers, errors, securitySchemes } = options;
  const entries = Object.keys(Object(api)).map((key) => [key, readDescription(api, key)] as const);
  routes(Object.fromEntries(entries.map(([key]) => [key, () => {}]))); // checks the keys
  const ids = operationIds(entries);
  const components = new Components();
  const paths: Record<string, SchemaObject> = {};
  for (const [key, description] of entries) {
    const [method, path] = splitKey(key);
    const operation = describe(key, description, ids.get(key)!, options, components);
    (paths[path] ??= {})[method.toLowerCase()] = operation;
  }
  checkPaths(entries.map(([key]) => key));
  const problem = errors === "problem";
  const document = {
    openapi: "3.1.1",
    info: { title, version, ...description !== undefined && { description } },
    ...servers && { servers },
    paths,
    components: {
      ...Object.keys(components.schemas).length > 0 && { schemas: components.schemas },
      responses: {
        ClientError: errorResponse("The request is refused", problem, true),
        ServerError: errorResponse("The server failed", problem, false),
      },
      ...securitySchemes && { securitySchemes },
    },
  };
  return JSON.parse(JSON.stringify(document));
}

function checkOptions(options: OpenApiOptions): void {
  checkNames(options, [...NAMES, "security", "toJsonSchema"]);
  for (const name of ["title", "version"] as const) {
    if (typeof options[name] !== "string") throw invalid(`option ${name}`, "a string");
  }
  const { description = "", servers = [], errors = "problem", securitySchemes = {} } = options;
  if (typeof description !== "string") throw invalid("option description", "a string");
  const isServer = (server: unknown) => typeof Object(server).url === "string";
  if (!Array.isArray(servers) || !servers.every(isServer)) {
    throw invalid("option servers", "an array of objects with a url");
  }
  if (errors !== "problem") throw invalid(`option errors ${JSON.stringify(errors)}`, '"problem"');
  if (!isPlainObject(securitySchemes)) throw invalid("option securitySchemes", "an object");
  for (const name of ["security", "toJsonSchema"] as const) {
    const value = options[name];
    if (value === undefined || typeof value === "function") continue;
    throw invalid(`option ${name}`, "a function", value);
  }
}

/** The method and the path of a key, as the document writes it. A trailing slash names the same route. */
function splitKey(key: string): [method: string, path: string] {
  const [method, path] = key.split(" ") as [string, string];
  return [method, path.replaceAll("+}", "}").replace(/(?<=.)\/$/, "")];
}

/** Refuses keys whose paths differ only in the variables, because OpenAPI takes such paths for identical. */
function checkPaths(keys: readonly string[]): void {
  const known = new Map<string, string>();
  const pathOf = (key: string) => key.replace(/^\S+ /, "").replace(/(?<=.)\/$/, "");
  for (const key of keys) {
    const shape = pathOf(key).replaceAll(/\{[^}]*\}/g, "{}");
    const other = known.get(shape) ?? key;
    known.set(shape, other);
    if (pathOf(key) === pathOf(other)) continue;
    const both = `${JSON.stringify(other)} and ${JSON.stringify(key)}`;
    throw invalid(`keys ${both}`, "one document to have equal variables in equal paths");
  }
}

/** The `operationId` of each key. Those that the description does not name are made of the key. */
function operationIds(
  entries: readonly (readonly [string, RouteDescription])[],
): Map<string, string> {
  const keys = new Map<string, string>();
  for (const [key, { id }] of entries) {
    if (id === undefined) continue;
    const other = keys.get(id);
    if (other !== undefined) {
      const expected = `another id than ${JSON.stringify(other)} has`;
      throw invalid(`description of ${JSON.stringify(key)}, id`, expected);
    }
    keys.set(id, key);
  }
  for (const [key, { id }] of entries) {
    if (id !== undefined) continue;
    const [method, path] = splitKey(key);
    const words = path.replaceAll("{", "By{").match(/[A-Za-z0-9]+/g) ?? [];
    const made = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
    keys.set(unused(method.toLowerCase() + made, (name) => keys.has(name)), key);
  }
  return new Map(Array.from(keys, ([id, key]) => [key, id]));
}

/** The operation of a key. */
function describe(
  key: string,
  { summary, description, tags, path, query, headers, body, responses }: RouteDescription,
  operationId: string,
  { security, securitySchemes = {}, toJsonSchema }: OpenApiOptions,
  components: Components,
): SchemaObject {
  const name = operationId[0]!.toUpperCase() + operationId.slice(1);
  const describeAs = <Result>(
    schema: DescribedSchema,
    part: string,
    direction: "input" | "output",
    use: (schema: SchemaObject) => Result,
  ): Result => {
    const place = `${JSON.stringify(key)}, ${part}`;
    try {
      const { jsonSchema, vendor } = schema["~standard"] as JsonStandard;
      const own = jsonSchema?.[direction].bind(jsonSchema);
      const given = toJsonSchema?.(schema, direction) ?? own?.({ target: "draft-2020-12" });
      if (given === undefined) {
        throw new Error(`${vendor} gives no JSON Schema: wrap the schema, or give toJsonSchema`);
      }
      const made = JSON.parse(JSON.stringify(given));
      if (!isPlainObject(made)) throw new Error(`its JSON Schema is ${kindOf(made)}`);
      return use(made);
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : String(cause);
      throw new TypeError(`Cannot describe ${place}: ${problem}`, { cause });
    }
  };
  const add = (part: string) => (schema: SchemaObject) => components.add(schema, name + part);
  const variables = Array.from(key.matchAll(/\{([^}+]+)\+?\}/g), ([, name]) => name!);
  const parametersOf = (
    place: "path" | "query" | "header",
    schema: DescribedSchema | undefined,
  ) => {
    if (schema === undefined) return readParameters({ type: "object" }, place, variables);
    const part = place === "header" ? "headers" : place;
    return describeAs(schema, part, "input", (made) => {
      const { $defs } = made;
      return readParameters(made, place, variables).map((parameter) => ({
        ...parameter,
        schema: add(part)({ ...parameter.schema, ...$defs ? { $defs } : {} }),
      }));
    });
  };
  const parameters = [
    ...parametersOf("path", path),
    ...parametersOf("query", query),
    ...parametersOf("header", headers),
  ];
  const schemes = security?.(key) ?? [];
  const unknown = schemes.find((scheme) => !Object.hasOwn(securitySchemes, scheme));
  if (unknown !== undefined) {
    const place = `security ${JSON.stringify(unknown)} of ${JSON.stringify(key)}`;
    throw invalid(place, "a name of the option securitySchemes");
  }
  const content = (schema: SchemaObject) => ({ "application/json": { schema } });
  const described = body && describeAs(body, "body", "input", add("Body"));
  const answers = Object.entries(responses).map(([status, response]) => {
    if (typeof response === "string") return [status, { description: response }];
    return describeAs(response, `responses, ${status}`, "output", (made) => [status, {
      description: statusText(Number(status)) || `Status ${status}`,
      content: content(add(status)(made)),
    }]);
  });
  return {
    operationId,
    summary,
    description,
    tags,
    ...schemes.length > 0 && { security: schemes.map((scheme) => ({ [scheme]: [] })) },
    ...parameters.length > 0 && { parameters },
    ...described && { requestBody: { required: true, content: content(described) } },
    responses: {
      ...Object.fromEntries(answers),
      "4XX": { $ref: "#/components/responses/ClientError" },
      "5XX": { $ref: "#/components/responses/ServerError" },
    },
  };
}

/** A schema that describes itself: Standard JSON Schema, version 1. */
interface JsonStandard {
  readonly vendor: string;
  readonly jsonSchema?: Record<"input" | "output", (options: { target: string }) => unknown>;
}

/** The response to an error. The details of an error are only for a mistake of the client. */
function errorResponse(description: string, isProblem: boolean, hasDetails: boolean): SchemaObject {
  const [text, integer] = [{ type: "string" }, { type: "integer" }];
  const problem = { type: text, title: text, status: integer, detail: text, instance: text };
  const message = { Message: text, ...hasDetails && { Details: { type: "object" } } };
  const properties = isProblem ? problem : message;
  const required = isProblem ? ["type", "title", "status", "detail"] : ["Message"];
  const type = isProblem ? "application/problem+json" : "application/json";
  return { description, content: { [type]: { schema: { type: "object", properties, required } } } };
}
