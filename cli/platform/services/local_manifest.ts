import { ACCOUNT_ID, LOCAL, topicArn } from "../../application/arn.ts";
import { fillAll } from "../../application/resolve.ts";
import type { Application } from "../../application/types.ts";
import type { Manifest } from "../../manifest/types.ts";
import { usedNames } from "../../manifest/variables.ts";
import { SECRET } from "./credentials.ts";
import { queueName } from "./messaging.ts";

export interface LocalServices {
  readonly manifest: Manifest;
  readonly application: Application;
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
  const { manifest, application, url, keyOf } = services;
  const { host } = new URL(url);
  const functions = Object.entries(manifest.functions).map(([name, settings]) => {
    const { environment: own, permissions: { net } } = fillAll(settings, LOCAL);
    const environment = {
      ...own,
      ...usedNames(settings.uses, {
        buckets: (key) => key,
        topics: topicArn,
        queues: (key) => `${url}/${ACCOUNT_ID}/${queueName(key, manifest)}`,
        tables: (key) => application.tables[key]!.name,
      }),
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
