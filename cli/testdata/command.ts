import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The path of the tool. */
export const MAIN: string = fileURLToPath(new URL("../main.ts", import.meta.url));

/** `mate dev`, running, in a process group of its own as a terminal has it. */
export class Command implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #read: Promise<void>;
  readonly errors: Promise<string>;
  output = "";

  constructor(args: readonly string[], cwd?: string, env: Record<string, string> = {}) {
    this.#process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-lock", MAIN, "dev", ...args],
      stdout: "piped",
      stderr: "piped",
      env: { NO_COLOR: "1", ...env },
      detached: true,
      ...(cwd === undefined ? {} : { cwd }),
    }).spawn();
    this.#read = this.#readOutput();
    this.errors = new Response(this.#process.stderr).text();
  }

  async #readOutput(): Promise<void> {
    for await (const text of this.#process.stdout.pipeThrough(new TextDecoderStream())) {
      this.output += text;
    }
  }

  /** Waits until the output matches. If the command ends before, the test fails. */
  async find(pattern: RegExp): Promise<RegExpExecArray> {
    let hasEnded = false;
    this.#read.finally(() => hasEnded = true);
    for (;;) {
      const match = pattern.exec(this.output);
      if (match) return match;
      if (hasEnded) throw new Error(`${this.output}\n${await this.errors}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  kill(signal: Deno.Signal): void {
    this.#process.kill(signal);
  }

  /** Signals all processes of the command, as Ctrl-C in a terminal does. */
  killGroup(signal: Deno.Signal): void {
    Deno.kill(-this.#process.pid, signal);
  }

  async status(): Promise<number> {
    const { code } = await this.#process.status;
    await Promise.all([this.#read, this.errors]);
    return code;
  }

  async [Symbol.asyncDispose]() {
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // it has ended by itself
    }
    await this.status();
  }
}

/** A function that answers a text. */
export const greet = (text: string) =>
  `export const handler = () => ({ body: ${JSON.stringify(text)} });`;

/** The manifest of an application of one function. */
export function manifest(path: string, module = "hello.ts"): string {
  const triggers = { routes: [{ method: "GET", path }] };
  const buckets = [{ name: "files", events: ["s3:ObjectCreated:*"] }];
  const functions = { hello: { module, timeout: 10, triggers: { ...triggers, buckets } } };
  return JSON.stringify({ name: "greeter", stage: "v0", functions });
}

/** A folder with an application of one function. */
export async function createApp(): Promise<string> {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(join(folder, "app.json"), manifest("/hello"));
  await Deno.writeTextFile(join(folder, "hello.ts"), greet("Hello"));
  return folder;
}
