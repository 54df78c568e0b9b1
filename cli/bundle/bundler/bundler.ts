import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findApplication, readConfiguration } from "../application_folders.ts";
import { checkNpmSettings } from "../npm_settings.ts";
import { childEnvironment } from "../../programs/child_environment.ts";
import { prepare } from "../../programs/find_program.ts";
import { confine, tryConfinement } from "../../lambda/isolation/confinement.ts";
import { findEsbuild, root } from "./find_esbuild.ts";
import type {
  Answer,
  BundlerOptions,
  CopyRequest,
  CopyResult,
  ModuleBundle,
  Question,
  Result,
  Style,
} from "./messages.ts";
import type { ArchiveFile } from "../archive.ts";
import { MissingAddonsError } from "./natives/remedies.ts";
import { isNodeProject } from "./node_project.ts";

/** How modules are bundled. */
export interface BundlerSettings {
  /** The folder of the application, with its `deno.json` or `package.json`. Without a folder, no local file is bundled. */
  readonly folder?: string | undefined;
  /** The host of remote modules that may be imported, beside those that Deno allows. */
  readonly host?: string | undefined;
  /** How the process is kept apart from other files; by default as well as this machine can. */
  readonly confine?: typeof confine | undefined;
  /** Takes a sentence about a missing confinement, once in a process. */
  readonly warn?: ((message: string) => void) | undefined;
  /** Ends the bundling early. */
  readonly signal?: AbortSignal | undefined;
}

/** A question without its number. */
type Asked =
  | Pick<Question & { bundle: unknown }, "bundle">
  | Pick<Question & { copy: unknown }, "copy">;

/** A whole answer. */
interface Finished {
  readonly results?: readonly Result[];
  readonly copied?: CopyResult;
  readonly files?: readonly ArchiveFile[] | undefined;
}

/** The program of the process. Nothing calls `load`: it makes the program a part of the module graph. */
const PROGRAM = {
  url: new URL(`main${extname(import.meta.url)}`, import.meta.url), // a .js in the npm package
  load: () => import("./main.ts"),
};

/** The warnings that were given. */
const said = new Set<string>();

