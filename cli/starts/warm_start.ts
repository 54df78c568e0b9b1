import type { ApplicationFunction } from "../application/types.ts";
import { fillPlaceholders, placeholdersIn } from "../manifest/variables.ts";
import { lambdaEnvironment } from "../lambda/isolation/environment.ts";
import { START } from "../lambda/isolation/passed_environment.ts";
import type { Folders, Isolation } from "../lambda/isolation/isolation.ts";
import { RuntimeApi } from "../lambda/runtime_api/runtime_api.ts";
import { prepare } from "../programs/find_program.ts";

/** The handler of a function is missing or invalid. */
export class HandlerError extends Error {}

/** The module of a function throws when it is imported. */
export class ImportError extends Error {}

/** A function does not start. */
export class StartError extends Error {}

/** The reason is the machine or its programs, not the function. */
export class MachineError extends Error {}

/** The most processor time of a start, in seconds, as on AWS Lambda. It does not depend on what else the machine does. */
const WORK_LIMIT = 10;

/** The longest time of a process that only waits, in milliseconds. A busy machine needs a part of it. */
export const WAIT_LIMIT = 120_000;

/** The status of a process that has used up its processor time. */
const OUT_OF_TIME = 128 + 24;

/** A function that is started for a short time. */
export interface WarmStart {
  /** The unpacked layer and function, and a folder for `/tmp`. */
  readonly folders: Folders;
  /** The command that starts the runtime; by default the bootstrap of the layer. */
  readonly program?: readonly [string, ...string[]] | undefined;
  /** The environment variables, as on Lambda, except the address of the Runtime API. */
  readonly environment: Readonly<Record<string, string>>;
  /** How the function is kept apart. */
  readonly isolation: Isolation;
  /** Whether the function has the network of this machine; yes by default. Without one, it tells by its standard error that it has started. */
  readonly hasNetwork?: boolean | undefined;
  /** The most processor time, in seconds; 10 by default. */
  readonly workLimit?: number | undefined;
  /** Ends the start early: the function is killed. */
  readonly signal?: AbortSignal | undefined;
  /** Is called when the process has been started. */
  readonly onStart?: (() => void) | undefined;
}

/**
 * Starts a function, waits until it asks for its first invocation, then kills it.
 *
 * @param whenStarted Is called before the function is killed, and may invoke it.
 * @returns The text that the function and its runtime wrote to their standard error.
 * @throws {HandlerError} If the handler is missing or invalid.
 * @throws {ImportError} If the module throws.
 * @throws {StartError} If the function does not start.
 * @throws The reason of the signal.
 */
export async function startFunction(
  {
    folders,
    program,
    environment,
    isolation,
    hasNetwork = true,
    signal,
    onStart,
    workLimit = WORK_LIMIT,
  }: WarmStart,
  whenStarted: (api: RuntimeApi) => Promise<void> = async () => {},
): Promise<string> {
  signal?.throwIfAborted();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {}); // The function may end after the last wait.
  await using api = await RuntimeApi.listen();
  const word = crypto.randomUUID();
  const { layer } = isolation.place(folders);
  const limited = ["/bin/sh", "-c", 'ulimit -S -t "$0" && exec "$@"', `${workLimit}`] as const;
  const command = [...limited, ...program ?? [`${layer}/bootstrap`]] as const;
  const { path, options } = isolation.command(folders, command, {
    ...environment,
    AWS_LAMBDA_RUNTIME_API: api.address,
    ...!hasNetwork && { [START]: word },
  }, hasNetwork);
  const child = prepare(path, {
    ...options,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  onStart?.();
  const [errors, messages] = hasNetwork ? [child.stderr] : child.stderr.tee();
  const log = new Response(errors).text();
  const started = messages === undefined
    ? api.started.then((error) => {
      if (error) throw initError(error.body);
    })
    : readStart(messages, word);
  void child.status.then(async ({ code }) => {
    const lastLine = (await log).trim().split("\n").at(-1);
    failed.reject(
      new StartError(
        code === OUT_OF_TIME
          ? `it takes more than ${workLimit} s of processor time`
          : `it ends with the status ${code}: ${lastLine}`,
      ),
    );
  });
  const timer = setTimeout(
    () => failed.reject(new StartError("it waits for more than 2 minutes when it starts")),
    WAIT_LIMIT,
  );
  const onAbort = () => failed.reject(signal!.reason);
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted) onAbort();
  try {
    await Promise.race([started, failed.promise]);
    clearTimeout(timer);
    await Promise.race([whenStarted(api), failed.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    kill(child);
    await child.status;
  }
  return await log;
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // the process has ended by itself
  }
}

/** Waits for the message of a start without a network. */
async function readStart(
  errors: ReadableStream<Uint8Array<ArrayBuffer>>,
  word: string,
): Promise<void> {
  let text = "";
  for await (const part of errors.pipeThrough(new TextDecoderStream())) {
    text += part;
    const [, line] = text.split(`\n${word} `);
    if (!line?.includes("\n")) continue;
    const { error, hasConnected } = JSON.parse(line.split("\n")[0]!);
    if (error === undefined) return;
    const problem = initError(new TextEncoder().encode(error));
    if (!hasConnected || problem instanceof HandlerError) throw problem;
    throw new StartError(`it has no network while it is bundled: ${problem.message}`);
  }
  await new Promise(() => {}); // The process has ended, and its status is the error.
}

function initError(body: Uint8Array): Error {
  const text = new TextDecoder().decode(body);
  try {
    const { errorType, errorMessage, stackTrace, trace = [] } = JSON.parse(text); // "trace" is that of Node.js
    // Or a line of the runtime itself.
    const isOwn = (line: string) =>
      line.startsWith("at ") && !/\b(?:ext|node):|\/var\/runtime\//.test(line);
    const lines: string[] = (stackTrace ?? trace).map((line: string) => line.trim());
    const place = (lines.find(isOwn) ?? "").replace(/(?:file:\/\/)?\/var\/task\//, "");
    const isHandler = /^Runtime\.(HandlerNotFound|CallbackHandlerDeprecated)$/.test(errorType);
    const message = `${errorType}: ${errorMessage}`;
    return isHandler
      ? new HandlerError(message)
      : new ImportError(`${message}\n    ${place}`.trim());
  } catch {
    return new StartError(text);
  }
}

/**
 * The environment of a function that is started while it is bundled. The names of deployed resources are not known yet, and no
 * secret is known here.
 */
export function startEnvironment(settings: ApplicationFunction): Record<string, string> {
  const { environment, variables: resources, secrets, net } = settings.code;
  const names = [...resources, ...Object.keys(secrets), ...net.flatMap(placeholdersIn)];
  const variables = Object.fromEntries(names.map((key) => [key, "unknown"]));
  const { NODE_OPTIONS } = settings.environment; // with the flag for the names of the author's files
  const own = lambdaEnvironment({
    ...settings,
    environment: { ...environment, ...NODE_OPTIONS !== undefined && { NODE_OPTIONS } },
  }, { task: "/var/task", logStream: "warm-up" });
  return Object.fromEntries(
    Object.entries<string>({ ...variables, ...own })
      // Only a process that may run every program may set these variables.
      .filter(([key]) => !/^(LD|DYLD)_/.test(key))
      .map(([key, value]) => [key, fillPlaceholders(value, () => "unknown")]),
  );
}
