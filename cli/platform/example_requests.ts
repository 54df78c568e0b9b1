/** A path such as `/items/1` that takes a route such as `/items/{id}`. */
export function examplePath(route: string): string {
  return route.replace(/\{\w+\+\}/, "a/b").replaceAll(/\{\w+\}/g, "1");
}

/** The command that sends a request. */
export function curlCommand(method: string, url: string): string {
  const isDefault = method === "ANY" || method === "GET";
  return `curl ${isDefault ? "" : method === "HEAD" ? "-I " : `-X ${method} `}'${url}'`;
}

/** The function URL of a function: a host of its own below localhost, with the port of the platform. */
export function functionUrl(functionName: string, platform: string): string {
  return `http://${functionName}.localhost:${new URL(platform).port || 80}/`;
}
