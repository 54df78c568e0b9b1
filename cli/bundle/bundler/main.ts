/**
 * The program of the bundler's process. It reads requests from the standard input, one JSON text in each line, and writes
 * an answer for each request.
 *
 * @module
 */
import { MissingAddonsError } from "./natives/remedies.ts";
import { Builds } from "./builds.ts";
import type {
  BundlerAnswer,
  BundlerOptions,
  CopyRequest,
  CopyResult,
  FileAnswer,
  Question,
} from "./messages.ts";

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
  const answer = (value: BundlerAnswer) => {
    const bytes = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
    writing = writing.then(() => writeAll(bytes));
  };
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const question: Question = JSON.parse(line);
      const { id } = question;
      if ("copy" in question) copy(builds, question.copy, (part) => answer({ id, ...part }));
      else void builds.run(question.bundle).then((results) => answer({ id, results }));
    }
  }
  await builds.stop();
}

/** Answers with the files of native packages, each in a line, unless the tool has them. */
function copy(
  builds: Builds,
  request: CopyRequest,
  answer: (part: { readonly file: FileAnswer } | { readonly copied: CopyResult }) => void,
): void {
  try {
    const found = builds.copy(request);
    const { stamp } = found;
    if (stamp === request.stamp) return answer({ copied: { stamp } });
    const { files, warnings } = found.read();
    for (const { data, ...file } of files) answer({ file: { ...file, data: data.toBase64() } });
    answer({ copied: { stamp, warnings } });
  } catch (error) {
    answer({
      copied: error instanceof MissingAddonsError
        ? { missing: error.missing }
        : { problem: (error as Error).message },
    });
  }
}

async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await Deno.stdout.write(rest));
}
