import { ACCOUNT_ID, LOCAL } from "../../application/arn.ts";
import { fillAll, resolveApplication } from "../../application/resolve.ts";
import type { Manifest } from "../../manifest/types.ts";
import { SECRET } from "./credentials.ts";

export interface LocalServices {
  readonly manifest: Manifest;
  /** The URL of the services. */
  readonly url: string;
  /** Returns the access key of a function. */
  readonly keyOf: (functionName: string) => string;
}

/**
 * Returns the manifest for this machine. It adds to the environment of each function the names of the resources that the
 * function uses, the endpoint of the services, and credentials that work nowhere else. It permits the connection to the
 * services. If the manifest grants the network for a service of AWS, the service keeps its own endpoint.
 */
export function localManifest(services: LocalServices): Manifest {
  const { manifest, url, keyOf } = services;
  const { host } = new URL(url);
  const application = resolveApplication(manifest, { ...LOCAL, queues: `${url}/${ACCOUNT_ID}` });
  const functions = Object.entries(manifest.functions).map(([name, settings]) => {
    const { net } = fillAll(settings.permissions, LOCAL);
    const environment = {
      ...application.functions[name]!.environment,
      ...endpointsOf(net),
      AWS_ACCESS_KEY_ID: keyOf(name),
      AWS_ENDPOINT_URL: url,
      AWS_SECRET_ACCESS_KEY: SECRET,
    };
    const permissions = { net: net.includes("*") ? net : [...net, host] };
    return [name, { ...settings, environment, permissions }] as const;
  });
  return { ...manifest, functions: Object.fromEntries(functions) };
}

/** Makes the variables with the real endpoints of the services that a function may connect to. */
function endpointsOf(net: readonly string[]): Record<string, string> {
  const services = net.flatMap((host) => {
    const [, service] = /^([a-z0-9-]+)\.(?:[a-z0-9-]+\.)?amazonaws\.com(?::443)?$/.exec(host) ?? [];
    if (service === undefined) return [];
    const variable = `AWS_ENDPOINT_URL_${service.toUpperCase().replaceAll("-", "_")}`;
    return [[variable, `https://${host.replace(/:443$/, "")}`]];
  });
  return Object.fromEntries(services);
}
