/**
 * Builds the site: the guides, the API documentation and a search over both: `deno task docs [folder]`.
 *
 * @module
 */
import { dirname, join, relative } from "node:path/posix";
import cli from "../../cli/deno.json" with { type: "json" };
import core from "../../deno.json" with { type: "json" };
import { type Guide, renderGuide } from "./guides.ts";
import { brokenLinks, filesBelow } from "./links.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** The pages in the head of every page. */
const NAVIGATION = {
  "index.html": core.name,
  "docs/index.html": "Guides",
  "api/index.html": "API",
  "cli/index.html": "Tool",
  "examples/index.html": "Example",
  "docs/performance.html": "Performance",
  "CHANGELOG.html": "Changes",
};

/** One entry of the search. */
interface Entry {
  readonly title: string;
  readonly page: string;
  readonly url: string;
  readonly text: string;
}

/**
 * Builds the site.
 *
 * @param output The folder for the site. It is emptied first.
 * @throws {Error} If the API documentation cannot be made, or if a link is broken.
 */
export async function buildSite(output: string): Promise<void> {
  await Deno.mkdir(output, { recursive: true });
  for (const { name } of Deno.readDirSync(output)) {
    await Deno.remove(join(output, name), { recursive: true });
  }
  await run(["doc", "--html", `--name=${core.name}`, `--output=${output}/api`, ...modules()]);
  await adaptApi(output);
  const files = markdownFiles();
  const entries: Entry[] = await symbols(output);
  for (const file of files) {
    const guide = renderGuide(file, await Deno.readTextFile(ROOT + file), files, core.repository);
    await Deno.mkdir(join(output, dirname(guide.path)), { recursive: true });
    await Deno.writeTextFile(join(output, guide.path), page(guide));
    for (const { id, heading, text } of guide.sections) {
      const url = `${guide.path}#${id}`;
      entries.push({ title: heading, page: guide.title, url, text: text.slice(0, 2_000) });
    }
  }
  await Deno.writeTextFile(`${output}/search.json`, JSON.stringify(entries));
  for (const name of ["style.css", "search.js"]) {
    await Deno.copyFile(new URL(name, import.meta.url), `${output}/${name}`);
  }
  for (const name of filesBelow(`${ROOT}docs`)) {
    if (/\.(png|svg)$/.test(name)) {
      await Deno.copyFile(`${ROOT}docs/${name}`, `${output}/docs/${name}`);
    }
  }
  const broken = await brokenLinks(output, { url: `${core.repository}/blob/main/`, folder: ROOT });
  if (broken.length > 0) throw new Error(`Broken links:\n${broken.join("\n")}`);
}

/** The entry points of both packages. */
function modules(): string[] {
  const isModule = ([name]: [string, unknown]) => name !== "./runtime/bootstrap";
  const paths = (config: { exports: Record<string, string> }, folder: string) =>
    Object.entries(config.exports).filter(isModule).map(([, path]) => join(folder, path))
      .filter((path) => path.endsWith(".ts"));
  return [...paths(core, ROOT), ...paths(cli, `${ROOT}cli`)];
}

function markdownFiles(): string[] {
  const isOutside = /(^|\/)(\.|node_modules|npm\/|dist\/|coverage\/|site\/|testdata\/)/;
  return [...filesBelow(ROOT)].filter((path) => path.endsWith(".md") && !isOutside.test(path))
    .sort();
}

/** Puts the navigation of the site above the API documentation, and the repository in place of the folder. */
async function adaptApi(output: string): Promise<void> {
  const folder = new URL(ROOT, "file:").href;
  for (const path of filesBelow(`${output}/api`)) {
    if (!path.endsWith(".html")) continue;
    const file = `${output}/api/${path}`;
    const html = (await Deno.readTextFile(file))
      .replaceAll(folder.replaceAll("/", "&#x2F;"), `${core.repository}/blob/main/`)
      .replaceAll(folder, `${core.repository}/blob/main/`)
      .replace(/<body[^>]*>/, (body) => `${body}${navigation(`api/${path}`)}`);
    await Deno.writeTextFile(file, html);
  }
}

/** The entries of the symbols in the API documentation. */
async function symbols(output: string): Promise<Entry[]> {
  const text = await Deno.readTextFile(`${output}/api/search_index.js`);
  const json = text.slice(text.indexOf("{", text.indexOf("INDEX =")), text.lastIndexOf("};") + 1);
  const { nodes } = JSON.parse(json);
  return nodes.map((node: { name: string; file: string; url: string; doc: string }) => ({
    title: node.name,
    page: `API: ${node.file === "." ? core.name : node.file}`,
    url: `api/${node.url.replace(/^[./]+/, "")}`,
    text: node.doc,
  }));
}

/** The links of the navigation, relative to a page. */
function navigation(path: string): string {
  const links = Object.entries(NAVIGATION).map(([target, name]) => {
    const current = target === path ? ' aria-current="page"' : "";
    return `<a href="${relative(dirname(path), target)}"${current}>${name}</a>`;
  });
  return `<nav aria-label="Site" style="display:flex;flex-wrap:wrap;gap:0.25rem 1rem">${
    links.join("\n")
  }</nav>`;
}

function page({ path, title, html }: Guide): string {
  const to = (target: string) => relative(dirname(path), target);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title.replaceAll("<", "&lt;")}</title>
<link rel="stylesheet" href="${to("style.css")}">
<script type="module" src="${to("search.js")}"></script>
${navigation(path)}
<search id="search">
<input type="search" aria-label="Search the guides and the API" placeholder="Search">
<ul id="results" aria-live="polite"></ul>
</search>
<main>
${html}
</main>
</html>
`;
}

async function run(args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).output();
  if (!success) {
    throw new Error(`Cannot run "deno ${args[0]}": ${new TextDecoder().decode(stderr)}`);
  }
}

if (import.meta.main) {
  const output = Deno.args[0] ?? `${ROOT}site`;
  await buildSite(output);
  console.log(`Built ${output}/index.html`);
}
