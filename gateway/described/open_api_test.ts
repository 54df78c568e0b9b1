import { Validator } from "@seriousme/openapi-schema-validator";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { Ajv2020 } from "ajv/dist/2020.js";
import { type } from "arktype";
import * as v from "valibot";
import * as z from "zod";
import { checkDocument } from "../../testdata/openapi.ts";
import { call } from "../../testing/mod.ts";
import { make, NamedTree, OPTIONS, Tree } from "../testdata/open_api.ts";
import { type ApiDescription, implement, proxyHandler, routes } from "../mod.ts";

/** The same API, described by three libraries. */
const LIBRARIES = {
  zod: {
    "PUT /orders/{id}/{rest+}": {
      path: z.object({ id: z.string() }),
      query: z.object({ page: z.string().optional() }),
      headers: z.object({ "x-trace": z.string() }),
      body: z.object({ count: z.number() }),
      responses: { 200: z.looseObject({ item: z.string() }), 204: "Nothing" },
    },
  },
  valibot: {
    "PUT /orders/{id}/{rest+}": {
      path: toStandardJsonSchema(v.object({ id: v.string() })),
      query: toStandardJsonSchema(v.object({ page: v.optional(v.string()) })),
      headers: toStandardJsonSchema(v.object({ "x-trace": v.string() })),
      body: toStandardJsonSchema(v.object({ count: v.number() })),
      responses: { 200: toStandardJsonSchema(v.object({ item: v.string() })), 204: "Nothing" },
    },
  },
  arktype: {
    "PUT /orders/{id}/{rest+}": {
      path: type({ id: "string" }),
      query: type({ "page?": "string" }),
      headers: type({ "x-trace": "string" }),
      body: type({ count: "number" }),
      responses: { 200: type({ item: "string" }), 204: "Nothing" },
    },
  },
} as const satisfies Record<string, ApiDescription>;

Deno.test("openApi() describes the same API alike with zod, valibot and arktype", async () => {
  const text = { type: "string" };
  const content = (properties: object, required: string[]) => ({
    "application/json": { schema: { type: "object", properties, required } },
  });
  const answers = Object.entries(LIBRARIES).map(([name, api]) => [name, make(api)] as const);
  for (const [name, document] of answers) {
    await checkDocument(document);
    const { schema } = document.paths["/orders/{id}/{rest}"].put
      .responses[200].content["application/json"];
    if (name === "zod") delete schema.additionalProperties; // of the loose object: {}
    assertEquals(document.paths, {
      "/orders/{id}/{rest}": {
        put: {
          operationId: "putOrdersByIdByRest",
          parameters: [
            { name: "id", in: "path", required: true, schema: text },
            { name: "rest", in: "path", required: true, schema: text },
            { name: "page", in: "query", schema: text },
            { name: "x-trace", in: "header", required: true, schema: text },
          ],
          requestBody: {
            required: true,
            content: content({ count: { type: "number" } }, ["count"]),
          },
          responses: {
            200: { description: "OK", content: content({ item: text }, ["item"]) },
            204: { description: "Nothing" },
            "4XX": { $ref: "#/components/responses/ClientError" },
            "5XX": { $ref: "#/components/responses/ServerError" },
          },
        },
      },
    }, name);
  }
});

