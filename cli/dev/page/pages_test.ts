import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  manifestWith,
  resolved,
  startTestPlatform,
  type TestPlatform,
} from "../../testdata/platform.ts";
import { createStartPage } from "./pages.ts";

/** Lists the modules that the script of the page imports, and those that these import. */
async function modulesOf(test: TestPlatform): Promise<readonly string[]> {
  const found = new Set(["/assets/script.js"]);
  for (const path of found) {
    const { text } = await test.send({ path });
    for (const [, name] of text.matchAll(/ from "\.\/(\w+\.js)"/g)) found.add(`/assets/${name}`);
  }
  assertEquals(found.size > 10, true);
  return [...found];
}

Deno.test("the start page and its assets have a strict content security policy", async () => {
  await using test = await startTestPlatform();
  const page = await test.send({ path: "/" });
  assertEquals([page.status, page.header("Content-Type")], [200, "text/html; charset=utf-8"]);
  const links = [...page.text.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, url]) =>
    `/${url}`
  );
  assertEquals(links.length, 3);
  // Browsers ask for /favicon.ico when they show the page of a function.
  for (const path of ["/", ...links, ...await modulesOf(test), "/favicon.ico"]) {
    const response = await test.send({ path });
    assertEquals([path, response.status], [path, 200]);
    const policy = response.header("Content-Security-Policy")!;
    assertMatch(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assertStringIncludes(policy, "frame-ancestors 'none'");
    assertEquals(response.header("Cross-Origin-Opener-Policy"), "same-origin");
    assertEquals(response.header("X-Content-Type-Options"), "nosniff");
    assertEquals(response.header("Access-Control-Allow-Origin"), undefined);
    const head = await test.send({ method: "HEAD", path });
    assertEquals([head.status, head.text], [200, ""]);
  }
});

Deno.test("the start page has no inline code and no link to another host", async () => {
  await using test = await startTestPlatform();
  const { text } = await test.send({ path: "/" });
  assertStringIncludes(text, `<code>http://localhost:${test.platform.port}/v0</code>`);
  assertEquals(/<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/.exec(text)?.[0], undefined);
  assertEquals(
    /(?:href|src|action)="(?!assets\/|#|http:\/\/(?:\w+\.)?localhost:)/.exec(text)?.[0],
    undefined,
  );
});

Deno.test("the start page escapes the texts of the manifest", () => {
  const hostile = `"><script>alert('1&2')</script>`;
  const f = { module: hostile, description: hostile };
  const page = createStartPage(resolved(manifestWith({ f })), "http://localhost");
  assertEquals(page.includes("<script>alert"), false);
  assertStringIncludes(page, "&#34;&#62;&#60;script&#62;alert(&#39;1&#38;2&#39;)&#60;/script&#62;");
});

Deno.test("the start page offers the methods of the routes of a function", () => {
  const routes = [{ method: "POST", path: "/a" }, { method: "HEAD", path: "/a/{id}" }];
  const f = { module: "f.ts", triggers: { routes } };
  const page = createStartPage(resolved(manifestWith({ f })), "http://localhost");
  assertStringIncludes(page, "<option>POST</option><option>HEAD</option></select>");
  assertStringIncludes(page, "curl -X POST &#39;http://localhost/v0/a&#39;");
  assertStringIncludes(page, "curl -I &#39;http://localhost/v0/a/1&#39;");
});

Deno.test("the start page sends JSON to the routes of a described API that take a body", () => {
  const routes = ["POST", "PUT", "GET", "DELETE"].map((method) => ({ method, path: "/a" }));
  const f = { module: "f.ts", triggers: { routes } };
  const manifest = { ...manifestWith({ f }), api: "api.ts" };
  const page = createStartPage(resolved(manifest), "http://localhost");
  const commands = [...page.matchAll(/<code>(curl.*?) &#39;http:/g)].map(([, command]) => command);
  const json = "--json &#39;{}&#39;";
  assertEquals(commands, [`curl ${json}`, `curl -X PUT ${json}`, "curl", "curl -X DELETE"]);
});

Deno.test("the start page links to the document of the API if the manifest names its description", () => {
  const link = '<a href="openapi.json">';
  const application = resolved(manifestWith({ f: { module: "f.ts" } }));
  assertEquals(createStartPage(application, "http://localhost").includes(link), false);
  assertStringIncludes(
    createStartPage({ ...application, api: "api.ts" }, "http://localhost"),
    link,
  );
});

Deno.test("the start page names the tables whose changes invoke a function", () => {
  const f = { module: "f.ts", triggers: { tables: [{ name: "orders" }] } };
  const manifest = manifestWith({ f }, {}, { orders: { key: { id: "string" } } });
  const page = createStartPage(resolved(manifest), "http://localhost");
  assertStringIncludes(page, 'The changes of the table <a href="#data/tables/orders">orders</a>');
  assertStringIncludes(page, '<section data-place="tables/orders"');
});

Deno.test("the start page refuses other paths and methods", async () => {
  await using test = await startTestPlatform();
  const cases = [
    ["GET", "/assets/nope.js", 404],
    ["GET", "/assets/../platform.ts", 404],
    ["GET", "/assets/", 404],
    ["POST", "/", 405],
    ["DELETE", "/assets/script.js", 405],
  ] as const;
  for (const [method, path, status] of cases) {
    assertEquals((await test.send({ method, path })).status, status, `${method} ${path}`);
  }
});
