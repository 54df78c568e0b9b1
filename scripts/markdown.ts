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
