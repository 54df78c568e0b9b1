/**
 * Handlers of HTTP requests without a gateway: as a fetch function for any server, and as a web server of their own, such
 * as a Web Function of AWS Lambda or a container.
 *
 * @example One handler, event or web
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { proxyHandler } from "@mate/core/gateway";
 * import { toFetch } from "@mate/core/web";
 *
 * export const handler = proxyHandler((event) => ({ path: event.queryPath() }));
 *
 * const response = await toFetch(handler)(new Request("http://localhost/a/b"));
 * assertEquals(await response.json(), { path: ["a", "b"] });
 * ```
 *
 * @module
 */
export type { WebHandler } from "./answer.ts";
export type { FetchOptions } from "./options.ts";
export { listen, type ListenOptions, type WebServer } from "./listen.ts";
export { type FetchFunction, toFetch } from "./to_fetch.ts";
