/** Formats Markdown as the files of the repository are formatted. */
export async function formatMarkdown(text: string): Promise<string> {
  const config = new URL("../deno.json", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext=md", `--config=${config}`, "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  await new Response(text).body!.pipeTo(child.stdin);
  return new TextDecoder().decode((await child.output()).stdout);
}

/** Writes a table of Markdown. The first row is the head. */
export function tableOf([head = [], ...rows]: readonly (readonly string[])[]): string {
  return [head, head.map(() => "-"), ...rows]
    .map((cells) => `| ${cells.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
}
