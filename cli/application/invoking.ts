import type { Statement } from "../rules/statement.ts";
import { ANY, matchesWildcard, ONE } from "../rules/wildcard.ts";
import type { Application, Resources } from "./types.ts";

/** Returns a path that matches a route: `/items/1` for `/items/{id}`. */
export function examplePath(route: string): string {
  return route.replace(/\{\w+\+\}/, "a/b").replaceAll(/\{\w+\}/g, "1");
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

/** What a function does to a resource that then calls a function. */
interface Call {
  readonly function: string;
  /** What the function does, for a reader. */
  readonly deed: string;
  readonly actions: readonly string[];
  /** The ARN that the actions need. */
  readonly arn: string;
}

/** Says for each function that may write into what calls it that it may run in a loop. */
export function loopsOf(application: Application): string[] {
  const { functions, buckets, queues, topics, tables } = application;
  const calls: Call[] = [
    ...Object.entries(buckets).flatMap(([key, { arn, listeners }]) =>
      listeners.map(({ function: name, events, prefix, suffix }) => ({
        function: name,
        deed: `write into the bucket "${key}"`,
        actions: events.map((event) =>
          event.startsWith("s3:ObjectRemoved") ? "s3:DeleteObject" : "s3:PutObject"
        ),
        arn: `${arn}/${prefix}x${suffix}`,
      }))
    ),
    ...Object.entries(queues).flatMap(([key, { arn, listeners }]) =>
      listeners.map(({ function: name }) => ({
        function: name,
        deed: `send to the queue "${key}"`,
        actions: ["sqs:SendMessage"],
        arn,
      }))
    ),
    ...Object.entries(topics).flatMap(([key, { arn, listeners }]) =>
      listeners.map(({ function: name }) => ({
        function: name,
        deed: `publish to the topic "${key}"`,
        actions: ["sns:Publish"],
        arn,
      }))
    ),
    ...Object.entries(tables).flatMap(([key, { arn, listeners }]) =>
      listeners.map(({ function: name }) => ({
        function: name,
        deed: `write into the table "${key}"`,
        actions: ["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
        arn,
      }))
    ),
  ];
  const found = calls.filter(({ function: name, actions, arn }) =>
    functions[name]!.statements.some((statement) => mayGrant(statement, actions, arn))
  ).map(({ function: name, deed }) =>
    `The function "${name}" may ${deed}, which calls "${name}": this can be an endless loop`
  );
  return [...new Set(found)];
}

/** Tells whether a statement allows one of some actions, if its conditions hold. */
function mayGrant(statement: Statement, actions: readonly string[], arn: string): boolean {
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
