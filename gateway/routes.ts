import type { FnContext } from "../function/context.ts";
import { isPlainObject } from "../function/read.ts";
import { HttpMethodNotAllowedError, HttpNotFoundError } from "./errors/client_errors.ts";
import { percentDecode } from "./event/formats/entries.ts";
import { formatOf } from "./event/formats/recognise.ts";
import { decodePathPart, setPathParameters } from "./event/path_parameters.ts";
import type { FnProxyEvent } from "./event/proxy_event.ts";
import { readRoutePath } from "./event/request.ts";
import { reply } from "./response/reply.ts";
import type { ProxyResult, ProxyRoute } from "./response/route.ts";

/**
 * The names of the parameters in the key of a route.
 *
 * @typeParam Key The key, such as `GET /orders/{id}`.
 */
export type RouteParameters<Key extends string> = Key extends
  `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Greedy}+` ? Greedy : Name) | RouteParameters<Rest>
  : never;

/**
 * The event that a route of {@linkcode routes} gets: its path parameters have the names in the key.
 *
 * @typeParam Key The key of the route.
 */
export type RoutedEvent<Key extends string> =
  & {
    /** The parameters of the path, percent-decoded. */
    pathParameters(): Record<RouteParameters<Key>, string>;
  }
  & FnProxyEvent;

/**
 * Routes by their keys: a method or `ANY`, a space, and a path with `{name}` for one part and `{name+}` for the rest.
 *
 * @typeParam Keys The keys.
 */
export type RouteTable<Keys extends string> = {
  readonly [Key in Keys]: (
    event: RoutedEvent<Key>,
    context: FnContext,
  ) => ProxyResult | Promise<ProxyResult>;
};

