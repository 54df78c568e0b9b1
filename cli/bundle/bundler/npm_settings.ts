import { join, resolve } from "node:path";
import { ABSENT, CHILD_VARIABLES } from "../../programs/find_program.ts";

/** The registries of npm and GitHub. A token for them goes to nobody else. */
const KNOWN_HOSTS = ["registry.npmjs.org", "npm.pkg.github.com"];

/** The variables for Deno that name a folder of this machine. All others may hold a token or a password. */
const FOLDER =
  /^(HOME|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|PATH|TMPDIR|TEMP|TMP|XDG_CACHE_HOME|DENO_DIR)$/;

/** A line such as `//registry.example/team/:_authToken=`: whom a token is for. */
const TOKEN = /^\/\/([\w.-]+(?::\d+)?)(?:\/[\w./-]*)?:(?:_authToken|_auth|_password|username)\s*=/;

/**
 * Checks the files `.npmrc` of an application, because Deno sends the variables in them to a registry, and a clone can have
 * such a file. Only the settings of the developer say which registry gets a token: `~/.npmrc` and `NPM_CONFIG_REGISTRY`.
 * (npm itself sets `npm_config_registry`, also from the file of the clone.)
 *
 * @param folder The folder of the manifest.
 * @throws {Error} If a line sends a variable to another registry. The message names the file, the line and the remedy.
 */
export async function checkNpmSettings(folder: string): Promise<void> {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  const own = home === undefined ? undefined : resolve(home, ".npmrc");
  const settings = own === undefined ? "" : await read(own);
  if (settings === undefined) return; // A deployment may not read it. `deployPermissions()` has called this before.
  const registry = URL.parse(Deno.env.get("NPM_CONFIG_REGISTRY") ?? "")?.host;
  const named = Array.from(
    settings.matchAll(/\/\/([\w.-]+(?::\d+)?)(?=[/:\s"']|$)/gm),
    ([, host]) => host!,
  );
  const hosts = [...KNOWN_HOSTS, ...named, ...(registry ? [registry] : [])];
  for (let path = resolve(folder);; path = resolve(path, "..")) {
    const file = join(path, ".npmrc");
    const lines = (file === own ? "" : await read(file) ?? "").split("\n");
    for (const [index, line] of lines.entries()) {
      const problem = problemOf(line.trim(), hosts);
      if (problem === undefined) continue;
      throw new Error(
        `Cannot use "${file}": line ${
          index + 1
        } ${problem}; if you trust this registry, move the line to ~/.npmrc`,
      );
    }
    if (path === resolve(path, "..")) return;
  }
}

function problemOf(line: string, hosts: readonly string[]): string | undefined {
  if (/^[;#]/.test(line)) return undefined;
  const variable = Array.from(line.matchAll(/\$\{([^{}]*)\}/g), ([, name]) => name!)
    .find((name) => CHILD_VARIABLES.includes(name) && !FOLDER.test(name));
  if (variable === undefined) return undefined;
  const [, host] = TOKEN.exec(line) ?? [];
  if (host === undefined) {
    return `has the variable ${variable}, and is not the token of one registry`;
  }
  return hosts.includes(host)
    ? undefined
    : `sends the variable ${variable} to "${host}", which neither ~/.npmrc nor NPM_CONFIG_REGISTRY names`;
}

/** Returns the text of a file, no text if it does not exist, or `undefined` if this process may not read it. */
async function read(file: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    if (ABSENT.some((type) => error instanceof type) || error instanceof Deno.errors.IsADirectory) {
      return "";
    }
    throw error;
  }
}
