import { dirname } from "node:path";
import { ACCOUNT_ID, LOCAL, REGION } from "../rules/arn.ts";
import { resolveApplication, withSourceMaps } from "../application/resolve.ts";
import { mapValues } from "../application/resources.ts";
import type { Application, ApplicationFunction } from "../application/types.ts";
import {
  readLocalManifest,
  readLocalSecrets,
  type SecretValues,
  VALUES_FILE,
} from "../manifest/local_values.ts";
import type { Manifest } from "../manifest/types.ts";
import { fillPlaceholders, placeholdersIn } from "../manifest/variables.ts";
import { endpointsOf } from "./aws_hosts.ts";
import type { Sockets } from "./sockets.ts";

/** An application that was read for this machine. */
export interface LocalApplication {
  readonly name: string;
  readonly functions: Manifest["functions"];
  /** The function of the first route. */
  readonly first: string | undefined;
  resolve(sockets: Sockets): ResolvedLocally;
}

/** An application on this machine. */
export interface ResolvedLocally {
  /**
   * The application. The environment of each function has the names of the resources that the function uses, the endpoint of the
   * services, and credentials that work nowhere else. The function may connect to the services. They forward requests to
   * services that are not emulated.
   */
  readonly application: Application;
  /** A line for each variable without a value on this machine, so that it is absent. */
  readonly missing: readonly string[];
  /** Makes the manifest with the environment and the permissions of this machine. */
  toManifest(): Manifest;
}

export interface LocalOptions {
  readonly stage?: string | undefined;
  /** The values of secrets that count before others. */
  readonly secrets?: SecretValues | undefined;
}

/**
 * Reads an application for this machine.
 *
 * @param app The manifest, if it was read already.
 * @throws {Error} If the manifest or the value of a secret is invalid.
 */
export async function readLocally(
  path: string,
  { stage, secrets }: LocalOptions,
  app?: Manifest,
): Promise<LocalApplication> {
  const manifest = app ?? await readLocalManifest(path, stage);
  const { values, missing } = await readLocalSecrets(manifest, dirname(path), secrets);
  return {
    name: manifest.name,
    functions: manifest.functions,
    first: Object.entries(manifest.functions)
      .find(([, { triggers }]) => triggers.routes.length > 0)?.[0],
    resolve(sockets) {
      const application = resolveHere(manifest, sockets, values);
      return {
        application,
        missing: [...missing, ...describeMissing(application)],
        toManifest: () => ({
          ...manifest,
          functions: mapValues(manifest.functions, (settings, name) => {
            const { environment, code } = application.functions[name]!;
            return {
              ...settings,
              environment,
              permissions: { net: fillHosts(code.net, { AWS_REGION: REGION }) },
            };
          }),
        }),
      };
    },
  };
}

function resolveHere(
  manifest: Manifest,
  { functionsUrl: url, keys }: Sockets,
  secrets: SecretValues,
): Application {
  const { host } = new URL(url);
  const application = resolveApplication(manifest, { ...LOCAL, queues: `${url}/${ACCOUNT_ID}` });
  const functions = mapValues(application.functions, (settings, name): ApplicationFunction => {
    const { code } = settings;
    const absent = onlyDeployed(settings);
    const set = Object.entries(settings.environment)
      .filter(([variable]) => !absent.includes(variable));
    const known = Object.keys(code.secrets).filter((secret) => Object.hasOwn(secrets, secret))
      .map((secret) => [secret, secrets[secret]!] as const);
    const { accessKeyId, secretAccessKey, sessionToken } = keys.of(name);
    const environment = {
      ...Object.fromEntries(known),
      ...Object.fromEntries(set),
      ...endpointsOf(settings, url),
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_ENDPOINT_URL: url,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
    };
    const net = code.net
      .filter((host) => !placeholdersIn(host).some((variable) => absent.includes(variable)));
    const permitted = net.includes("*") ? net : [...net, host];
    return { ...settings, environment, code: { ...code, net: fillHosts(permitted, environment) } };
  });
  return { ...application, functions };
}

/** Fills in the variables of a function in its hosts. On this machine, only the function itself sees its variables. */
function fillHosts(net: readonly string[], environment: Readonly<Record<string, string>>) {
  return net.map((host) =>
    fillPlaceholders(host, (variable) => environment[variable] ?? `\${${variable}}`)
  );
}

/** Resolves a manifest with the environment and the permissions of this machine, which a caller gives to a host. */
export function resolveGiven(manifest: Manifest): Application {
  const application = resolveApplication(manifest, LOCAL);
  const functions = mapValues(application.functions, (settings, name): ApplicationFunction => {
    const environment = withSourceMaps(settings.runtime, manifest.functions[name]!.environment);
    const { code } = settings;
    return { ...settings, environment, code: { ...code, net: fillHosts(code.net, environment) } };
  });
  return { ...application, functions };
}

/** The variables of a function whose values are outputs of `infra/`. No value is ever a placeholder. */
function onlyDeployed({ code: { environment } }: ApplicationFunction): string[] {
  return Object.keys(environment).filter((name) =>
    placeholdersIn(environment[name]!).some((placeholder) => placeholder.startsWith("infra."))
  );
}

function describeMissing({ functions }: Application): string[] {
  const pairs = Object.entries(functions)
    .flatMap(([owner, settings]) => onlyDeployed(settings).map((name) => ({ name, owner })));
  return [...Map.groupBy(pairs, ({ name }) => name)].map(([name, owners]) => {
    const list = owners.map(({ owner }) => `"${owner}"`).join(", ");
    return `The variable ${name} of ${list} has no value on this machine, so it is absent: add it to the file ${VALUES_FILE}`;
  });
}
