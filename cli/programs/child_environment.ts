import { programPath } from "./find_program.ts";

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
