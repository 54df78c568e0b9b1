import { delimiter, isAbsolute, relative, resolve, sep } from "node:path";

const { NotCapable, NotADirectory, NotFound, PermissionDenied } = Deno.errors;

/** The errors about a program that is not in a folder, or in a folder that this user or process may not read. */
export const ABSENT = [NotCapable, NotADirectory, NotFound, PermissionDenied];

/** The folders of applications. The programs there never run. */
const applications = new Set<string>();

/** Says that a folder is an application. So the tool runs no program that lies there. */
export function ignorePrograms(application: string): void {
  applications.add(resolve(application));
}

/**
 * The folders of `PATH` from which the tool runs programs: those that neither a package nor a clone can fill. `npx`, `npm run`
 * and `deno task` put the programs of packages first in `PATH`. A relative folder is another one in each working folder.
 */
export function programFolders(path: string = Deno.env.get("PATH") ?? ""): string[] {
  const outside = [...applications].flatMap((folder) => [folder, realPath(folder) ?? folder]);
  return path.split(delimiter).filter((folder) => {
    if (!isAbsolute(folder)) return false;
    const real = realPath(folder);
    if (real === undefined) return false;
    return [resolve(folder), real].every((one) =>
      !one.split(sep).includes("node_modules") && !outside.some((other) => isBelow(one, other))
    );
  });
}

/** The `PATH` for the programs that the tool starts, and for those that they start. */
export function programPath(): string {
  return programFolders().join(delimiter);
}

/** Finds a program in the folders of {@linkcode programFolders}. */
export async function findProgram(name: string, path?: string): Promise<string | undefined> {
  for (const folder of programFolders(path)) {
    try {
      const { isFile, mode } = await Deno.stat(`${folder}/${name}`);
      if (isFile && mode !== null && (mode & 0o111) !== 0) return `${folder}/${name}`;
    } catch (error) {
      if (!ABSENT.some((type) => error instanceof type)) throw error;
    }
  }
  return undefined;
}

/**
 * Prepares a program, which gets the `PATH` of {@linkcode programPath}. A name without a folder is looked up there only. All
 * programs of the tool start here.
 */
export function prepare(program: string, options: Deno.CommandOptions = {}): Deno.Command {
  const { env, clearEnv = false } = options;
  return new Deno.Command(program, {
    ...options,
    env: { ...(clearEnv ? {} : { PATH: programPath() }), ...env },
  });
}

/**
 * Prepares a program as {@linkcode prepare} does, in a session of its own, so that Ctrl-C reaches only the tool. With the option
 * `detached`, Deno copies its whole process, which takes some 10 ms. So the program `setsid` makes the session, if it may run.
 */
export async function prepareApart(
  program: string,
  options: Deno.CommandOptions = {},
): Promise<Deno.Command> {
  const setsid = await findProgram("setsid");
  const mayRun = setsid !== undefined &&
    (await Deno.permissions.query({ name: "run", command: setsid })).state === "granted";
  if (!mayRun) return prepare(program, { ...options, detached: true });
  return prepare(setsid, { ...options, args: [program, ...options.args ?? []] });
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep)[0] !== "..";
}

function realPath(folder: string): string | undefined {
  try {
    return Deno.realPathSync(folder);
  } catch (error) {
    if (ABSENT.some((type) => error instanceof type)) return undefined;
    throw error;
  }
}

/** The variables that Deno and its bundler read. None of them is a key of a cloud. */
export const CHILD_VARIABLES: readonly string[] = [
  "PATH",
  "HOME",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "SYSTEMROOT",
  "TMPDIR",
  "TEMP",
  "TMP",
  "XDG_CACHE_HOME",
  "DENO_AUTH_TOKENS",
  "DENO_CERT",
  "DENO_DIR",
  "DENO_TLS_CA_STORE",
  "JSR_URL",
  "NODE_EXTRA_CA_CERTS",
  "NPM_CONFIG_REGISTRY",
  "npm_config_registry",
  "NPM_TOKEN",
  "NODE_AUTH_TOKEN",
  "SSL_CERT_FILE",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
];

/** The value of `NO_PROXY` that also names this machine: a proxy would not find its servers, and would learn their secrets. */
export function noProxyHere(
  given = Deno.env.get("NO_PROXY") || Deno.env.get("no_proxy") || "",
): string {
  const names = given.split(",").map((name) => name.trim()).filter(Boolean);
  return [...new Set([...names, "localhost", "127.0.0.1", "::1"])].join();
}

/** The names of the files with Deno's configuration. */
export const DENO_CONFIGS: readonly string[] = ["deno.json", "deno.jsonc"];

/** The names of the files that tell which folders belong to an application. */
export const CONFIGS: readonly string[] = [...DENO_CONFIGS, "package.json", "pnpm-workspace.yaml"];

/** The environment for programs that run the code of packages: it has no keys of a cloud. */
export function childEnvironment(): Record<string, string> {
  const entries = CHILD_VARIABLES.map((name) => [name, Deno.env.get(name)]);
  const given = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return { ...given, PATH: programPath() };
}
