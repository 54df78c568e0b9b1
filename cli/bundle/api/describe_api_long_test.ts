import { assertEquals } from "@std/assert";
import { describe, GONE } from "./testdata/shop.ts";

Deno.test("describeApi() takes the name, the version, the URL and the authorizers of the application", async () => {
  const api =
    `export const api = { "GET /orders": ${GONE}, "DELETE /orders/{nr}": ${GONE}, "GET /keys": ${GONE}, "GET /mine": ${GONE} };`;
  const versions = { "deno.jsonc": '{ /* of the shop */ "version": "7.1.0" }' };
  const plain = await describe({ "api.ts": api });
  assertEquals(plain?.warnings, []);
  assertEquals(plain?.document.info, { title: "shop", version: "0.0.0" });
  assertEquals(plain?.document.servers, undefined);
  // deno-lint-ignore no-explicit-any -- the test looks into a document
  const { paths, components } = plain!.document as any;
  assertEquals(paths["/orders"].get.security, undefined);
  assertEquals(paths["/orders/{nr}"].delete.security, [{ check: [] }]);
  const token = { type: "apiKey", in: "header", name: "Authorization" };
  const key = { type: "apiKey", in: "query", name: "key" };
  const users = { type: "http", scheme: "bearer", bearerFormat: "JWT" };
  assertEquals(components.securitySchemes, { check: token, key, users });

  const url = "https://api.example/v0";
  const securitySchemes = { check: { type: "http", scheme: "bearer" } };
  const full = await describe({ "api.ts": api, ...versions }, { url, securitySchemes });
  assertEquals(full?.document.info, { title: "shop", version: "7.1.0" });
  assertEquals(full?.document.servers, [{ url }]);
  assertEquals(Object(full?.document.components).securitySchemes, {
    ...securitySchemes,
    key,
    users,
  });

  const document = `{ title: "Shop!", security: () => ["own"], errors: "problem",
    securitySchemes: { own: { type: "http", scheme: "basic" } } }`;
  const module =
    `export const api = { "GET /orders": ${GONE} }; export const document = ${document};`;
  const own = await describe({ "api.ts": module, "package.json": '{"version":"2.0.0"}' });
  assertEquals(own?.document.info, { title: "Shop!", version: "2.0.0" });
  assertEquals(Object(own?.document.components).securitySchemes, {
    own: { type: "http", scheme: "basic" },
  });
  assertEquals(
    own?.warnings,
    ["ANY /orders/{id}", "GET /keys", "GET /mine"].map((route) =>
      `The route "${route}" of the manifest has no description in "api.ts"`
    ),
  );
});
