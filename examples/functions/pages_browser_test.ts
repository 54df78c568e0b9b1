import axe, { type AxeResults } from "axe-core";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Handler, pageTest, type Visited } from "./testdata/browser.ts";
import { handler as crash } from "./crash.ts";
import { handler as forbidden } from "./forbidden.ts";
import { handler as okay } from "./okay.ts";

const HANDLERS = { okay, forbidden, crash };

const HOSTILE = [
  "<script>alert('text')</script>",
  "</style><script>alert('style')</script>",
  "</title></code></pre></dl><img src=//evil.example/x onerror=alert('image')>",
  `" onfocus="alert('attribute')" autofocus tabindex="1`,
  `' onmouseover='alert(1)' x='`,
  "javascript:alert('link')",
  "<a href=javascript:alert(1)>x</a><iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<svg onload=alert('svg')><style>*{display:none}</style><base href=//evil.example/>",
  "<meta http-equiv=refresh content='0;url=//evil.example/'><form action=//evil.example/><input>",
  "<!--<script>-->]]>&lt;script&gt;${alert(1)}{{alert(1)}}\\u003cscript>",
];
const DIRECTIONS = "a\u202egnp.exe\u2066\u0000\u001b[31m\u0085\ufeffz";

/** Names and values, both hostile, as a query string. */
const QUERY = new URLSearchParams(
  [...HOSTILE, DIRECTIONS].map((text): [string, string] => [`name ${text}`, text]),
);
const PATH = `/v0/okay/${HOSTILE.map(encodeURIComponent).join("/")}?${QUERY}`;
const HEADERS = Object.fromEntries(HOSTILE.map((text, index) => [`x-hostile-${index}`, text]));

