import { pathToFileURL } from "node:url";

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
  readonly env: Record<string, string>;
}

/**
 * Lists the modules of programs. The root is a module that imports the first module of each. Deno downloads the modules and packages that are missing in its cache.
 *
 * @throws {Error} If Deno cannot read its configuration, for example. The message is Deno's.
 */
export async function readGraph(
  entries: readonly string[],
  { cwd, flags, env }: GraphOptions,
): Promise<Graph> {
  const imports = entries.map((entry) => `import ${JSON.stringify(urlOf(entry))};`).join("");
  const root = `data:application/javascript,${encodeURIComponent(imports)}`;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", ...flags, root],
    cwd,
    clearEnv: true,
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (success) return JSON.parse(new TextDecoder().decode(stdout));
  throw new Error(new TextDecoder().decode(stderr).trim().replace(/^error: /, ""));
}

/** The URL of a module that has a path or a URL. */
export function urlOf(entry: string): string {
  return /^https?:/.test(entry) ? entry : pathToFileURL(entry).href;
}
