/** The modules of a program, as `deno info --json` lists them. npm packages are listed without their modules. */
export interface Graph {
  readonly roots: readonly string[];
  readonly modules: readonly GraphModule[];
  readonly redirects: Readonly<Record<string, string>>;
  /** The npm packages by name and version. A Node.js project has none, because its packages are in `node_modules`. */
  readonly npmPackages?: Readonly<Record<string, NpmPackage>>;
}

export interface GraphModule {
  readonly specifier: string;
  /** The file of the module: a file of the application, or of Deno's cache. */
  readonly local?: string;
  readonly mediaType?: string;
  readonly error?: string;
  readonly npmPackage?: string;
  readonly dependencies?: readonly {
    readonly specifier: string;
    readonly code?: { readonly specifier?: string; readonly error?: string };
  }[];
}

export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** The packages that it depends on, by name and version. */
  readonly dependencies: readonly string[];
  readonly localPath: string;
}

/** How `deno info` is run. */
export interface GraphOptions {
  readonly cwd: string;
  readonly flags: readonly string[];
}

/**
 * Lists the modules of a program. Deno downloads the modules and packages that are missing in its cache.
 *
 * @throws {Error} If Deno cannot read its configuration, for example. The message is Deno's.
 */
export async function readGraph(entry: string, { cwd, flags }: GraphOptions): Promise<Graph> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", ...flags, entry],
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (success) return JSON.parse(new TextDecoder().decode(stdout));
  throw new Error(new TextDecoder().decode(stderr).trim().replace(/^error: /, ""));
}
