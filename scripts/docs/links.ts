import { dirname, join } from "node:path/posix";

/** The files that the site shows in the repository. */
export interface Sources {
  /** The start of the URLs of all files. */
  readonly url: string;
  /** The folder of the files on this machine. */
  readonly folder: string;
}

/** Finds the links of a site that lead to a missing file, in the site or in the sources, or to a missing anchor: `page → link`. */
export async function brokenLinks(folder: string, sources: Sources): Promise<string[]> {
  const pages = new Map<string, { links: string[]; ids: Set<string> }>();
  const files = new Set<string>();
  for (const path of filesBelow(folder)) {
    files.add(path);
    if (!path.endsWith(".html")) continue;
    const html = await Deno.readTextFile(join(folder, path));
    const all = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, value]) => plain(value!));
    pages.set(path, {
      links: all(/<(?:a|link|script|img)\b[^>]*?\s(?:href|src)="([^"]*)"/g),
      ids: new Set(all(/\sid="([^"]*)"/g)),
    });
  }
  const broken: string[] = [];
  for (const [page, { links }] of pages) {
    for (const link of links) {
      if (link.startsWith(sources.url)) {
        const [path = ""] = link.slice(sources.url.length).split("#");
        if (!await exists(join(sources.folder, path))) broken.push(`${page} → ${link}`);
        continue;
      }
      if (/^(https?:|mailto:|data:)/.test(link)) continue;
      const [path = "", anchor] = decodeURI(link).split("#");
      const file = path === ""
        ? page
        : join(dirname(page), path).replace(/\/$|^\.$/, "/index.html");
      const isThere = files.has(file.replace(/^\//, ""));
      // `deno doc` makes no anchor for the parameter of a mapped type.
      const hasAnchor = !anchor || anchor.startsWith("type_param_") ||
        pages.get(file)?.ids.has(anchor);
      if (!isThere || !hasAnchor) broken.push(`${page} → ${link}`);
    }
  }
  return broken;
}

async function exists(path: string): Promise<boolean> {
  try {
    return Boolean(await Deno.stat(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** The text of an attribute. */
function plain(value: string): string {
  return value.replaceAll(/&#x(\w+);/g, (_, code) => String.fromCodePoint(parseInt(code, 16)))
    .replaceAll("&amp;", "&");
}

/** The paths of all files of a folder. */
export function* filesBelow(folder: string, path = ""): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(join(folder, path))) {
    if (isDirectory) yield* filesBelow(folder, join(path, name));
    else yield join(path, name);
  }
}
