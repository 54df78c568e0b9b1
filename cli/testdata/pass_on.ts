/**
 * A program of a developer that passes on requests, as a proxy does. It prints its address, and then the response of each
 * request that it makes itself.
 *
 * @module
 */
import process from "node:process";

if (import.meta.main) {
  const [kind, target = ""] = Deno.args;
  // Not by "setpriv": another user may not read the folders with Deno and this file.
  if (kind === "of another user") process.seteuid!(1500);
  if (kind === "worker") {
    for await (const line of linesOf(Deno.stdin.readable)) {
      console.log(JSON.stringify(await read(target + line)));
    }
  } else {
    const worker = kind === "with a worker" ? startWorker(target) : undefined;
    const onListen = ({ port }: { port: number }) => console.log(`http://127.0.0.1:${port}`);
    Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, async ({ url }) => {
      const { pathname } = new URL(url);
      return new Response(await (worker?.(pathname) ?? read(target + pathname)));
    });
    for await (const line of linesOf(Deno.stdin.readable)) {
      console.log(JSON.stringify(await read(line)));
    }
  }
}

/** Makes a request as a browser does. Returns where the response leads, or else its text. */
async function read(url: string): Promise<string> {
  const response = await fetch(url, { headers: { accept: "text/html" }, redirect: "manual" });
  const text = await response.text();
  return response.headers.get("location") ?? text;
}

/** Starts a process that makes the requests. */
function startWorker(target: string) {
  const args = ["run", "-A", "--no-config", "--no-lock", import.meta.filename!, "worker", target];
  const { stdin, stdout } = new Deno.Command(Deno.execPath(), {
    args,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = stdin.getWriter();
  const lines = linesOf(stdout);
  return async (path: string): Promise<string> => {
    await writer.write(new TextEncoder().encode(`${path}\n`));
    return JSON.parse((await lines.next()).value!);
  };
}

/** Reads the lines of a stream. */
export async function* linesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}

/** A running program that passes on requests. It has a process group of its own, as programs on a terminal have. */
export class Passer implements AsyncDisposable {
  readonly url: string;
  readonly #child: Deno.ChildProcess;
  readonly #lines: AsyncGenerator<string, undefined>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;

  private constructor(
    child: Deno.ChildProcess,
    lines: AsyncGenerator<string, undefined>,
    url: string,
  ) {
    this.#child = child;
    this.#lines = lines;
    this.#writer = child.stdin.getWriter();
    this.url = url;
  }

  /**
   * Starts the program.
   *
   * @param target Where it passes requests on to.
   * @param before What runs the program, such as `unshare`.
   */
  static async start(
    kind: "alone" | "with a worker" | "of another user",
    target: string,
    before: readonly string[] = [],
  ): Promise<Passer> {
    const deno = [Deno.execPath(), "run", "-A", "--no-config", "--no-lock", import.meta.filename!];
    const [program, ...args] = [...before, ...deno, kind, target];
    const options = { args, stdin: "piped", stdout: "piped", detached: true } as const;
    const child = new Deno.Command(program!, options).spawn();
    const lines = linesOf(child.stdout);
    return new Passer(child, lines, (await lines.next()).value!);
  }

  /** Lets the program make a request. Returns the response. */
  async request(url: string): Promise<string> {
    await this.#writer.write(new TextEncoder().encode(`${url}\n`));
    return JSON.parse((await this.#lines.next()).value!);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    Deno.kill(-this.#child.pid, "SIGKILL");
    await this.#lines.return(undefined);
    await this.#writer.abort().catch(() => {}); // The program has ended.
    await this.#child.status;
  }
}
