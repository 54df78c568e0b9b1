/** The documents of described APIs, held against public validators and a generator of clients. */
import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import openapiTS, { astToString } from "openapi-typescript";
import * as z from "zod";
import { checkDocument } from "../../testdata/openapi.ts";
import { make, NamedTree, Tree } from "../testdata/open_api.ts";

Deno.test("a generator of clients makes types of a document", async () => {
  const document = make({ "GET /orders/{id}/{rest+}": { responses: { 200: NamedTree } } });
  const types = astToString(await openapiTS(document));
  assertMatch(types, /"\/orders\/\{id\}\/\{rest\}"/);
  assertMatch(types, /branches: components\["schemas"\]\["Tree"\]\[\]/);
});

Deno.test("public validators and a generator of clients accept the document of any described API", async () => {
  const name = fc.constantFrom("a", "B", "a b", "é", "default", "properties", "__proto__", "x-1");
  const plain = fc.constantFrom<z.ZodType>(
    z.string(),
    z.number().int().optional(),
    z.enum(["x", "y"]).default("x"),
    z.coerce.boolean(),
    z.literal(7).or(z.iso.date()),
    z.email().meta({ id: "Mail/~1 é", description: "An address" }),
  );
  const object = (values: fc.Arbitrary<z.ZodType>) =>
    fc.dictionary(name, values, { maxKeys: 3, noNullPrototype: true })
      .map((shape) => z.object(shape));
  const { inner } = fc.letrec<{ inner: z.ZodType }>((tie) => ({
    inner: fc.oneof(
      { maxDepth: 2 },
      plain,
      fc.constantFrom<z.ZodType>(Tree, NamedTree, z.array(Tree), z.null()),
      object(tie("inner")),
      tie("inner").map((item) => z.array(item)),
      fc.tuple(tie("inner"), tie("inner")).map((parts) => z.union(parts)),
    ),
  }));
  // zod forbids two schemas with one id in one schema, but not in one API.
  const schema = fc.oneof(
    inner,
    fc.tuple(object(inner), name).map(([made, id]) => made.meta({ id })),
  );
  const parameters = object(plain);
  const route = fc.record({
    query: parameters,
    body: schema,
    responses: fc.record({
      200: schema,
      201: schema,
      204: fc.constant("Done"),
    }, { requiredKeys: ["200"] }),
    tags: fc.array(fc.constantFrom("a", "b"), { maxLength: 1 }),
  }, { requiredKeys: ["responses"] });
  const key = fc.constantFrom("GET", "POST", "PUT").chain((method) =>
    fc.constantFrom("/", "/a", "/a/{id}", "/a-b/{id}/c", "/a/{id}/{rest+}", "/é/%20")
      .map((path) => `${method} ${path}`)
  );
  const api = fc.dictionary(key, route, { minKeys: 1, maxKeys: 6, noNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(api, async (api) => {
      const document = make(api);
      await checkDocument(document);
      await openapiTS(structuredClone(document)); // rejects if it cannot make types
      assertEquals(JSON.stringify(make(api)), JSON.stringify(document));
      const local = JSON.stringify(document).match(/"#\/(?!components\/)[^"]*"/);
      assertEquals(local, null);
    }),
    { numRuns: 40 },
  );
});
