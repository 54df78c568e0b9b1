/** Checks the facts of the packages, and the pages with code or tables that no other test runs. */
import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import cli from "../cli/deno.json" with { type: "json" };
import lock from "../cli/packages.lock.json" with { type: "json" };
import core from "../deno.json" with { type: "json" };
import { logger } from "@mate/core/logger";
import { call } from "@mate/core/testing";
import { succeed } from "../testdata/programs.ts";
import { withNotice, wrongPages } from "./notice.ts";
import { toolPackages } from "./packages/tool_packages.ts";

const ROOT = new URL("../", import.meta.url);

// The handlers of the pages log. Most keep the console that exists when they are loaded.
logger.level = "OFF";
Object.assign(console, { log() {}, error() {} });
Deno.env.set("POWERTOOLS_LOG_LEVEL", "SILENT");

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

const MIDDY = "6.4.5";
const POWERTOOLS = "2.35.0";
/** The versions of the npm packages that the pages import. */
const VERSIONS: Readonly<Record<string, string>> = {
  "@aws-lambda-powertools/event-handler": POWERTOOLS,
  "@aws-lambda-powertools/logger": POWERTOOLS,
  "@middy/core": MIDDY,
  "@middy/http-cors": MIDDY,
  "@middy/http-error-handler": MIDDY,
  "@middy/http-header-normalizer": MIDDY,
  "@middy/http-json-body-parser": MIDDY,
  "@middy/http-response-serializer": MIDDY,
  "@middy/http-router": MIDDY,
  "@middy/util": MIDDY,
  "@fastify/aws-lambda": "6.4.1",
  "express": "5.3.0",
  "fastify": "5.12.8",
  "hono": "4.13.19",
  "lambda-api": "1.5.1",
  "serverless-http": "4.0.0",
};

const readPage = (path: string) => Deno.readTextFile(new URL(path, ROOT));

/** The text below a heading of the second level, up to the next one. */
async function sectionOf(file: string, heading: string): Promise<string> {
  return (await readPage(file)).split(`\n## ${heading}\n`)[1]!.split("\n## ")[0]!;
}

/** Imports the first block with this fence, such as `js ignore`, and returns its handler. */
async function importBlock(section: string, fence: string): Promise<Handler> {
  const code = section.split(`\`\`\`${fence}\n`)[1]!.split("\n```")[0]!
    .replaceAll(
      / from "((?:@[^/"]+\/)?[^/"]+)/g,
      (text, name) => VERSIONS[name] ? ` from "npm:${name}@${VERSIONS[name]}` : text,
    );
  const type = fence.startsWith("ts") ? "typescript" : "javascript";
  return (await import(`data:application/${type},${encodeURIComponent(code)}`)).handler;
}

Deno.test("both packages have the same version and licence", async () => {
  assertEquals(cli.version, core.version);
  const [text, copy] = await Promise.all(
    ["LICENSE", "cli/LICENSE"].map((path) => Deno.readTextFile(new URL(path, ROOT))),
  );
  assertEquals(copy, text);
});

Deno.test("cli/packages.lock.json pins every package of the tool; deno task lock writes it", () => {
  const packages = toolPackages().map((target) => /^npm:(?:@[^/]+\/)?[^/]+/.exec(target)![0]);
  assertEquals(
    Object.keys(lock.specifiers).toSorted(),
    [...new Set(packages)].toSorted(),
  );
  for (const [name, { integrity }] of Object.entries(lock.npm)) {
    assertMatch(integrity, /^sha512-/, name);
  }
});

Deno.test("cli/README.md has no link that breaks outside the repository", async () => {
  const text = await Deno.readTextFile(new URL("cli/README.md", ROOT));
  const files = "https://github.com/mate/core/blob/main/";
  for (const [, target = ""] of text.matchAll(/\]\(([^)]+)\)/g)) {
    assertEquals(URL.canParse(target), true, target);
    if (target.startsWith(files)) await Deno.stat(new URL(target.slice(files.length), ROOT));
  }
});

/** One module in the output of `deno doc --json`. */
interface ModuleDoc {
  readonly module_doc?: unknown;
  readonly symbols: readonly {
    readonly name: string;
    readonly declarations: readonly {
      readonly declarationKind: string;
      readonly jsDoc?: unknown;
    }[];
  }[];
}

// `deno task doc:lint` does not see a symbol that a module exports again without documentation.
Deno.test("every entry point and every symbol that JSR counts is documented", async () => {
  const undocumented: string[] = [];
  for (const [folder, { exports }] of [[".", core], ["cli", cli]] as const) {
    const args = ["doc", "--json", ...Object.values(exports).sort()];
    const stdout = await succeed(Deno.execPath(), args, { cwd: new URL(folder, ROOT) });
    const nodes: Record<string, ModuleDoc> = JSON.parse(stdout).nodes;
    for (const [entryPoint, { module_doc, symbols }] of Object.entries(nodes)) {
      if (!module_doc) undocumented.push(entryPoint);
      for (const { name, declarations } of symbols) {
        const isDocumented = declarations.every(({ declarationKind, jsDoc }) =>
          jsDoc || declarationKind === "private"
        );
        if (!isDocumented) undocumented.push(`${entryPoint} ${name}`);
      }
    }
  }
  assertEquals(undocumented, [], "Document these");
});

