import { ACCOUNT_ID, topicArn } from "../../application/arn.ts";
import type { Application } from "../../application/types.ts";
import type { Manifest, Uses } from "../../manifest/types.ts";
import { variableOf } from "../../manifest/variables.ts";
import { fill } from "./access.ts";
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
  const { manifest, url, keyOf } = services;
  const { host } = new URL(url);
  const functions = Object.entries(manifest.functions).map(([name, settings]) => {
    const net = settings.permissions.net.map(fill);
    const own = Object.entries(settings.environment).map(([key, value]) => [key, fill(value)]);
    const environment = {
      ...Object.fromEntries(own),
      ...namesOf(settings.uses, services),
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

/** Makes the variables with the names of the resources that a function uses. */
function namesOf(uses: Uses, { manifest, application, url }: LocalServices) {
  const physical: Readonly<Record<keyof Uses, (name: string) => string>> = {
    buckets: (name) => name,
    topics: topicArn,
    queues: (name) => `${url}/${ACCOUNT_ID}/${queueName(name, manifest)}`,
    tables: (name) => application.tables[name]!.name,
  };
  const names = (Object.keys(physical) as (keyof Uses)[]).flatMap((kind) =>
    Object.keys(uses[kind]).map((name) => [variableOf(kind, name), physical[kind](name)])
  );
  return Object.fromEntries(names);
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
