import type { Application, Resources } from "./types.ts";

/** Returns a path that matches a route: `/items/1` for `/items/{id}`. */
export function examplePath(route: string): string {
  return route.replace(/\{\w+\+\}/, "a/b").replaceAll(/\{\w+\}/g, "1");
}

/** Returns the command that sends a request. */
export function curlCommand(method: string, url: string): string {
  const isDefault = method === "ANY" || method === "GET";
  return `curl ${isDefault ? "" : method === "HEAD" ? "-I " : `-X ${method} `}'${url}'`;
}

/** Lists what invokes a function: the routes, the times, the patterns, and the names of the resources that it listens to. */
export function invokersOf(application: Application, name: string) {
  const { gateway, functions, rules, schedules } = application;
  const isOwn = (listener: { readonly function: string }) => listener.function === name;
  const heard = (kind: keyof Resources) =>
    Object.entries<{ readonly listeners: readonly { readonly function: string }[] }>(
      application[kind],
    ).filter(([, { listeners }]) => listeners.some(isOwn)).map(([key]) => key);
  return {
    routes: gateway?.routes.filter(isOwn) ?? [],
    url: functions[name]!.url,
    schedules: functions[name]!.schedules.map((key) => ({
      expression: (rules[key] ?? schedules[key])!.expression!,
      timezone: schedules[key]?.timezone ?? "UTC",
    })),
    events: Object.values(rules).filter((rule) => isOwn(rule) && rule.pattern !== undefined),
    buckets: heard("buckets"),
    topics: heard("topics"),
    queues: heard("queues"),
    tables: heard("tables"),
  };
}
