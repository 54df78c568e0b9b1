import { assertEquals } from "@std/assert";
import { FUNCTIONS, navigation } from "./navigation.ts";

for (
  const [current, path] of [
    ["okay", "/v0/okay"],
    ["okay", "/v0/okay/"],
    ["okay", "/v0/okay/a/b"],
    ["okay", "/v0/okay//x/okay/"],
    ["okay", "/v0/okay/%2F%22%3E/javascript:alert(1)"],
    ["forbidden", "/v0/forbidden"],
    ["crash", "/v0/crash"],
  ] as const
) {
  Deno.test(`navigation() leads from ${path} to every function`, () => {
    const markup = navigation(current, path).toString();
    const links = [...markup.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!);
    assertEquals(
      links.map((href) => new URL(href, `https://example.com${path}`).href),
      Object.keys(FUNCTIONS).map((name) => `https://example.com/v0/${name}`),
    );
    assertEquals(markup.match(/[^>]*(?=<\/a>)/g)?.filter(Boolean), Object.keys(FUNCTIONS));
    assertEquals(markup.match(/aria-current="page">(\w+)/)?.[1], current);
  });
}

Deno.test("navigation() takes any path", () => {
  for (const path of [undefined, "", "nonsense", "<script>"]) {
    assertEquals(navigation("okay", path).toString(), navigation("okay").toString());
  }
});