/** The TypeScript files, pages and configurations of a folder. Hidden folders, and those that the tasks make, are left out. */
function* filesOf(path: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(path, ROOT))) {
    if (isDirectory && !/^\.|^(node_modules|npm|dist|coverage|site)$/.test(name)) {
      yield* filesOf(`${path}${name}/`);
    } else if (/\.(ts|md|json)$/.test(name)) yield path + name;
  }
}

// Bundlers keep every language of Zod for the export "z", but drop what a namespace does not use.
Deno.test("every import of Zod takes its namespace", async () => {
  const clauses: string[] = [];
  for (const path of filesOf("./")) {
    const text = await readPage(path);
    for (const [, clause] of text.matchAll(/\bimport\s+([^;"'`]+?)\s+from\s+["']zod["'/]/g)) {
      clauses.push(clause!);
      assertEquals(clause, "* as z", path);
    }
  }
  assertNotEquals(clauses, []);
});

// The configuration of a folder runs before the tool does, as SECURITY.md says.
Deno.test("every command with the tool from JSR has --no-config", async () => {
  let count = 0;
  for (const path of filesOf("./")) {
    for (const [command] of (await readPage(path)).matchAll(/deno run [^\n]*jsr:@mate\/cli/g)) {
      assertMatch(command, /^deno run --no-config /, path);
      count++;
    }
  }
  assertNotEquals(count, 0);
});

Deno.test("until the release, each page with a command of the packages says that there are none", async () => {
  const page = "# A page\n\nText.\n\n```sh\nnpx mate dev\n```\n";
  const before = withNotice(page, false);
  assertStringIncludes(before, "# A page\n\n> Version");
  assertEquals([withNotice(before, false), withNotice(before, true)], [before, page]);
  const wrong = [...(await wrongPages()).keys()];
  assertEquals(wrong, [], "Run: deno run -A scripts/notice.ts");
});

const PAGES = [...filesOf("./"), ...filesOf(".github/")].filter((path) => path.endsWith(".md"));
const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);

/** Pages in which a reader looks something up, and which nobody reads from their beginning to their end. */
const REFERENCES =
  /^\.\/(ARCHITECTURE|CHANGELOG|SECURITY|docs\/(migration|moving)|cli\/bundle\/README)\.md$/;

Deno.test("a page has at most 1,200 words, unless it is a reference", async () => {
  const long: string[] = [];
  for (const path of PAGES.filter((path) => !REFERENCES.test(path))) {
    const words = wordsOf(await readPage(path)).length;
    if (words > 1_200) long.push(`${path}: ${words}`);
  }
  assertEquals(long, [], "Divide these pages, or remove what another page says");
});

/** The sentences outside of code and tables. Inline code is one word, and a link is its text. */
function sentencesOf(page: string): string[] {
  return page.replaceAll(/^( *)```[^]*?^\1```$/gm, "\n")
    .replaceAll(/^ *\|.*$/gm, "\n")
    .replaceAll(/`[^`]+`/g, "code")
    .replaceAll(/\]\([^)]*\)/g, "")
    .split(/\n\s*\n|^ *(?:[-#]+|\d+\.) /m)
    .flatMap((part) => part.trim().split(/(?<=[.!?][")*]*)\s+/)).filter(Boolean);
}

Deno.test("no sentence of a page has more than 34 words", async () => {
  const sample = "# A page\n\n- One `a b` [two](x y). **Three.**\n1. Four\n```\nfive\n```\n| 6 |";
  assertEquals(sentencesOf(sample), ["A page", "One code [two.", "**Three.**", "Four"]);
  const long: string[] = [];
  for (const path of PAGES) {
    for (const sentence of sentencesOf(await readPage(path))) {
      const words = wordsOf(sentence);
      if (words.length > 34) long.push(`${path} (${words.length}): ${words.join(" ")}`);
    }
  }
  assertEquals(long, [], "Divide these sentences");
});

/** The anchors of a page, as GitHub makes them of its headings. */
const anchorsOf = (page: string) =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-")
  );

Deno.test("every link of a page leads to a file, and to a heading that the file has", async () => {
  const broken: string[] = [];
  for (const path of PAGES) {
    const text = (await readPage(path)).replaceAll(/^( *)```[^]*?^\1```$/gm, "");
    for (const [, link = ""] of text.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [file, anchor] = link.split("#");
      const target = file === "" ? new URL(path, ROOT) : new URL(file!, new URL(path, ROOT));
      const page = await Deno.stat(target).then(
        ({ isFile }) => isFile ? Deno.readTextFile(target) : "",
        () => undefined,
      );
      if (page === undefined || anchor && !anchorsOf(page).includes(anchor)) {
        broken.push(`${path}: ${link}`);
      }
    }
  }
  assertEquals(broken, []);
});

Deno.test("every file that a picture of ARCHITECTURE.md names exists", async () => {
  const pictures = (await readPage("ARCHITECTURE.md")).split("```").filter((_, index) => index % 2);
  const files = pictures.flatMap((picture) => picture.match(/[a-z_]+\/[a-z_\/]+\.ts\b/g) ?? []);
  for (const file of files) await Deno.stat(new URL(file, ROOT));
  assertNotEquals(files, []);
});

