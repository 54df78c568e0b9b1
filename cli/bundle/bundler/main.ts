/**
 * The program of the bundler's process. It reads questions from the standard input, and writes an answer for each.
 *
 * @module
 */
import { Copy } from "../externals/copy.ts";
import { MissingAddonsError } from "../externals/remedies.ts";
import type { BundlerOptions } from "../packages/types.ts";
import { Builds } from "./builds.ts";
import {
  type Answer,
  type CopyRequest,
  type CopyResult,
  encodeMessage,
  type Message,
  type Question,
  readMessages,
} from "./messages.ts";

/** The variables that esbuild gets. Only `deno info` gets the others: the keys of registries, and proxies with passwords. */
const KEPT =
  /^(PATH|HOME|USERPROFILE|SYSTEMROOT|TMPDIR|TEMP|TMP|NO_COLOR|ESBUILD_BINARY_PATH|GOGC)$/i;

if (import.meta.main) await serve(JSON.parse(Deno.args[0]!));

async function serve(options: BundlerOptions): Promise<void> {
  const environment = Deno.env.toObject();
  Object.keys(environment).filter((name) => !KEPT.test(name))
    .forEach((name) => Deno.env.delete(name));
  const builds = new Builds(options, environment);
  const output = Deno.stdout.writable.getWriter();
  const answer = (message: Message<Answer>) => {
    for (const bytes of encodeMessage(message)) void output.write(bytes);
  };
  for await (const question of readMessages<Question>(Deno.stdin.readable)) {
    const { id } = question;
    if ("copy" in question) answer({ id, copied: copy(question.copy, options) });
    else void builds.run(question.bundle).then((results) => answer({ id, results }));
  }
  await builds.stop();
}

/** Reads the files of packages, unless the tool has them. */
function copy(
  { externals, platform, target, stamp: known }: CopyRequest,
  options: BundlerOptions,
): CopyResult {
  try {
    const found = new Copy(externals, { platform, target }, options);
    const { stamp } = found;
    return stamp === known ? { stamp } : { stamp, ...found.read() };
  } catch (error) {
    return error instanceof MissingAddonsError
      ? { missing: error.missing }
      : { problem: (error as Error).message };
  }
}
