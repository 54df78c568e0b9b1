import { exists, type Tools } from "./tools.ts";

/** How a script ended, and what it printed. */
export interface Outcome {
  readonly code: number;
  /** Both outputs, in order of arrival. */
  readonly output: string;
}

/** How to run a script. */
export interface RunOptions {
  /** Variables over those of the checkout; `undefined` unsets one. */
  readonly env?: Record<string, string | undefined>;
  /** What is typed at a terminal; without it, the input is none. */
  readonly typed?: string;
  /** What is piped into it. */
  readonly piped?: string;
  /** Called with all that was printed so far, and with the process group of the script. */
  readonly watch?: (output: string, group: number) => void;
}

const SKIPPED = new Set([
  ".git",
  ".state",
  ".mate",
  ".terraform",
  "coverage",
  "dist",
  "node_modules",
  "npm",
]);

/** A copy of the project, in a folder with spaces in its name, whose scripts deploy to an emulator. */
export class Checkout implements AsyncDisposable {
  /** The folder. */
  readonly folder: string;
  readonly #parent: string;
  readonly #env: Record<string, string>;

  private constructor(parent: string, folder: string, env: Record<string, string>) {
    this.#parent = parent;
    this.folder = folder;
    this.#env = env;
  }

  /** Copies the project. */
  static async make(root: URL, tools: Tools, endpoint: string): Promise<Checkout> {
    const parent = await Deno.makeTempDir({ prefix: "deploy " });
    const folder = `${parent}/a copy`;
    await copy(root.pathname, folder);
    await Deno.mkdir(`${parent}/bin`);
    await Deno.symlink(Deno.execPath(), `${parent}/bin/deno`);
    await Deno.mkdir(`${parent}/home`);
    const mirror = tools.plugins &&
      `filesystem_mirror {\n path = ${JSON.stringify(tools.plugins)}\n }`;
    await Deno.writeTextFile(
      `${parent}/terraform.rc`,
      `provider_installation {\n ${mirror ?? "direct {}"}\n}\n`,
    );
    return new Checkout(parent, folder, {
      PATH: [`${parent}/bin`, ...tools.path].join(":"),
      HOME: `${parent}/home`,
      // The caches of this machine, so that the scripts download nothing again.
      DENO_DIR: await denoDir(),
      XDG_CACHE_HOME: Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`,
      TF_CLI_CONFIG_FILE: `${parent}/terraform.rc`,
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_REGION: "eu-west-1",
      AWS_EC2_METADATA_DISABLED: "true",
      ...keep("LANG", "TMPDIR", "NPM_CONFIG_REGISTRY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"),
      ...keep("PYENV_ROOT", "PYENV_VERSION", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "DENO_CERT"),
    });
  }

  /** The text of a file; its path is relative to the checkout. */
  read(path: string): Promise<string> {
    return Deno.readTextFile(`${this.folder}/${path}`);
  }

  /** Changes the text of a file. */
  async edit(path: string, change: (text: string) => string): Promise<void> {
    const before = await this.read(path);
    const after = change(before);
    if (after === before) throw new Error(`Nothing was changed in "${path}"`);
    await Deno.writeTextFile(`${this.folder}/${path}`, after);
  }

  /** Runs a script of `examples/`, from another folder. */
  script(name: string, args: string[], options: RunOptions = {}): Promise<Outcome> {
    return this.run([`${this.folder}/examples/${name}`, ...args], options);
  }

  /** Runs Terraform as the scripts do. */
  terraform(args: string[], options: RunOptions = {}): Promise<Outcome> {
    const program = this.#env.PATH!.split(":").flatMap((folder) => [
      `${folder}/terraform`,
      `${folder}/tofu`,
    ]).find(exists)!;
    const env = { TF_DATA_DIR: `${this.folder}/examples/.state/terraform`, ...options.env };
    return this.run([program, `-chdir=${this.folder}/examples/tf`, ...args], { ...options, env });
  }

  /** Runs a program, in a process group of its own. */
  async run(
    command: string[],
    { env = {}, typed, piped, watch }: RunOptions = {},
  ): Promise<Outcome> {
    const [program = "", ...args] = typed === undefined ? ["setsid", "--wait", ...command] : [
      "script", // gives it a terminal
      "-qec",
      command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" "),
      "/dev/null",
    ];
    const variables = Object.entries({ ...this.#env, ...env })
      .filter((entry): entry is [string, string] => entry[1] !== undefined);
    const child = new Deno.Command(program, {
      args,
      cwd: "/",
      env: Object.fromEntries(variables),
      clearEnv: true,
      stdin: typed ?? piped ? "piped" : "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    let output = "";
    const collect = async (stream: ReadableStream<Uint8Array>) => {
      const decoder = new TextDecoder();
      for await (const chunk of stream) {
        output += decoder.decode(chunk, { stream: true });
        watch?.(output, child.pid);
      }
    };
    const collected = Promise.all([collect(child.stdout), collect(child.stderr)]);
    const input = typed ?? piped;
    if (input) {
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(input));
      if (typed) await collected; // a terminal that closes would end the script
      await writer.close();
    }
    const [{ code }] = await Promise.all([child.status, collected]);
    return { code, output: output.replaceAll("\r", "") };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#parent, { recursive: true });
  }
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const entry of Deno.readDir(from)) {
    if (SKIPPED.has(entry.name)) continue;
    if (entry.isDirectory) await copy(`${from}/${entry.name}`, `${to}/${entry.name}`);
    else if (entry.isFile) await Deno.copyFile(`${from}/${entry.name}`, `${to}/${entry.name}`);
  }
}

function keep(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

async function denoDir(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