Deno.test("openApi() makes components of definitions, and points every reference there", async () => {
  const Order = z.object({ id: z.string() }).meta({ id: "Order" });
  const Other = z.object({ nr: z.number() }).meta({ id: "Other/order~ä b" });
  const Clash = z.object({ at: z.string() });
  const schemaOf = (value: object) => ({ "application/json": { schema: value } });
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const document = make({
    // A schema with an id is only a reference, also at its root.
    "GET /a": { responses: { 200: Order } },
    // What comes in may have further members: equal names, two contents.
    "POST /a": { body: Order, responses: { 200: z.array(Order) } },
    "GET /b": { responses: { 200: Tree } },
    "GET /c": { responses: { 200: NamedTree, 201: z.object({ trees: z.array(NamedTree) }) } },
    "GET /d": { responses: { 200: z.object({ $ref: Other, default: Other }) } },
    "GET /e": { responses: { 200: Clash.meta({ examples: [{ $ref: "#/$defs/x" }] as never }) } },
    "GET /f": { responses: { 200: toStandardJsonSchema(valibotTree) } },
    "GET /g": { responses: { 200: type.module({ tree: { "branches?": "tree[]" } }).tree } },
  });
  // A validator takes every member named $ref for a reference.
  const { "/d": _, "/e": __, ...paths } = document.paths;
  await checkDocument({ ...document, paths });
  const { schemas } = document.components;
  const answer = (path: string, status = 200) => document.paths[path].get.responses[status].content;
  assertEquals(answer("/a"), schemaOf(ref("Order")));
  const { post } = document.paths["/a"];
  assertEquals(post.requestBody.content, schemaOf(ref("Order2")));
  assertEquals(post.responses[200].content, schemaOf({ type: "array", items: ref("Order") }));
  const id = { id: { type: "string" } };
  const order = { type: "object", properties: id, required: ["id"] };
  assertEquals([schemas.Order, schemas.Order2], [{ ...order, additionalProperties: false }, order]);
  // A schema that refers to itself as "#" becomes a component.
  assertEquals(answer("/b"), schemaOf(ref("GetB200")));
  assertEquals(schemas.GetB200.properties.branches.items, ref("GetB200"));
  assertEquals(answer("/c"), schemaOf(ref("Tree")));
  const trees = answer("/c", 201)["application/json"].schema.properties.trees;
  assertEquals([trees.items, schemas.Tree.properties.branches.items], [ref("Tree"), ref("Tree")]);
  // A member may have the name of a keyword.
  const { properties } = answer("/d")["application/json"].schema;
  const other = ref("Other_order___b");
  assertEquals(properties, { $ref: other, default: other });
  assert("Other_order___b" in schemas);
  const [example] = answer("/e")["application/json"].schema.examples;
  assertEquals(example, { $ref: "#/$defs/x" });
  assertEquals(JSON.stringify(document).split("#/$defs/").length, 2);
});

const valibotTree: v.GenericSchema<Tree> = v.object({
  name: v.string(),
  branches: v.array(v.lazy(() => valibotTree)),
});

Deno.test("openApi() gives equal bytes for equal descriptions, and its options their places", async () => {
  const api = {
    "GET /": {
      id: "home",
      summary: "Home",
      description: "All",
      tags: ["a"],
      responses: { 200: z.null() },
    },
    "GET /a-b": { responses: { 299: z.null() } },
    "GET /a_b": { responses: { 204: "Done" } },
  };
  const options = {
    description: "A shop",
    servers: [{ url: "https://api.example.com/v1" }],
    errors: "problem",
    securitySchemes: { key: { type: "apiKey", in: "header", name: "x-api-key" } },
    security: (key: string) => key === "GET /" ? [] : ["key"],
  };
  const document = make(api, options);
  await checkDocument(document);
  assertEquals(JSON.stringify(make(api, options)), JSON.stringify(document));
  assertEquals(document.info, { ...OPTIONS, description: "A shop" });
  assertEquals(document.servers, options.servers);
  assertEquals(document.components.securitySchemes, options.securitySchemes);
  const { operationId, summary, description, tags, security } = document.paths["/"].get;
  assertEquals([operationId, summary, description, tags], ["home", "Home", "All", ["a"]]);
  assertEquals(security, undefined);
  const [first, second] = ["/a-b", "/a_b"].map((path) => document.paths[path].get);
  assertEquals([first.operationId, second.operationId], ["getAB", "getAB2"]);
  assertEquals([first.security, first.responses[299].description], [[{ key: [] }], "Status 299"]);
  const { ClientError, ServerError } = document.components.responses;
  for (const { content } of [ClientError, ServerError]) {
    const { properties } = content["application/problem+json"].schema;
    assertEquals(Object.keys(properties), ["type", "title", "status", "detail", "instance"]);
  }
  const { responses } = make(api).components;
  const membersOf = (name: string) =>
    Object.keys(responses[name].content["application/json"].schema.properties);
  assertEquals(membersOf("ClientError"), ["Message", "Details"]);
  assertEquals(membersOf("ServerError"), ["Message"]); // its details are not for the client
});

