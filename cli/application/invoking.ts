import type { Statement } from "../rules/statement.ts";
import { ANY, matchesWildcard, ONE } from "../rules/wildcard.ts";
import type { Application, Resources, Route } from "./types.ts";

/** Returns the key of a route, such as `GET /items/{id}` or `$default`. */
export function routeKey({ method, path }: Pick<Route, "method" | "path">): string {
  return path === "$default" ? path : `${method} ${path}`;
}

/** Returns a path that matches a route: `/items/1` for `/items/{id}`, and `/` for `$default`. */
export function examplePath(route: string): string {
  return route.replace("$default", "/").replace(/\{\w+\+\}/, "a/b").replaceAll(/\{\w+\}/g, "1");
}

/**
 * Returns the command that sends a request.
 *
 * @param isJson Whether a body is JSON. The option `--json` exists since curl 7.82.
 */
export function curlCommand(method: string, url: string, isJson = false): string {
  const isDefault = method === "ANY" || method === "GET";
  const verb = isDefault ? "" : method === "HEAD" ? "-I " : `-X ${method} `;
  const body = isJson && ["PATCH", "POST", "PUT"].includes(method) ? "--json '{}' " : "";
  return `curl ${body !== "" && method === "POST" ? "" : verb}${body}'${url}'`;
}

type Listened = Resources[keyof Resources][string];

/** Lists what invokes a function: the routes, the times, the patterns, and the names of the resources that it listens to. */
export function invokersOf(application: Application, name: string) {
  const { gateway, functions, rules, schedules } = application;
  const isOwn = (listener: { readonly function: string }) => listener.function === name;
  const heard = (kind: keyof Resources) =>
    Object.entries<Listened>(application[kind])
      .filter(([, { listeners }]) => listeners.some(isOwn)).map(([key]) => key);
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

/** What a function does to a resource that then calls a function: for a reader, and the actions. */
const DEEDS = [
  ["queues", "send to the queue", ["sqs:SendMessage"]],
  ["topics", "publish to the topic", ["sns:Publish"]],
  ["tables", "write into the table", [
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    "dynamodb:DeleteItem",
  ]],
] as const;

/** Says for each function that may write into what calls it that it may run in a loop. */
export function loopsOf(application: Application): string[] {
  const found = new Set<string>();
  const check = (name: string, deed: string, actions: readonly string[], arn: string) => {
    const { statements } = application.functions[name]!;
    if (!statements.some((statement) => mayGrant(statement, actions, arn))) return;
    found.add(
      `The function "${name}" may ${deed}, which calls "${name}": this can be an endless loop`,
    );
  };
  for (const [key, { arn, listeners }] of Object.entries(application.buckets)) {
    for (const { function: name, events, prefix, suffix } of listeners) {
      const actions = events.map((event) =>
        event.startsWith("s3:ObjectRemoved") ? "s3:DeleteObject" : "s3:PutObject"
      );
      check(name, `write into the bucket "${key}"`, actions, `${arn}/${prefix}x${suffix}`);
    }
  }
  for (const [kind, deed, actions] of DEEDS) {
    for (const [key, { arn, listeners }] of Object.entries<Listened>(application[kind])) {
      for (const { function: name } of listeners) check(name, `${deed} "${key}"`, actions, arn);
    }
  }
  return [...found];
}

/** Tells whether a statement allows one of some actions, if its conditions hold. */
export function mayGrant(statement: Statement, actions: readonly string[], arn: string): boolean {
  const { Effect, Action, NotAction, Resource, NotResource } = statement;
  const isAction = (patterns: Statement["Action"], action: string) =>
    [patterns ?? []].flat().some((one) => matches(one.toLowerCase(), action.toLowerCase()));
  const isResource = (patterns: Statement["Resource"]) =>
    [patterns ?? []].flat().some((one) => matches(one, arn));
  return Effect === "Allow" &&
    actions.some((action) => Action ? isAction(Action, action) : !isAction(NotAction, action)) &&
    (Resource ? isResource(Resource) : !isResource(NotResource));
}

function matches(pattern: string, text: string): boolean {
  const wildcard = Array.from(pattern, (one) => one === "*" ? ANY : one === "?" ? ONE : one);
  return matchesWildcard(wildcard, text);
}