/** What the page is made of that could do anything. */
function activeParts({ page }: Visited): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll("*")].flatMap((element) => [
    ..."script img iframe object embed svg math base form input video audio source".split(" ")
      .filter((name) => element.localName === name),
    ...[...element.attributes].map((attribute) => attribute.name)
      .filter((name) => /^on|^style$|^src|^srcdoc$|^action$|^http-equiv$|^autofocus$/.test(name)),
  ])`);
}

function hrefs({ page }: Visited): Promise<string[]> {
  return page.evaluate("[...document.querySelectorAll('a')].map((link) => link.href)");
}

async function assertHarmless(visited: Visited): Promise<void> {
  assertEquals(visited.incidents, []);
  assertEquals(await activeParts(visited), []);
  for (const href of await hrefs(visited)) {
    const isOwn = /^\/v0\/(okay|forbidden|crash)$/.test(href.replace(visited.origin, ""));
    assert(isOwn || href.startsWith("https://jsr.io/@mate/core"), href);
  }
  const styles = await visited.page.evaluate("document.querySelectorAll('style, link').length");
  assertEquals(styles, 2, "the style sheet and the icon");
}

/** The same without its policy, so that nothing but the escaping is left. */
function withoutPolicy(handler: Handler): Handler {
  return async (event, context) => {
    const reply = await handler(event, context);
    const { "Content-Security-Policy": _, ...headers } = reply.headers;
    return { ...reply, headers };
  };
}

for (
  const [protection, handlers] of [
    ["its escaping and its policy", HANDLERS],
    ["its escaping alone", { okay: withoutPolicy(okay) }],
  ] as const
) {
  pageTest(`okay shows hostile requests unharmed: by ${protection}`, handlers, async (visit) => {
    for (
      const body of [undefined, HOSTILE.join("\n"), JSON.stringify([HOSTILE, { [HOSTILE[1]!]: 1 }])]
    ) {
      const visited = await visit(PATH, {
        headers: HEADERS,
        ...body === undefined ? {} : { body },
      });
      assertEquals(visited.status, 200);
      await assertHarmless(visited);
      await visited.page.click("summary");
      const text = await visited.page.innerText("body");
      for (const hostile of HOSTILE) {
        assertStringIncludes(text, JSON.stringify(hostile), "shown as it is");
      }
      assertStringIncludes(text, "a\\u202egnp.exe\\u2066", "direction made visible");
      await assertHarmless(visited);
      await visited.context.close();
    }
  });
}

/** A page that does not escape. */
const careless: Handler = async (event, context) => {
  const reply = await okay({ ...event, headers: { accept: "text/html" } }, context);
  const body = reply.body.replaceAll("&lt;", "<").replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"').replaceAll("&#39;", "'");
  return { ...reply, body };
};

for (
  const [policy, handler, dialogs] of [
    ["its policy stops the scripts", careless, false],
    ["without a policy scripts run", withoutPolicy(careless), true],
  ] as const
) {
  pageTest(
    `the checks notice a page that does not escape: ${policy}`,
    { okay: handler },
    async (visit) => {
      const visited = await visit(`/v0/okay?name=${encodeURIComponent(HOSTILE[0]!)}`);
      assert((await activeParts(visited)).includes("script"));
      assert(visited.incidents.length > 0);
      assertEquals(visited.incidents.some((incident) => incident.startsWith("dialog")), dialogs);
    },
  );
}

const PAGES = [
  "/v0/okay",
  "/v0/okay/orders/4711?lang=en&page=2&long=" + "x".repeat(500),
  "/v0/forbidden",
  "/v0/crash",
];

for (const [scheme, width] of [["light", 360], ["dark", 1200]] as const) {
  pageTest(
    `the pages are accessible: ${scheme}, ${width} px wide`,
    HANDLERS,
    async (visit) => {
      for (const path of PAGES) {
        const visited = await visit(path, { scheme, width });
        const { page } = visited;
        await page.evaluate(
          "for (const it of document.querySelectorAll('details')) it.open = true",
        );
        await page.evaluate(axe.source);
        const { violations, passes } = await page.evaluate<AxeResults>("axe.run()");
        assertEquals(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
        assert(passes.some(({ id }) => id === "color-contrast"), "contrast was measured");
        const overflow = await page.evaluate(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        assertEquals(overflow, 0, `${path} scrolls sideways`);
        assertEquals(visited.incidents, []);
        await visited.context.close();
      }
    },
  );
}

pageTest("the pages lead to each other and to the documentation", HANDLERS, async (visit) => {
  const visited = await visit("/v0/okay/a/b");
  const { page, origin } = visited;
  const links = await hrefs(visited);
  const docs = links.filter((href) => href.includes("/~/")).map((href) => href.split("/~/")[1]);
  assert(docs.includes("FnProxyEvent.prototype.sourceIp"));
  for (const name of ["forbidden", "crash", "okay"]) {
    await page.click(`nav >> text=${name}`);
    assertEquals(page.url(), `${origin}/v0/${name}`);
    assertEquals(await page.innerText("[aria-current]"), name);
  }
});

/** A page without a policy, whose scripts may connect. */
const blank: Handler = () =>
  Promise.resolve({
    statusCode: 200,
    headers: { "Content-Type": "text/html" },
    body: "<!doctype html><title>blank</title>",
    isBase64Encoded: false,
  });

pageTest(
  "a script of another origin may send any request, and read every answer",
  { ...HANDLERS, blank },
  async (visit) => {
    const { page, origin } = await visit("/v0/okay");
    await page.goto(`${origin.replace("127.0.0.1", "localhost")}/v0/blank`); // another origin
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      for (const [path, status] of [["okay", 200], ["forbidden", 403], ["crash", 500]] as const) {
        const init = {
          method,
          headers: {
            Authorization: "Bearer x",
            "Content-Type": "application/json",
            "X-Order": "7",
          },
          ...["GET", "HEAD"].includes(method) ? {} : { body: '{"count": 2}' },
        };
        const answer = await page.evaluate<{ status: number; text: string }>(
          `fetch("${origin}/v0/${path}", ${JSON.stringify(init)})
          .then(async (response) => ({ status: response.status, text: await response.text() }))`,
        );
        assertEquals(answer.status, status, `${method} /${path}`);
        if (method !== "HEAD") assertEquals(typeof JSON.parse(answer.text), "object");
      }
    }
  },
);
