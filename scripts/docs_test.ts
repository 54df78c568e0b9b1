/** Checks the facts of the packages, and the form of the pages. */
import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import cli from "../cli/deno.json" with { type: "json" };
import lock from "../cli/packages.lock.json" with { type: "json" };
import core from "../deno.json" with { type: "json" };
import { succeed } from "../testdata/programs.ts";
import { withNotice, wrongPages } from "./notice.ts";
import { toolPackages } from "./packages/tool_packages.ts";

const ROOT = new URL("../", import.meta.url);

const readPage = (path: string) => Deno.readTextFile(new URL(path, ROOT));

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
