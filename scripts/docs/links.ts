import { dirname, join } from "node:path/posix";

/** Finds the links of a site that lead to a file or an anchor that the site does not have: `page → link`. */
export async function brokenLinks(folder: string): Promise<string[]> {
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
