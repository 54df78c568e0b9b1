import { marked, type Tokens } from "marked";
import { dirname, join, relative } from "node:path/posix";

/** A page of the site, made from a Markdown file of the project. */
export interface Guide {
  /** The path in the site, such as `docs/gateway.html`. */
  readonly path: string;
  readonly title: string;
  /** The content, as HTML. */
  readonly html: string;
  /** The headings and the text below each, for the search. */
  readonly sections: readonly { id: string; heading: string; text: string }[];
}

/** The path in the site of a Markdown file. A README is the index of its folder. */
function pagePath(file: string): string {
  return file.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html");
}

/**
 * Renders a Markdown file.
 *
 * @param file The path of the file in the project.
 * @param text The content of the file.
 * @param files The Markdown files of the site. Links to other files lead to the repository.
 * @param repository The URL of the repository.
 */
export function renderGuide(
  file: string,
  text: string,
  files: readonly string[],
  repository: string,
): Guide {
  const path = pagePath(file);
  const sections: { id: string; heading: string; text: string }[] = [];
  const ids = new Map<string, number>();
  const tokens = marked.lexer(text);
  marked.walkTokens(tokens, (token) => {
    if (token.type === "link" || token.type === "image") {
      token["href"] = target(token["href"], file, files, repository);
    }
  });
  const parts = tokens.map((token) => {
    if (token.type === "heading") {
      const { depth, text, tokens } = token as Tokens.Heading;
      const plain = text.replaceAll(/[`*_]|\]\([^)]*\)|\[/g, "");
      const slug = anchorOf(plain);
      const count = ids.get(slug) ?? 0;
      ids.set(slug, count + 1);
      const id = count === 0 ? slug : `${slug}-${count}`;
      sections.push({ id, heading: plain, text: "" });
      return `<h${depth} id="${id}">${
        marked.parseInline(marked.Parser.parseInline(tokens))
      }</h${depth}>`;
    }
    const section = sections.at(-1);
    if (section && "raw" in token && token.type !== "code") section.text += ` ${token.raw}`;
    const html = marked.parser([token]);
    // A wide table scrolls by itself, so that the page fits a phone.
    return token.type === "table" ? `<div class="wide" tabindex="0">${html}</div>` : html;
  });
  return { path, title: sections[0]?.heading ?? path, html: parts.join("\n"), sections };
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\p{L}\p{N} -]/gu, "").replaceAll(" ", "-");
}

/** The target of a link in the site. */
function target(
  href: string,
  file: string,
  files: readonly string[],
  repository: string,
): string {
  if (/^([a-z]+:|#)/.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const wanted = join(dirname(file), path).replace(/\/$/, "");
  const page = [wanted, join(wanted, "README.md")].find((path) => files.includes(path));
  if (page === undefined && !/\.(png|svg)$/.test(wanted)) {
    return `${repository}/blob/main/${wanted}`;
  }
  const inSite = relative(dirname(pagePath(file)), page ? pagePath(page) : wanted);
  return anchor === undefined ? inSite : `${inSite}#${anchor}`;
}
