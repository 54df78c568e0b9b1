import { ACCOUNT_ID, LOCAL } from "../rules/arn.ts";
import { fillAll, resolveApplication } from "../application/resolve.ts";
import type { Application } from "../application/types.ts";
import { type SecretValues, VALUES_FILE } from "../manifest/local_values.ts";
import type { FunctionManifest, Manifest } from "../manifest/types.ts";
import { placeholdersIn } from "../manifest/variables.ts";
import { SECRET } from "../aws/credentials.ts";
import { endpointsOf } from "./forwarding.ts";
import type { Sockets } from "./sockets.ts";

/** An application on this machine. */
export interface LocalApplication {
  readonly application: Application;
  /** The manifest for the host of the functions: with the environment and the permissions of this machine. */
  readonly local: Manifest;
  /** A line for each variable whose value only a deployment knows, so that it is absent here. */
  readonly missing: readonly string[];
}

/**
 * Resolves an application for this machine. The environment of each function has the names of the resources that the
 * function uses, the endpoint of the services, and credentials that work nowhere else. The function may connect to the
 * services. They forward requests to services that are not emulated.
 *
 * @param secrets The values of the secrets. They are in `local` only.
 * @param isShared Whether all functions share one process. Then they share a key, which has all rights.
 */
export function resolveLocally(
  manifest: Manifest,
  { functionsUrl: url, keys }: Sockets,
  secrets: SecretValues,
  isShared = false,
): LocalApplication {
  const { host } = new URL(url);
  const application = resolveApplication(manifest, { ...LOCAL, queues: `${url}/${ACCOUNT_ID}` });
  const functions = Object.entries(manifest.functions).map(([name, settings]) => {
    const absent = onlyDeployed(settings);
    const net = fillAll(settings.permissions, LOCAL).net
      .filter((host) => !placeholdersIn(host).some((variable) => absent.includes(variable)));
    const set = Object.entries(application.functions[name]!.environment)
      .filter(([variable]) => !absent.includes(variable));
    const known = settings.secrets.filter((secret) => Object.hasOwn(secrets, secret))
      .map((secret) => [secret, secrets[secret]!] as const);
    const environment = {
      ...Object.fromEntries(known),
      ...Object.fromEntries(set),
      ...endpointsOf(settings, url),
      AWS_ACCESS_KEY_ID: isShared ? keys.shared : keys.of(name),
      AWS_ENDPOINT_URL: url,
      AWS_SECRET_ACCESS_KEY: SECRET,
    };
    const permissions = { net: net.includes("*") ? net : [...net, host] };
    return [name, { ...settings, environment, permissions }] as const;
  });
  return {
    application,
    local: { ...manifest, functions: Object.fromEntries(functions) },
    missing: describeMissing(manifest),
  };
}

/** The variables of a function whose values are outputs of `infra/`. No value is ever a placeholder. */
function onlyDeployed({ environment }: FunctionManifest): string[] {
  return Object.keys(environment).filter((name) =>
    placeholdersIn(environment[name]!).some((placeholder) => placeholder.startsWith("infra."))
  );
}

function describeMissing({ functions }: Manifest): string[] {
  const pairs = Object.entries(functions)
    .flatMap(([owner, settings]) => onlyDeployed(settings).map((name) => ({ name, owner })));
  return [...Map.groupBy(pairs, ({ name }) => name)].map(([name, owners]) => {
    const list = owners.map(({ owner }) => `"${owner}"`).join(", ");
    return `The variable ${name} of ${list} has no value on this machine, so it is absent: add it to the file ${VALUES_FILE}`;
  });
}
