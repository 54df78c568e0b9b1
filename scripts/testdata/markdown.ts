/** Reads the Markdown of the project for tests. */

const ROOT = new URL("../../", import.meta.url);

/** Returns the text below a heading of the second level, up to the next one. */
export async function sectionOf(file: string, heading: string): Promise<string> {
  const text = await Deno.readTextFile(new URL(file, ROOT));
  const section = text.split(`\n## ${heading}\n`)[1];
  if (section === undefined) throw new Error(`There is no heading "${heading}" in ${file}`);
  return section.split("\n## ")[0]!;
}

/**
 * Imports a block of code.
 *
 * @param section The Markdown.
 * @param fence What the fence of the block says, such as `js ignore`; the first such block counts.
 * @param versions The versions of npm packages that the block imports.
 * @returns The exported handler.
 */
export async function importBlock<Handler>(
  section: string,
  fence: string,
  versions: Readonly<Record<string, string>> = {},
): Promise<Handler> {
  const code = section.split(`\`\`\`${fence}\n`)[1]!.split("\n```")[0]!
    .replaceAll(
      / from "((?:@[^/"]+\/)?[^/"]+)/g,
      (text, name) => versions[name] ? ` from "npm:${name}@${versions[name]}` : text,
    );
  const type = fence.startsWith("ts") ? "typescript" : "javascript";
  const { handler } = await import(`data:application/${type},${encodeURIComponent(code)}`);
  return handler;
}
