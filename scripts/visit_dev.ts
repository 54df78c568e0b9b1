import { startProgram } from "../testdata/programs.ts";

/** Starts `mate dev`, sends a request, and ends the command. Returns the body of the response and the exit status. */
export async function visitDev(
  program: string,
  args: readonly string[],
  path: string,
  options: Pick<Deno.CommandOptions, "cwd" | "env">,
): Promise<[body: string, code: number]> {
  await using child = startProgram(program, {
    ...options,
    args: [...args],
    stdout: "piped",
    stderr: "piped",
  });
  const errors = new Response(child.stderr).text();
  let output = "";
  let body: string | undefined;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    const origin = /Base URL {4}(http:\/\/localhost:\d+)\//.exec(output)?.[1];
    if (origin === undefined || body !== undefined) continue;
    body = await (await fetch(origin + path)).text();
    child.kill("SIGTERM");
  }
  const { code } = await child.status;
  if (body === undefined) throw new Error(`Cannot start "mate dev":\n${output}\n${await errors}`);
  return [body, code];
}