Deno.test("docs/shop.md shows the code of examples/shop as it is", async () => {
  const page = await readPage("docs/shop.md");
  for (
    const [, file, code] of page.matchAll(
      /^```ts ignore\n\/\/ (\S+)\n([^]*?)^```$/gm,
    )
  ) {
    assertStringIncludes(
      await readPage(`examples/shop/${file}`),
      code!.trimEnd(),
      file,
    );
  }
});

Deno.test("README.md: the function answers a note, and 404 for a note that there is not", async () => {
  const handler = await importBlock(await sectionOf("README.md", "A function"), "ts");
  for (
    const [id, status, body] of [
      ["milk", 200, { id: "milk", text: "Buy some" }],
      ["none", 404, { Message: 'There is no note "none"' }],
    ] as const
  ) {
    const response = await call(handler, { url: `/?id=${id}` });
    assertEquals([response.status, await response.json()], [status, body]);
  }
});

const SAME = "The same service with other libraries";
const SERVICES = {
  here: [SAME, "ts"],
  Hono: ["From Hono's adapter", "js ignore"],
  Middy: ["From Middy", "js ignore"],
  Powertools: ["From Powertools", "js ignore"],
  "lambda-api": ["From lambda-api", "js ignore"],
} as const;

const origin = { Origin: "https://app.example" };
const post = (body: string) => ({
  method: "POST",
  url: "/orders",
  headers: { ...origin, "Content-Type": "application/json" },
  body,
});

/** The requests. The table has those whose statuses differ. */
const REQUESTS = {
  "`GET /orders/7`": { url: "/orders/7", headers: origin },
  "`GET /orders/8`": { url: "/orders/8", headers: origin },
  "`DELETE /orders/7`": { method: "DELETE", url: "/orders/7", headers: origin },
  "a valid order": post('{"item":"tea","count":2}'),
  "an order without a count": post('{"item":"tea"}'),
  "an order that is not JSON": post("{"),
  "`Accept: text/html` alone": { url: "/orders/7", headers: { ...origin, Accept: "text/html" } },
  "the preflight of an order": {
    method: "OPTIONS",
    url: "/orders",
    headers: { ...origin, "Access-Control-Request-Method": "POST" },
  },
};

Deno.test("docs/migration.md: the service of each library answers as the table says", async () => {
  const [head, , ...rows] = (await sectionOf("docs/migration.md", SAME)).split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  assertEquals(head!.slice(1), Object.keys(SERVICES));
  const handlers = await Promise.all(
    Object.values(SERVICES).map(async ([heading, fence]) =>
      importBlock(await sectionOf("docs/migration.md", heading), fence)
    ),
  );
  for (const gateway of ["rest", "http"] as const) {
    const table = [];
    for (const [name, request] of Object.entries(REQUESTS)) {
      const responses = await Promise.all(
        handlers.map((handler) => call(handler, request, { gateway })),
      );
      const statuses = responses.map(({ status }) => String(status));
      if (new Set(statuses).size > 1) table.push([name, ...statuses]);
      for (const [index, response] of responses.entries()) {
        if (!response.ok) continue;
        const library = head![index + 1];
        assertEquals(response.headers.get("Access-Control-Allow-Origin"), origin.Origin, library);
        if (name !== "a valid order") continue;
        assertEquals(response.headers.get("Location"), "/orders/8", library);
        assertEquals(await response.json(), { item: "tea", count: 2 }, library);
      }
    }
    assertEquals(table, rows, gateway);
  }
});

Deno.test("docs/express.md: both applications read requests and answer text, cookies and bytes", async () => {
  for (const framework of ["Express", "Fastify"]) {
    const handler = await importBlock(await sectionOf("docs/express.md", framework), "ts ignore");
    const send = (path: string, init?: RequestInit) =>
      call(handler, new Request(`https://api.example${path}`, init));
    const product = await send("/products/5?color=red");
    assertEquals(await product.json(), { id: "5", color: "red" }, framework);
    const order = await send("/orders", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"id":5}',
    });
    assertEquals(
      [order.status, order.headers.get("set-cookie"), await order.json()],
      [201, "cart=empty; Path=/", { ordered: { id: 5 } }],
      framework,
    );
    const bytes = await (await send("/pixel")).bytes();
    assertEquals([...bytes], [137, 80, 78, 71], framework);
    assertEquals((await send("/missing")).status, 404, framework);
  }
});
