/**
 * The program of the bundler's process. It reads requests from the standard input, one JSON text in each line, and writes
 * an answer for each request.
 *
 * @module
 */
import { MissingAddonsError } from "../externals/remedies.ts";
import { Builds } from "./builds.ts";
import type {
  AnswerLine,
  BundlerAnswer,
  BundleResult,
  BundlerOptions,
  CopyRequest,
  Question,
} from "../packages/messages.ts";

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
  const answer = (id: number, { contents, ...said }: Answer) => {
    const line: AnswerLine = { id, ...said, sizes: contents.map(({ length }) => length) };
    const head = new TextEncoder().encode(`${JSON.stringify(line)}\n`);
    for (const bytes of [head, ...contents]) writing = writing.then(() => writeAll(bytes));
  };
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const question: Question = JSON.parse(line);
      const { id } = question;
      if ("copy" in question) answer(id, copy(builds, question.copy));
      else void builds.run(question.bundle).then((results) => answer(id, shorten(results)));
    }
  }
  await builds.stop();
}

/** An answer, and the bytes that follow it. */
interface Answer extends BundlerAnswer {
  readonly contents: readonly Uint8Array[];
}

/** Takes the texts out of bundles. */
function shorten(results: readonly BundleResult[]): Answer {
  const encoder = new TextEncoder();
  const contents: Uint8Array[] = [];
  return {
    contents,
    results: results.map(({ bundle, problem }) => {
      if (bundle === undefined) return { problem };
      const { code, map, ...rest } = bundle;
      contents.push(encoder.encode(code), encoder.encode(map));
      return { bundle: rest };
    }),
  };
}

/** Finds the files of packages, unless the tool has them. */
function copy(builds: Builds, request: CopyRequest): Answer {
  try {
    const found = builds.copy(request);
    const { stamp } = found;
    if (stamp === request.stamp) return { copied: { stamp }, contents: [] };
    const { files: read, warnings } = found.read();
    const files = read.map(({ path, isExecutable }) => ({ path, isExecutable }));
    return { copied: { stamp, files, warnings }, contents: read.map(({ data }) => data) };
  } catch (error) {
    const copied = error instanceof MissingAddonsError
      ? { missing: error.missing }
      : { problem: (error as Error).message };
    return { copied, contents: [] };
  }
}

async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await Deno.stdout.write(rest));
}
