/**
 * The program of the bundler's process. It reads requests from the standard input, one JSON text in each line, and writes
 * an answer for each request.
 *
 * @module
 */
import { Builds } from "./builds.ts";
import type { Answer, BundlerOptions, Request } from "./messages.ts";

/** The variables that esbuild gets. Only `deno info` gets the others: the keys of registries, and proxies with passwords. */
const KEPT = [
  ...["PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP"],
  ...["NO_COLOR", "ESBUILD_BINARY_PATH", "GOGC"],
];

if (import.meta.main) await serve(JSON.parse(Deno.args[0]!));

async function serve(options: BundlerOptions): Promise<void> {
  const environment = Deno.env.toObject();
  Object.keys(environment).filter((name) => !KEPT.includes(name.toUpperCase()))
    .forEach((name) => Deno.env.delete(name));
  const builds = new Builds(options, environment);
  let writing = Promise.resolve();
  const answer = (value: Answer) => {
    const bytes = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
    writing = writing.then(() => writeAll(bytes));
  };
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const request: Request = JSON.parse(line);
      void builds.run(request).then((results) => answer({ id: request.id, results }));
    }
  }
  await builds.stop();
}

async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await Deno.stdout.write(rest));
}