Deno.test("openApi() asks toJsonSchema, and the schema itself if the option has no answer", () => {
  const plain = v.object({ id: v.string() });
  const asked: unknown[] = [];
  const toJsonSchema = (schema: unknown, direction: string) => {
    if (schema !== plain) return undefined;
    asked.push(direction);
    // draft 7 has its definitions elsewhere
    return { $ref: "#/definitions/a", definitions: { a: { type: "object" } } };
  };
  const api = { "PUT /": { body: plain, responses: { 200: plain, 201: z.string() } } };
  const { paths, components } = make(api, { toJsonSchema });
  assertEquals(asked, ["input", "output"]);
  const { responses } = paths["/"].put;
  assertEquals(responses[201].content["application/json"].schema, { type: "string" });
  const name = "PutBody";
  assertEquals(Object.keys(components.schemas), [name]);
  assertEquals(components.schemas[name].$ref, `#/components/schemas/${name}/definitions/a`);
});

/** A schema with this JSON Schema. */
const withJson = (json: unknown) => ({
  "~standard": {
    ...z.string()["~standard"],
    vendor: "mine",
    jsonSchema: { input: () => json, output: () => json },
  },
});

Deno.test("openApi() takes the JSON Schema of any library", async () => {
  const $defs = { "100%": { type: "string" }, more: { $ref: "#/$defs/100%" } };
  const a = { $ref: "#/$defs/more" };
  const properties = { a, b: true, c: { const: 7 }, d: { enum: [null, "x"] }, e: { allOf: [a] } };
  const members = { x: { $ref: "https://json-schema.org/draft/2020-12/schema" }, y: { not: true } };
  const document = make({
    "PUT /": {
      query: withJson({ type: "object", properties, $defs }),
      body: withJson({ $ref: "#/$defs/100%", $defs }),
      responses: { 200: withJson({ type: "object", properties: members }) },
    },
  });
  const { parameters, requestBody, responses } = document.paths["/"].put;
  const schemas = parameters.map(({ schema }: { schema: unknown }) => schema);
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const [, , c, d] = Object.values(properties);
  assertEquals(schemas, [ref("more"), {}, c, d, { allOf: [ref("more")] }]);
  assertEquals(document.components.schemas, { more: ref("100_"), "100_": { type: "string" } });
  assertEquals(requestBody.content["application/json"].schema, ref("100_"));
  assertEquals(responses[200].content["application/json"].schema.properties, members);
  const { valid } = await new Validator().validate(JSON.parse(JSON.stringify({
    ...document,
    paths: { "/": { put: { parameters, requestBody, responses: { 204: responses["4XX"] } } } },
  })));
  assert(valid); // the validator loads no other file, so the response is left out
});

