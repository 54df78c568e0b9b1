import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { prepare } from "../programs/find_program.ts";

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
    const text = [...new Set(problems)].join("\n\n"); // a fault of the manifest may concern every function
    const problem = accessProblem(text);
    super(`terraform ${command} failed${problem ? `: ${problem}` : `\n\n${text}`}`);
    this.name = "TerraformError";
  }
}

/** The settings of Terraform, for every command. */
const SETTINGS = {
  TF_IN_AUTOMATION: "1",
  TF_INPUT: "0",
  CHECKPOINT_DISABLE: "1",
  // By default, Terraform and its provider for AWS spend a quarter of their time on the collection of garbage.
  GOGC: "400",
  GOMEMLIMIT: "1GiB",
};

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

  /** Runs Terraform in its own session. So Ctrl-C reaches Terraform only once, through the signal. */
  async #run(args: readonly string[], readLine: (line: string) => void) {
    const child = prepare(this.program, {
      args: [...args],
      cwd: this.folder,
      env: { ...this.env, ...SETTINGS },
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

async function readLines(stream: ReadableStream<Uint8Array>, read: (line: string) => void) {
  for await (const line of createInterface({ input: Readable.fromWeb(stream) })) read(line);
}

/** The errors of Terraform and the AWS SDK that a user can solve, each with the remedy. */
const PROBLEMS: readonly (readonly [problem: RegExp, remedy: string])[] = [
  [
    /invalid AWS region.*|missing region value|region is missing/i,
    'set "region" in the manifest, or AWS_REGION, to a region of AWS',
  ],
  [/failed to get shared config profile.*/, "name a profile of ~/.aws/config in AWS_PROFILE"],
  [
    /S3 bucket "[^"]*" does not exist/,
    'make the bucket of "state" first, such as with "aws s3 mb", or name another',
  ],
  [
    /requested bucket from "[^"]*", actual location "[^"]*"/,
    'name a bucket of the region of the deployment in "state"',
  ],
  [
    /CloudWatch Logs role ARN must be set.*/,
    'set "settings.logs.requests" to false, or make the role: docs/settings.md',
  ],
  [
    /locked\s+provider\s+\S+\/hashicorp\/aws\s+\S+\s+does\s+not\s+match\s+configured\s+version\s+constraint[^;]*/,
    'set "provider" in the manifest to a version that the folder infra takes, such as "6.73.0"',
  ],
  [
    /the\s+\w+\s+package\s+for\s+\S+\/hashicorp\/aws\s+[^;:]+\s(?:doesn't|does\s+not)\s+match\s+any\s+of\s+the\s+checksums/,
    "if you trust the place that it comes from, remove its block from the lock file beside the manifest",
  ],
  [/dial tcp: lookup registry\..*/, "check the network"],
  [/dial tcp.*|getaddrinfo.*|connect E[A-Z]+.*/, "check the network and the region"],
  [
    /no valid credential sources found|could not load credentials.*/i,
    'log in first, such as with "aws sso login" or AWS_PROFILE',
  ],
  [
    /(?:ExpiredToken|InvalidClientTokenId|UnrecognizedClient|InvalidSignature|SignatureDoesNotMatch).*/,
    'log in again, such as with "aws sso login" or AWS_PROFILE',
  ],
  [/.*(?:SSO|token|session).*(?:expired|invalid).*/i, 'log in again, such as with "aws sso login"'],
];

/** Returns the line of an error message that a user can solve, with the remedy; `undefined` for other messages. */
export function accessProblem(message: string): string | undefined {
  for (const [problem, remedy] of PROBLEMS) {
    const [found] = problem.exec(message) ?? [];
    // Terraform wraps long lines.
    if (found !== undefined) return `${found.trim().replaceAll(/\s+/g, " ")} (${remedy})`;
  }
  return undefined;
}

/**
 * Refuses to delete anything if a resource of the folder `infra` has `prevent_destroy`.
 *
 * @throws {Error} If a resource has it. The message says how to delete or keep the resource.
 */
export async function checkDestroyable(terraform: Terraform): Promise<void> {
  try {
    await terraform.run(["plan", "-destroy"]);
  } catch (error) {
    if (!(error instanceof TerraformError)) throw error;
    const addresses = new Set(
      error.diagnostics.flatMap(({ detail = "" }) =>
        /^Resource (\S+) has lifecycle\.prevent_destroy/.exec(detail)?.[1] ?? []
      ),
    );
    if (addresses.size === 0) throw error;
    const names = [...addresses].join(", ");
    const quoted = [...addresses].map((address) => `'${address}'`).join(" ");
    const message = [
      `Cannot delete ${names}: "prevent_destroy" in the folder infra forbids it, so nothing was deleted.`,
      'To delete the resource with its data, remove "prevent_destroy" in infra/, and run "mate undeploy" again.',
      'To keep the resource in the account, let Terraform forget it, and run "mate undeploy" again:',
      `  ${terraform.program} -chdir="${terraform.folder}" state rm ${quoted}`,
    ].join("\n");
    throw new Error(message, { cause: error });
  }
}