/** A process that bundles the modules of one application. It is confined, because modules are the work of others. */
export class Bundler implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #waiting = new Map<number, PromiseWithResolvers<Finished>>();
  /** The files of the copies that are under way. */
  readonly #copying = new Map<number, ArchiveFile[]>();
  /** The last bundles of the modules. */
  readonly #bundles = new Map<string, ModuleBundle>();
  readonly #over: Promise<void>;
  readonly #signal: AbortSignal | undefined;
  readonly #folder: string | undefined;
  readonly #configuration: ReadonlyMap<string, string | undefined>;
  #count = 0;
  #isOver = false;

  private constructor(
    child: Deno.ChildProcess,
    folder: string | undefined,
    configuration: ReadonlyMap<string, string | undefined>,
    signal: AbortSignal | undefined,
  ) {
    this.#child = child;
    this.#folder = folder;
    this.#configuration = configuration;
    this.#signal = signal;
    this.#input = child.stdin.getWriter();
    this.#over = this.#read();
  }

  /** Starts a process. */
  static async open({ signal, host, ...settings }: BundlerSettings): Promise<Bundler> {
    signal?.throwIfAborted();
    const [esbuild] = await Promise.all([findEsbuild(signal), tryConfinement()]);
    const folder = settings.folder && await realPath(settings.folder);
    if (folder !== undefined) await checkNpmSettings(folder);
    const configuration = folder === undefined ? new Map() : await readConfiguration(folder);
    const application = folder === undefined
      ? { folders: [], packages: [], linked: [], hasNodeModules: false }
      : await findApplication(folder);
    const warnOnce = (text: string) => {
      if (settings.warn === undefined || said.has(text)) return;
      said.add(text);
      settings.warn(text);
    };
    const isNode = folder !== undefined && await isNodeProject(folder);
    const isManual = application.hasNodeModules || isNode;
    const options: BundlerOptions = {
      folder: folder ?? root(),
      application: application.folders,
      npmCache: esbuild.npmCache,
      denoDir: esbuild.denoDir,
      compilerOptions: application.compilerOptions,
      tsconfig: application.tsconfig,
      flags: [
        ...(folder === undefined ? ["--no-config", "--no-lock"] : []),
        // With "auto", Deno would install packages there, and run their scripts.
        `--node-modules-dir=${isManual ? "manual" : "none"}`,
        ...(isNode ? ["--unstable-sloppy-imports"] : []), // "./store.js" finds store.ts, as TypeScript's nodenext wants
        ...(host === undefined ? [] : [`--allow-import=${host},jsr.io:443`]),
      ],
    };
    // Deno writes to its cache what it downloads, and to the application its lock file.
    const writable = [...application.folders, esbuild.denoDir, esbuild.npmCache];
    const folders = [...writable, ...application.packages];
    const isLocal = PROGRAM.url.protocol === "file:";
    const program = isLocal ? fileURLToPath(PROGRAM.url) : PROGRAM.url.href;
    const nodeModules = isLocal ? outermost(program) : undefined;
    const args = [
      "run",
      "--quiet",
      "--no-prompt",
      "--no-lock",
      ...(nodeModules
        ? ["--no-config", "--node-modules-dir=manual"]
        : isLocal
        ? [`--config=${fileURLToPath(new URL("../../deno.json", import.meta.url))}`]
        : ["--no-config", "--node-modules-dir=none", `--allow-import=${PROGRAM.url.host}`]),
      `--allow-read=${folders.map((path) => path.replaceAll(",", ",,")).join()}`,
      `--allow-run=${[Deno.execPath(), esbuild.program].join()}`,
      "--allow-env",
      program,
      JSON.stringify(options),
    ];
    const own = nodeModules ?? (isLocal && fileURLToPath(new URL("../../../", import.meta.url)));
    const confined = await (settings.confine ?? confine)([Deno.execPath(), ...args], {
      writable,
      readOnly: [...application.packages, ...(own ? [own] : []), ...settingsFiles()],
      programs: [esbuild.program, join(esbuild.denoDir, "dl")],
    });
    if (confined.problem !== undefined) {
      warnOnce(
        `WARN Only Deno's permissions keep your other files from the bundler, because this machine cannot confine it: ${confined.problem}`,
      );
    }
    const child = prepare(confined.path, {
      args: [...confined.args],
      cwd: root(),
      clearEnv: true,
      env: {
        ...childEnvironment(),
        NO_COLOR: "1",
        ESBUILD_BINARY_PATH: esbuild.program,
        GOGC: "400", // esbuild collects its garbage less often, which takes a quarter of its time
        DENO_NO_UPDATE_CHECK: "1",
      },
      detached: true, // Ctrl-C reaches only the tool, so that the bundler does not fail before the tool ends
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    return new Bundler(child, folder, configuration, signal);
  }

  /** Whether the configuration of the application is as it was when the process started. */
  async isCurrent(): Promise<boolean> {
    if (this.#isOver) return false;
    const now = this.#folder === undefined ? new Map() : await readConfiguration(this.#folder);
    return now.size === this.#configuration.size &&
      [...now].every(([file, text]) => this.#configuration.get(file) === text);
  }

  /**
   * Bundles a module and everything that it imports into one module. The next bundle of the module is faster, and is the
   * same object if no file has changed.
   *
   * @param entry The path or the URL of the module.
   * @throws {Error} If a module is missing or invalid, or may not be imported.
   */
  async bundle(entry: string, style: Partial<Style> = {}): Promise<ModuleBundle> {
    const [bundle] = await this.bundleAll([entry], style);
    if (bundle instanceof Error) throw bundle;
    return bundle!;
  }

  /** Bundles modules, each into one module. What new modules share is read once. A module that has a problem gets an error. */
  async bundleAll(
    entries: readonly string[],
    { target = "deno", isMinified = false }: { [name in keyof Style]?: Style[name] | undefined } =
      {},
  ): Promise<(ModuleBundle | Error)[]> {
    const { results = [] } = await this.#ask({
      bundle: { entries, style: { target, isMinified } },
    });
    return entries.map((entry, index) => {
      const { bundle, problem } = results[index]!;
      if (problem !== undefined) return new Error(problem);
      const key = JSON.stringify([entry, target, isMinified]);
      if (bundle !== undefined) this.#bundles.set(key, bundle);
      return this.#bundles.get(key)!;
    });
  }

  /**
   * Reads native packages and what they need at run time. Without `files`, nothing has changed since the stamp of the request.
   *
   * @throws {Error} If a package is invalid, or has no add-on for the system.
   */
  async copy(
    request: CopyRequest,
  ): Promise<{ stamp: string; files?: readonly ArchiveFile[]; warnings: readonly string[] }> {
    const { copied, files } = await this.#ask({ copy: request });
    const { stamp = "", warnings, problem, missing } = copied!;
    if (missing !== undefined) throw new MissingAddonsError(missing);
    if (problem !== undefined) throw new Error(problem);
    return warnings === undefined
      ? { stamp, warnings: [] }
      : { stamp, files: files ?? [], warnings };
  }

  /** Asks the process. Waits for the whole answer. */
  async #ask(question: Asked): Promise<Finished> {
    this.#signal?.throwIfAborted();
    const id = ++this.#count;
    const answer = Promise.withResolvers<Finished>();
    this.#waiting.set(id, answer);
    const stop = () => answer.reject(this.#signal!.reason);
    this.#signal?.addEventListener("abort", stop);
    try {
      const line = new TextEncoder().encode(`${JSON.stringify({ id, ...question })}\n`);
      this.#input.write(line).catch(() => {}); // The end of the process rejects the answer.
      return await answer.promise;
    } finally {
      this.#waiting.delete(id);
      this.#copying.delete(id);
      this.#signal?.removeEventListener("abort", stop);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {}); // The process may have ended already.
    if (this.#signal?.aborted) this.#kill();
    await this.#over;
  }

  #kill(): void {
    try {
      Deno.kill(-this.#child.pid, "SIGKILL"); // the process and its children
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // It has ended by itself.
    }
  }

  async #read(): Promise<void> {
    const problem = new Response(this.#child.stderr).text();
    let parts: string[] = [];
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const [end, ...lines] = text.split("\n");
      parts.push(end!);
      for (const line of lines) {
        this.#take(JSON.parse(parts.join("")));
        parts = [line];
      }
    }
    const { code } = await this.#child.status;
    this.#isOver = true;
    const error = new Error((await problem).trim() || `the bundler ended with the status ${code}`);
    for (const { reject } of this.#waiting.values()) reject(error);
  }

  #take(answer: Answer): void {
    const { id } = answer;
    if ("file" in answer) {
      const { data, ...file } = answer.file;
      this.#copying.getOrInsertComputed(id, () => []).push({
        ...file,
        data: Uint8Array.fromBase64(data),
      });
    } else this.#waiting.get(id)?.resolve({ ...answer, files: this.#copying.get(id) });
  }
}

/** The files that the user's settings name: certificates, and the keys of npm registries. */
function settingsFiles(): string[] {
  const named = ["DENO_CERT", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"].map((name) =>
    Deno.env.get(name)
  );
  const home = Deno.env.get("HOME");
  return [...named, home && `${home}/.npmrc`].filter((path) => path !== undefined);
}

/** Returns a folder without links. */
export async function realPath(folder: string): Promise<string> {
  try {
    return await Deno.realPath(folder);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return folder; // A deployment may not read the folder of the tool.
    throw error;
  }
}

/** The outermost folder `node_modules` of a path, because some package managers link packages from folders in it. */
function outermost(path: string): string | undefined {
  return /^.*?[\\/]node_modules(?=[\\/])/.exec(path)?.[0];
}