const METHODS = ["ANY", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/** A route with its key, and the names of its parameters, in order. */
interface Target {
  readonly key: string;
  readonly route: ProxyRoute;
  readonly names: readonly string[];
}

/** The routes below one part of a path. */
interface Branch {
  readonly fixed: Map<string, Branch>;
  variable?: Branch;
  greedy?: Branch;
  readonly methods: Map<string, Target>;
}

/**
 * Puts several routes in one function, in the syntax of the gateway.
 *
 * - A fixed part beats a variable part, and a variable part beats a greedy part. The first part from the left that
 *   differs decides. Fixed parts are compared percent-decoded. One trailing slash is ignored.
 * - The path below the stage counts, with every gateway. If no path matches, the response is 404.
 * - The method is chosen after the path: the very method, then `GET` for HEAD, then `ANY`. OPTIONS is answered with 204
 *   and `Allow`, any other method with 405 and `Allow`.
 * - `event.pathParameters()` are the parameters of the matching route, and TypeScript knows their names.
 *
 * The time to match is linear in the length of the path.
 *
 * @typeParam Keys The keys of the table.
 * @param table The routes by their keys, such as `GET /orders/{id}` or `ANY /files/{path+}`.
 * @returns A route for `proxyHandler()`.
 * @throws {TypeError} If a key is malformed, two keys are equal except for the names of variables, or a value is not a
 * function.
 *
 * @example Orders and files
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { proxyHandler, routes } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * const handler = proxyHandler(routes({
 *   "GET /orders/{id}": (event) => ({ id: event.pathParameters().id }),
 *   "ANY /files/{path+}": (event) => ({ path: event.pathParameters().path }),
 * }));
 *
 * const ask = async (method: string, url: string) => {
 *   const response = await call(handler, { method, url });
 *   return [response.status, await response.json()];
 * };
 * assertEquals(await ask("GET", "/orders/7"), [200, { id: "7" }]);
 * assertEquals(await ask("PUT", "/files/a/b%20c"), [200, { path: "a/b c" }]);
 * assertEquals((await ask("PUT", "/orders/7"))[0], 405);
 * assertEquals((await ask("GET", "/"))[0], 404);
 * ```
 */
export function routes<const Keys extends string>(table: RouteTable<Keys>): ProxyRoute {
  if (!isPlainObject(table) || Object.keys(table).length === 0) {
    throw new TypeError('Invalid routes: expected an object such as { "GET /orders/{id}": route }');
  }
  const root = newBranch();
  for (const [key, route] of Object.entries(table)) addRoute(root, key, route as ProxyRoute);
  return (event, context) => {
    const isDecoded = formatOf(event.rawEvent).isPathDecoded?.(event.rawEvent) ?? false;
    const values: string[] = [];
    const branch = findBranch(root, splitPath(readRoutePath(event.rawEvent)), 0, isDecoded, values);
    if (branch === undefined) throw new HttpNotFoundError();
    const { methods } = branch;
    const method = event.httpMethod();
    const target = methods.get(method) ?? (method === "HEAD" ? methods.get("GET") : undefined) ??
      methods.get("ANY");
    if (target !== undefined) {
      const texts = isDecoded ? values : values.map(decodePathPart);
      const entries = target.names.map((name, index) => [name, texts[index]!] as const);
      setPathParameters(event, Object.fromEntries(entries));
      return target.route(event, context);
    }
    const allowed = new Set([...methods.keys(), ...methods.has("GET") ? ["HEAD"] : [], "OPTIONS"]);
    const headers = { Allow: [...allowed].join(", ") };
    if (method === "OPTIONS") return reply(204, undefined, { headers });
    throw new HttpMethodNotAllowedError("", { headers });
  };
}

function newBranch(): Branch {
  return { fixed: new Map(), methods: new Map() };
}

/** The parts of a path, without one leading and one trailing slash. */
function splitPath(path: string): string[] {
  const inner = path.replace(/^\//, "").replace(/\/$/, "");
  return inner === "" ? [] : inner.split("/");
}

function addRoute(root: Branch, key: string, route: ProxyRoute): void {
  const [, method, path] = /^(\S+) (\/[^\s?#]*)$/.exec(key) ?? [];
  if (method === undefined || path === undefined || !METHODS.includes(method)) {
    throw invalidKey(key, `expected ${METHODS.join(", ")}, then a space and a path`);
  }
  if (typeof route !== "function") throw invalidKey(key, "expected a function as its value");
  const names: string[] = [];
  let branch = root;
  const parts = splitPath(path);
  for (const [index, part] of parts.entries()) {
    const [, name, plus] = /^\{([^{}+]+)(\+?)\}$/.exec(part) ?? [];
    if (name === undefined) branch = fixedBranch(branch, part, key);
    else if (names.includes(name)) throw invalidKey(key, `the variable "${name}" stands twice`);
    else if (!plus) branch = branch.variable ??= newBranch();
    else if (index === parts.length - 1) branch = branch.greedy ??= newBranch();
    else throw invalidKey(key, `"${part}" is not the last part`);
    if (name !== undefined) names.push(name);
  }
  const other = branch.methods.get(method)?.key;
  if (other !== undefined) {
    throw invalidKey(key, `"${other}" is equal except for the names of variables`);
  }
  branch.methods.set(method, { key, route, names });
}

function fixedBranch({ fixed }: Branch, part: string, key: string): Branch {
  if (/[{}]/.test(part) || part === "") throw invalidKey(key, `"${part}" is not a part of a path`);
  if (part.startsWith(":")) {
    throw invalidKey(key, `write "{${part.slice(1)}}" instead of "${part}"`);
  }
  if (part === "*") throw invalidKey(key, 'write "{path+}" at the end instead of "*"');
  const name = percentDecode(part);
  if (name === undefined) throw invalidKey(key, `"${part}" has a malformed escape`);
  const branch = fixed.get(name) ?? newBranch();
  fixed.set(name, branch);
  return branch;
}

function invalidKey(key: string, problem: string): TypeError {
  return new TypeError(`Invalid route ${JSON.stringify(key)}: ${problem}`);
}

/** Finds the routes of a path. Each branch is visited at most once, because it stands at one depth only. */
function findBranch(
  branch: Branch,
  parts: readonly string[],
  depth: number,
  isDecoded: boolean,
  values: string[],
): Branch | undefined {
  const part = parts[depth];
  if (part === undefined) return branch.methods.size > 0 ? branch : undefined;
  const count = values.length;
  // No fixed part of a key is "", so a part with a malformed escape finds none.
  const name = isDecoded || branch.fixed.size === 0 ? part : percentDecode(part) ?? "";
  const fixed = branch.fixed.get(name);
  const found = fixed && findBranch(fixed, parts, depth + 1, isDecoded, values);
  if (found) return found;
  values.length = count;
  if (branch.variable && part !== "") {
    values.push(part);
    const found = findBranch(branch.variable, parts, depth + 1, isDecoded, values);
    if (found) return found;
    values.length = count;
  }
  if (branch.greedy) values.push(parts.slice(depth).join("/"));
  return branch.greedy;
}
