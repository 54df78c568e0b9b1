/** Returns a path that matches a route: `/items/1` for `/items/{id}`. */
export function examplePath(route: string): string {
  return route.replace(/\{\w+\+\}/, "a/b").replaceAll(/\{\w+\}/g, "1");
}

/** Returns the command that sends a request. */
export function curlCommand(method: string, url: string): string {
  const isDefault = method === "ANY" || method === "GET";
  return `curl ${isDefault ? "" : method === "HEAD" ? "-I " : `-X ${method} `}'${url}'`;
}