Deno.test("openApi() refuses what no document can hold, and names the key and the part", () => {
  const responses = { 204: "Done" };
  const of = (members: object, key = "GET /") => () => make({ [key]: { responses, ...members } });
  for (
    const [run, message] of [
      [
        of({ responses: { 200: z.date() } }),
        'Cannot describe "GET /", responses, 200: Date cannot be represented in JSON Schema',
      ],
      [of({ body: z.bigint() }), 'Cannot describe "GET /", body: BigInt cannot be represented'],
      [
        of({ responses: { 200: z.string().transform(Number) } }),
        'Cannot describe "GET /", responses, 200: Transforms cannot be represented',
      ],
      [
        of({ body: v.string() }),
        'Cannot describe "GET /", body: valibot gives no JSON Schema: wrap the schema, or give toJso',
      ],
      [of({ body: withJson(true) }), 'describe "GET /", body: its JSON Schema is a boolean'],
      [
        of({ body: withJson({ $ref: "#/$defs/no" }) }),
        'Cannot describe "GET /", body: the reference to "no" points to nothing',
      ],
      [
        of({ query: z.array(z.string()) }),
        'Cannot describe "GET /", query: expected the schema of an object',
      ],
      ...[
        z.array(z.string()),
        z.object({}),
        z.record(z.string(), z.string()),
        z.union([z.string(), z.array(z.string())]),
        z.string().or(z.object({ a: z.string() }).meta({ id: "A" })),
        z.tuple([z.string()]),
      ].map((tag) =>
        [
          of({ query: z.object({ tag }) }),
          'Cannot describe "GET /", query: expected "tag" to be a plain value',
        ] as const
      ),
      ...[{ $ref: "#/$defs/A" }, { $ref: "#" }, { const: [] }, { items: {} }].map((tag) => {
        const json = { type: "object", properties: { tag }, $defs: { A: { $ref: "#/$defs/A" } } };
        return [of({ query: withJson(json) }), 'expected "tag" to be a plain value'] as const;
      }),
      [
        of({ query: withJson({ $ref: "#/$defs/no" }) }),
        'Cannot describe "GET /", query: expected the schema of an object',
      ],
      [
        of({ headers: z.object({ "X-A": z.string() }) }),
        'Cannot describe "GET /", headers: expected "X-A" in lower case',
      ],
      [
        of({ path: z.object({ nr: z.string() }) }, "GET /{id}"),
        'Cannot describe "GET /{id}", path: expected a variable of the path, got "nr"',
      ],
      [
        () => make({ "GET /a": { id: "x", responses }, "GET /b": { id: "x", responses } }),
        'Invalid description of "GET /b", id: expected another id than "GET /a" has',
      ],
      ...[["GET /o/{id}", "PUT /o/{nr}"], ["GET /o/{p}", "PUT /o/{p+}"]].map(([first, second]) =>
        [
          () => make({ [first!]: { responses }, [second!]: { responses } }),
          `Invalid keys "${first}" and "${second}": expected one document to have equal`,
        ] as const
      ),
      [of({}, "GET o"), 'Invalid route "GET o": expected'],
      [of({}, "ANY /"), 'Invalid description of "ANY /": expected one exact method'],
      [of({ responses: {} }), 'Invalid description of "GET /", responses: expected'],
      [() => make({}), 'Invalid routes: expected { "GET /orders/{id}": route }'],
      [() => make(null), 'Invalid routes: expected { "GET /orders/{id}": route }'],
      ...([
        [{ title: 7 }, "Invalid option title: expected a string"],
        [{ version: undefined }, "Invalid option version: expected a string"],
        [{ description: 7 }, "Invalid option description: expected a string"],
        [{ servers: ["/"] }, "Invalid option servers: expected an array of objects with a url"],
        [{ errors: "rfc" }, 'Invalid option errors "rfc": expected "problem"'],
        [{ securitySchemes: [] }, "Invalid option securitySchemes: expected an object"],
        [{ security: {} }, "Invalid option security: expected a function, got an object"],
        [{ toJsonSchema: 7 }, "Invalid option toJsonSchema: expected a function, got a number"],
        [{ titel: "" }, 'Unknown option "titel"'],
        [{ security: () => ["key"] }, 'Invalid security "key" of "GET /": expected a name of the'],
      ] as const).map(([options, message]) =>
        [() => make({ "GET /": { responses } }, options), message] as const
      ),
    ] as const
  ) {
    assertThrows(run, TypeError, message);
  }
  // A trailing slash names the same route, and so the same path.
  const { paths } = make({ "GET /o": { responses }, "PUT /o/": { responses } });
  assertEquals(Object.keys(paths["/o"]), ["get", "put"]);
});

Deno.test("a response of a described route is what its document says, if the route returns more", async () => {
  const api = {
    "GET /": { responses: { 200: z.object({ id: z.string(), tree: Tree.optional() }) } },
  } as const satisfies ApiDescription;
  const tree = { name: "a", branches: [], height: 7 };
  const handler = proxyHandler(routes(implement(api, {
    "GET /": () => ({ id: "7", secret: "sesame", tree }),
  })));
  const body = await (await call(handler, { url: "/" })).json();
  const document = make(api);
  const ajv = new Ajv2020({ strict: false }).addSchema(document, "document");
  const pointer = "#/paths/~1/get/responses/200/content/application~1json/schema";
  const validate = ajv.getSchema(`document${pointer}`)!;
  assertEquals(validate(body), true, JSON.stringify(validate.errors));
  // The document allows no other members: an unchecked response would break it.
  assertEquals(validate({ ...body, secret: "sesame" }), false);
});
