import type { Folders, Isolation } from "../platform/isolation/isolation.ts";
import type { Answer } from "../platform/runtime_api/answer.ts";
import { RuntimeApi } from "../platform/runtime_api/runtime_api.ts";
import { compiledSpecifiers, rewriteCaches } from "./cache_database.ts";

/** What is to be warmed up. */
export interface WarmUp {
  /** The unpacked layer and function, and a folder for `/tmp` that anyone may write to. */
  readonly folders: Folders & { readonly tmp: string };
  /** The environment variables, as on Lambda but for the Runtime API's address. */
  readonly environment: Readonly<Record<string, string>>;
  /** How the function is started. */
  readonly isolation: Isolation;
  /** Ends the warm-up early: the function is killed. */
  readonly signal?: AbortSignal | undefined;
}

/** Why a function has no code cache. */
export interface WarmUpProblem {
  /** What its module has is no handler, it does not start for another reason, or only the cache is of no use. */
  readonly kind: "no handler" | "no start" | "no cache";
  /** What is wrong. */
  readonly message: string;
}

/** What a warm-up made: the files of a `DENO_DIR` by name, or why there are none. */
export type WarmUpResult =
  | { readonly files: ReadonlyMap<string, Uint8Array> }
  | { readonly problem: WarmUpProblem };

const INIT_LIMIT = 10_000;
const CACHE_LIMIT = 3_000;

/**
 * Starts a function up to its first request for an invocation, and takes what Deno then has in its caches: V8's compiled
 * code of every module, and what they import. The compiled code belongs to one version of Deno and one architecture.
 *
 * @param warmUp The function, and how it is started.
 * @returns The files, for `/opt` and `/var/task`.
 * @throws What the signal gives as its reason.
 */
export async function warmCodeCache(warmUp: WarmUp): Promise<WarmUpResult> {
  const { folders, isolation } = warmUp;
  const place = isolation.place(folders);
  const run = await start(warmUp, `${place.tmp}/deno`, false);
  const denoDir = `${folders.tmp}/deno`;
  const files = [`${place.layer}/mate/bootstrap.js`, `${place.task}/index.js`]
    .map((path) => `file://${path}`);
  try {
    const problem = await run.started;
    if (problem !== undefined) return { problem };
    if (!await isCompiled(denoDir, files)) {
      return { problem: noCache("Deno keeps no compiled code of it") };
    }
  } finally {
    await run.end();
  }
  return {
    files: await rewriteCaches(
      denoDir,
      (specifier) =>
        specifier.replace(`file://${place.layer}/`, "file:///opt/")
          .replace(`file://${place.task}/`, "file:///var/task/"),
    ),
  };
}

/**
 * Checks that V8 takes the compiled code that a function comes with.
 *
 * @param warmUp The function, unpacked with its cache where it is on Lambda.
 * @returns Why the cache is of no use, or `undefined`.
 * @throws What the signal gives as its reason.
 */
export async function checkCodeCache(warmUp: WarmUp): Promise<WarmUpProblem | undefined> {
  const run = await start(warmUp, "/tmp/deno", true);
  let problem: WarmUpProblem | undefined;
  try {
    problem = await run.started;
  } finally {
    await run.end();
  }
  if (problem !== undefined) return problem;
  const log = await run.log;
  if (log.includes("Updating V8 code cache")) return noCache("V8 does not take the compiled code");
  const { layer, task } = warmUp.isolation.place(warmUp.folders);
  const isFound = [`${layer}/mate/bootstrap.js`, `${task}/index.js`].every((path) =>
    log.includes(`V8 code cache hit for ES module: file://${path}`)
  );
  return isFound ? undefined : noCache("Deno does not find it");
}

/** Waits until Deno has kept the code of some modules, and adds no more. */
async function isCompiled(denoDir: string, specifiers: readonly string[]): Promise<boolean> {
  let before = -1;
  let unchanged = 0;
  for (const end = Date.now() + CACHE_LIMIT; Date.now() < end;) {
    const kept = await compiledSpecifiers(denoDir);
    unchanged = kept.length === before ? unchanged + 1 : 0;
    before = kept.length;
    if (unchanged >= 4 && specifiers.every((specifier) => kept.includes(specifier))) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

interface Run {
  /** What went wrong, or `undefined`: the function asked for its first invocation. */
  readonly started: Promise<WarmUpProblem | undefined>;
  /** What it wrote to its errors. */
  readonly log: Promise<string>;
  end(): Promise<void>;
}

async function start(
  { folders, environment, isolation, signal }: WarmUp,
  denoDir: string,
  isLogged: boolean,
): Promise<Run> {
  signal?.throwIfAborted();
  const outcome = Promise.withResolvers<WarmUpProblem | undefined>();
  const api = await RuntimeApi.listen({
    onNext: () => outcome.resolve(undefined),
    onInitError: (error) => outcome.resolve(describe(error)),
    onAnswer: () => {},
  });
  const { path, options } = isolation.command(folders, [
    `${isolation.place(folders).layer}/bootstrap`,
  ], {
    ...environment,
    AWS_LAMBDA_RUNTIME_API: api.address,
    DENO_DIR: denoDir,
    ...(isLogged ? { DENO_LOG: "debug" } : {}),
  });
  const child = new Deno.Command(path, {
    ...options,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const log = new Response(child.stderr).text();
  const timer = setTimeout(
    () => outcome.resolve(noCache("it takes more than 10 s to start")),
    INIT_LIMIT,
  );
  void child.status.then(async ({ code }) => {
    const lines = (await log).trim().split("\n");
    const message = `it ends with the status ${code}: ${lines.at(-1)}`;
    outcome.resolve({ kind: "no start", message });
  });
  const onAbort = () => outcome.reject(signal!.reason);
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted) onAbort();
  return {
    started: outcome.promise,
    log,
    async end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      try {
        child.kill("SIGKILL");
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // it has ended by itself
      }
      await child.status;
      await api[Symbol.asyncDispose]();
    },
  };
}

function noCache(message: string): WarmUpProblem {
  return { kind: "no cache", message };
}

function describe({ body }: Answer & { kind: "error" }): WarmUpProblem {
  const text = new TextDecoder().decode(body);
  try {
    const { errorType, errorMessage } = JSON.parse(text);
    const isHandler = /^Runtime\.(HandlerNotFound|CallbackHandlerDeprecated)$/.test(errorType);
    const kind = isHandler ? "no handler" : "no start";
    return { kind, message: `${errorType}: ${errorMessage}` };
  } catch {
    return { kind: "no start", message: text };
  }
}
