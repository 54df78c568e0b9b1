import { accessProblem } from "./access_problem.ts";

export interface Diagnostic {
  readonly severity: "error" | "warning";
  readonly summary: string;
  readonly detail?: string;
  readonly address?: string;
}

export class TerraformError extends Error {
  constructor(command: string, readonly diagnostics: readonly Diagnostic[]) {
    const problems = diagnostics.map(({ summary, detail, address }) => {
      return [address && `${address}:`, summary, detail && `\n${detail}`].filter(Boolean).join(" ");
    });
    const text = problems.join("\n\n");
    const problem = accessProblem(text);
    super(`terraform ${command} failed${problem ? `: ${problem}` : `\n\n${text}`}`);
    this.name = "TerraformError";
  }
}

/** Runs Terraform in a folder. */
export class Terraform {
  /** The signal lets Terraform finish the requests under way, write its state, and end. */
  constructor(
    readonly program: string,
    readonly folder: string,
    private readonly env: Readonly<Record<string, string>>,
    private readonly signal: AbortSignal,
  ) {}

  /** Runs a command that prints one text, such as `output`; returns the text. */
  async read(...args: readonly string[]): Promise<string> {
    let output = "";
    const { code, errors } = await this.#run(args, (line) => output += `${line}\n`);
    if (code !== 0) throw new TerraformError(args[0]!, [{ severity: "error", summary: errors }]);
    return output;
  }

  /**
   * Runs a command that reports with `-json`: `plan` or `apply`.
   *
   * @throws {TerraformError} If the command fails.
   */
  async run(args: readonly string[], report: (line: string) => void = () => {}): Promise<void> {
    const [command = "", ...rest] = args;
    const diagnostics: Diagnostic[] = [];
    const { code, errors } = await this.#run([command, "-json", ...rest], (line) => {
      if (!line.startsWith("{")) return;
      const { type, diagnostic, hook, "@message": message } = JSON.parse(line);
      if (diagnostic?.severity === "error") diagnostics.push(diagnostic);
      const isRead = hook?.action === "read"; // of a data source
      if (type === "apply_complete" && !isRead) report(message);
    });
    if (code === 0) return;
    if (diagnostics.length === 0) diagnostics.push({ severity: "error", summary: errors });
    throw new TerraformError(command, diagnostics);
  }

  /** Runs Terraform in a session of its own: Ctrl-C and a closed terminal reach Terraform by the signal alone, once. */
  async #run(args: readonly string[], readLine: (line: string) => void) {
    const child = new Deno.Command(this.program, {
      args: [...args],
      cwd: this.folder,
      env: { ...this.env, TF_IN_AUTOMATION: "1", TF_INPUT: "0", CHECKPOINT_DISABLE: "1" },
      detached: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const stop = () => child.kill("SIGINT");
    this.signal.addEventListener("abort", stop, { once: true });
    try {
      const [{ code }, errors] = await Promise.all([
        child.status,
        new Response(child.stderr).text(),
        readLines(child.stdout, readLine),
      ]);
      return { code, errors: errors.trim() };
    } finally {
      this.signal.removeEventListener("abort", stop);
    }
  }
}

async function readLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  read: (line: string) => void,
) {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    lines.forEach(read);
  }
  if (rest !== "") read(rest);
}
