import type { Application, UrlTrigger } from "../application/types.ts";
import type { Routable } from "../rules/router.ts";

export interface Route extends Routable {
  readonly functionName: string;
  readonly authorizer?: string | undefined;
  readonly stream?: boolean | undefined;
}

export function routesOf({ gateway }: Application): readonly Route[] {
  return (gateway?.routes ?? []).map(({ path, function: functionName, ...route }) => ({
    ...route,
    resource: path,
    functionName,
  }));
}

/** Returns the command for a function URL. With IAM, the command signs the request: here any access key is allowed. */
export function urlCommand(url: string, { auth }: UrlTrigger): string {
  const signed = auth === "iam" ? "--aws-sigv4 aws:amz:us-east-1:lambda --user me:local " : "";
  return `curl -N ${signed}'${url}'`;
}

/** Returns the URL of a function: its own host below localhost, with the port of the platform. */
export function functionUrl(functionName: string, platform: string): string {
  return `http://${functionName}.localhost:${new URL(platform).port || 80}/`;
}
