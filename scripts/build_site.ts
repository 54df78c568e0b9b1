/**
 * Builds the site with VitePress: the Markdown pages of the repository, the keys of the manifest, and the API of all modules.
 * The packages are those of the lock file in site/; nothing else loads them.
 *
 * @module
 */
import core from "../deno.json" with { type: "json" };
import { succeed } from "../testdata/programs.ts";
import { ROOT } from "./packages/metadata.ts";

const HERE = new URL("site/", import.meta.url);
const WORK = new URL(".mate/site/", ROOT);
const PAGES = new URL("pages/", WORK);
const FILES = "https://github.com/mate/core/blob/main/";

interface Item {
  text: string;
  link?: string;
  items?: Item[];
}

const read = (path: string) => Deno.readTextFile(new URL(path, ROOT));

async function write(path: string, text: string): Promise<void> {
  const file = new URL(path, PAGES);
  await Deno.mkdir(new URL(".", file), { recursive: true });
  await Deno.writeTextFile(file, text);
}

/** The path of a page on the site: a README is the page of its folder. */
const pathOf = (path: string) =>
  path === "README.md" ? "about.md" : path.replace(/(^|\/)README\.md$/, "$1index.md");

/** Rewrites the links of a page: to pages of the site as they are named there, and to other files on GitHub. */
function withLinks(text: string, path: string, sources: readonly string[]): string {
  const parts = text.split(/(^ *```[^]*?^ *```$)/m);
  return parts.map((part, index) => {
    if (index % 2 === 1) return part;
    return part.replaceAll(
      /(!?\[[^\]]*\])\(([^)\s]+)\)/g,
      (whole, label, link) => {
        if (/^([a-z]+:|#)/.test(link)) return whole;
        const [file = "", anchor] = link.split("#");
        const target = new URL(file, new URL(path, "file:///")).pathname.slice(
          1,
        );
        const end = anchor === undefined ? "" : `#${anchor}`;
        if (target === "cli/manifest/schema.json") return `${label}(/manifest.md${end})`;
        if (sources.includes(target)) {
          return `${label}(/${pathOf(target)}${end})`;
        }
        return label.startsWith("!") ? `${label}(/${target})` : `${label}(${FILES}${target}${end})`;
      },
    );
  }).join("");
}

const titleOf = (text: string) =>
  (/^# (.+)$/m.exec(text)?.[1] ?? "").replaceAll("`", "").replace(/: @mate\/\S+$/, "");

/** The groups of docs/README.md, each with the pages that it links. */
async function guides(sources: readonly string[]): Promise<Item[]> {
  const groups = (await read("docs/README.md")).split(/^## /m).slice(1);
  return await Promise.all(groups.map(async (group): Promise<Item> => {
    const files = [...group.matchAll(/\]\(([\w]+\.md)\)/g)].map(([, file]) => `docs/${file}`)
      .filter((file) => sources.includes(file));
    const items = files.map(async (file) => ({
      text: titleOf(await read(file)),
      link: `/${file.replace(/\.md$/, "")}`,
    }));
    return { text: group.split("\n")[0]!, items: await Promise.all(items) };
  }));
}

/** Writes the reference of the API, one page for each entry point. */
async function api(): Promise<Item[]> {
  const args = [
    "node_modules/typedoc/bin/typedoc",
    "--options",
    "typedoc.json",
  ];
  await succeed("node", args, { cwd: HERE });
  const items: Item[] = [];
  const folder = new URL("api/", PAGES);
  const walk = async (path: string): Promise<void> => {
    for await (
      const { name, isDirectory } of Deno.readDir(new URL(path, folder))
    ) {
      if (isDirectory) await walk(`${path}${name}/`);
      else if (name !== "index.md") {
        const text = `${path}${name}`.replace(/\.md$/, "").replace(/\/mod$/, "")
          .replace(/^mod$/, "@mate/core");
        items.push({ text, link: `/api/${path}${name.replace(/\.md$/, "")}` });
        const file = new URL(`${path}${name}`, folder);
        const content = await Deno.readTextFile(file);
        await Deno.writeTextFile(file, `---\neditLink: false\noutline: 2\n---\n\n${content}`);
      }
    }
  };
  await walk("");
  return items.toSorted((a, b) => a.text.localeCompare(b.text));
}

/** The beginning of the site: the code and the comparison of README.md. */
async function landing(): Promise<string> {
  const readme = await read("README.md");
  const section = (heading: string) =>
    readme.split(`\n## ${heading}\n`)[1]!.split("\n## ")[0]!.trim();
  const page = await Deno.readTextFile(new URL("landing.md", HERE));
  return page.replaceAll(/<!-- README: (.+) -->/g, (_, heading) => section(heading));
}

/** Builds the site into a folder. Its pages lie below `base`. The packages have to be installed. */
export async function build(out: string, base = "/core/"): Promise<void> {
  await Deno.remove(WORK, { recursive: true }).catch(() => {});
  await Deno.mkdir(PAGES, { recursive: true });
  // The pages import the packages of VitePress.
  await Deno.symlink(
    new URL("node_modules", HERE),
    new URL("node_modules", WORK),
  );
  const sources = (await succeed("git", ["ls-files", "*.md"], { cwd: ROOT }))
    .split("\n")
    .filter((path) => path && !/^\.|testdata|^scripts\/|AGENTS/.test(path));
  for (const path of sources) {
    const text = withLinks(await read(path), path, sources);
    await write(pathOf(path), `---\nsource: ${path}\n---\n\n${text}`);
  }
  await write("index.md", withLinks(await landing(), "README.md", sources));
  await succeed(Deno.execPath(), ["run", "-A", "scripts/manifest_reference.ts"], { cwd: ROOT });
  const manifest = (await read(".mate/manifest.md")).replace(/^---\n[^]*?\n---\n/, "");
  const source = "---\nsource: cli/manifest/schema.json\n---\n";
  await write("manifest.md", source + withLinks(manifest, ".mate/manifest.md", sources));
  const groups = await guides(sources);
  const list = groups.map(({ text, items }) =>
    [
      `## ${text}`,
      "",
      ...items!.map((item) => `- [${item.text}](${FILES}${item.link!.slice(1)}.md)`),
      "",
    ].join("\n")
  );
  await write(
    "public/llms.txt",
    `# @mate/core\n\n> ${core.name}: functions on AWS Lambda.\n\n${list.join("\n")}`,
  );
  for (const picture of ["docs/trace.png", "docs/start_page.png"]) {
    await Deno.mkdir(new URL("public/docs/", PAGES), { recursive: true });
    await Deno.copyFile(
      new URL(picture, ROOT),
      new URL(`public/${picture}`, PAGES),
    );
  }
  const sidebar = [
    ...groups,
    {
      text: "The manifest",
      items: [{ text: "Every key of app.json", link: "/manifest" }],
    },
    { text: "API", items: await api() },
  ];
  await Deno.writeTextFile(
    new URL("pages.json", WORK),
    JSON.stringify({ out, base, version: core.version, sidebar }),
  );
  await succeed("node", ["node_modules/vitepress/bin/vitepress.js", "build"], { cwd: HERE });
}

if (import.meta.main) {
  await succeed("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: HERE,
  });
  await build(new URL("site", ROOT).pathname);
}
