import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ApplicationFolders, findApplication } from "./application_folders.ts";
import { checkNpmSettings } from "./npm_settings.ts";
import { childEnvironment, prepareApart } from "../../programs/find_program.ts";
import { confine, tryConfinement } from "../../lambda/isolation/confinement.ts";
import { findEsbuild, root } from "./find_esbuild.ts";
import { Connection } from "./connection.ts";
import type { CopiedPackages, CopyRequest } from "./messages.ts";
import type { BundlerOptions, ModuleBundle, Style } from "../packages/types.ts";
import { MissingAddonsError } from "../externals/remedies.ts";

/** How modules are bundled. */
export interface BundlerSettings {
  /** The folder of the application, with its `deno.json` or `package.json`. Without a folder, no local file is bundled. */
  readonly folder?: string | undefined;
  /** What the configuration says about the folder; read by default. */
  readonly application?: ApplicationFolders | undefined;
  /** The host of remote modules that may be imported, beside those that Deno allows. */
  readonly host?: string | undefined;
  /** How the process is kept apart from other files; by default as well as this machine can. */
  readonly confine?: typeof confine | undefined;
  /** Takes a sentence about a missing confinement, once in a process. */
  readonly warn?: ((message: string) => void) | undefined;
  /** Ends the bundling early. */
  readonly signal?: AbortSignal | undefined;
}

/** The program of the process. Nothing calls `load`: it makes the program a part of the module graph. */
const PROGRAM = {
  url: new URL(`main${extname(import.meta.url)}`, import.meta.url), // a .js in the npm package
  load: () => import("./main.ts"),
};

const said = new Set<string>();

/** Gives a warning unless it was given before. */
export function warnOnce(text: string, warn: (message: string) => void): void {
  if (!said.has(text)) warn(text);
  said.add(text);
}

/** A process that bundles the modules of one application. It is confined, because modules are the work of others. */
export class Bundler implements AsyncDisposable {
  readonly #connection: Connection;
  /** The last copies of packages. */
  readonly #copies = new Map<string, CopiedPackages>();

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Starts a process. */
  static async open({ signal, host, ...settings }: BundlerSettings): Promise<Bundler> {
    signal?.throwIfAborted();
    const [esbuild] = await Promise.all([findEsbuild(signal), tryConfinement()]);
    const folder = settings.folder && await realPath(settings.folder);
    if (folder !== undefined) await checkNpmSettings(folder);
    const application = settings.application ??
      (folder === undefined
        ? { folders: [], packages: [], linked: [], hasNodeModules: false, isNodeProject: false }
        : await findApplication(folder));
    const isNode = application.isNodeProject;
    const isManual = application.hasNodeModules || isNode;
    const options: BundlerOptions = {
      folder: folder ?? root(),
      application: application.folders,
      npmCache: esbuild.npmCache,
      hasSloppyImports: isNode,
      denoDir: esbuild.denoDir,
      // With options, esbuild reads no tsconfig.json, also not those of packages in Deno's cache.
      compilerOptions: application.compilerOptions ??
        (isManual || application.tsconfig !== undefined ? undefined : {}),
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
      "--no-config",
      ...(nodeModules ? ["--no-lock", "--node-modules-dir=manual"] : isLocal
        ? [ // Without a lock file, Deno chooses the versions of the packages at each start, which takes longer.
          `--import-map=${fileURLToPath(new URL("../../../.ci/deno.json", import.meta.url))}`,
          `--lock=${fileURLToPath(new URL("../../packages.lock.json", import.meta.url))}`,
          "--frozen",
        ]
        : ["--no-lock", "--node-modules-dir=none", `--allow-import=${PROGRAM.url.host}`]),
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
    if (confined.problem !== undefined && settings.warn !== undefined) {
      warnOnce(
        `WARN Only Deno's permissions keep your other files from the bundler, because this machine cannot confine it: ${confined.problem}`,
        settings.warn,
      );
    }
    // Ctrl-C must not reach the bundler, which would fail before the tool ends.
    const command = await prepareApart(confined.path, {
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
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    });
    return new Bundler(new Connection(command.spawn(), signal));
  }

  /** Whether the process has ended. */
  get isOver(): boolean {
    return this.#connection.isOver;
  }

  /** Bundles one module as {@linkcode bundleAll} does, and finds everything anew. Throws if there is a problem. */
  async bundle(entry: string, style: Partial<Style> = {}): Promise<ModuleBundle> {
    const [bundle] = await this.bundleAll([entry], style, [entry]);
    if (bundle instanceof Error) throw bundle;
    return bundle!;
  }

  /**
   * Bundles modules, each with everything that it imports into one module. What new modules share is read once. The next bundle of
   * a module is faster.
   *
   * @param entries The paths or the URLs of the modules.
   * @param anew Those for which more has changed than the content and the times of files. Of these, everything is found anew.
   * @returns The bundles. A module that is missing or invalid, or may not be imported, gets an error.
   */
  async bundleAll(
    entries: readonly string[],
    { target = "deno", isMinified = false, packages = [] }: {
      [name in keyof Style]?: Style[name] | undefined;
    } = {},
    anew: readonly string[] = [],
  ): Promise<(ModuleBundle | Error)[]> {
    const { results = [] } = await this.#connection.ask({
      bundle: { entries, style: { target, isMinified, packages }, anew },
    });
    return results.map((one) => "bundle" in one ? one.bundle : new Error(one.problem));
  }

  /**
   * Reads packages and what they need at run time. The result is the same object as the last time if nothing has changed.
   *
   * @throws {Error} If a package is invalid, or has no add-on for the system.
   */
  async copy(request: CopyRequest): Promise<CopiedPackages> {
    const key = JSON.stringify(request);
    const former = this.#copies.get(key);
    const { copied } = await this.#connection.ask({
      copy: { ...request, stamp: former?.stamp },
    });
    const { stamp = "", files, warnings = [], problem, missing } = copied!;
    if (missing !== undefined) throw new MissingAddonsError(missing);
    if (problem !== undefined) throw new Error(problem);
    if (files === undefined) return former!;
    const copy = { stamp, files, warnings };
    this.#copies.set(key, copy);
    return copy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]();
  }
}

/** The files that the user's settings name: certificates, and the keys of npm registries. */
function settingsFiles(): string[] {
  const named = ["DENO_CERT", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"].map((name) =>
    Deno.env.get(name)
  );
  const home = Deno.env.get("HOME");
  return [...new Set([...named, home && `${home}/.npmrc`])].filter((path) => path !== undefined);
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
