/**
 * A typed client of a described API, for browsers and every runtime with `fetch`. It takes only the type of the
 * description, so it loads neither the schemas nor the functions.
 *
 * @example Placing an order
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import * as z from "zod";
 * import { createClient } from "@mate/core/client";
 * import { type ApiDescription, implement, proxyHandler, reply, routes } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * const Order = z.object({ id: z.number(), item: z.string() });
 * const api = {
 *   "POST /orders": { body: Order.omit({ id: true }), responses: { 201: Order } },
 * } as const satisfies ApiDescription;
 * const handler = proxyHandler(routes(implement(api, {
 *   "POST /orders": (event) => reply(201, { id: 7, ...event.queryPayload() }),
 * })));
 *
 * // In a page, this is: createClient<typeof api>("/v1")
 * const client = createClient<typeof api>("https://api.example.com", {
 *   fetch: (url, init) => call(handler, new Request(url, init)),
 * });
 * const order = await client("POST /orders", { body: { item: "tea" } });
 * if (order.ok) assertEquals(order.body.id, 7);
 * ```
 *
 * @module
 */
import type { Client } from "./types.ts";

export type * from "./types.ts";

/** The options of {@linkcode createClient}. */
export interface ClientOptions {
  /** Sends the requests in place of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** The header fields of each request. Those of a call win, whatever the case of their names. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
}

/** What makes another route of a path: no value, and the segments that `fetch` removes. UTF-8 has no lone surrogates. */
const UNUSABLE = /^$|(^|\/)\.\.?(\/|$)|\p{Cs}/u;

/**
 * Makes a client of a described API.
 *
 * A call resolves to `{ ok, status, body, response }`, whatever the status. It rejects only if `fetch` does, if the body of
 * a success is neither empty nor JSON (a `SyntaxError`), or if the parameters make no URL (a `TypeError`).
 *
 * Values of the path are percent-encoded. A value that is empty, that has a segment `.` or `..`, or that begins with a
 * slash and stands for several segments, is refused, because `fetch` would ask for another route or another host.
 *
 * @typeParam Api The type of the description: `createClient<typeof api>(…)`.
 * @param base The URL before the paths, with the stage: `https://api.example.com/v1`. It may be relative in a browser.
 * @param options Another `fetch`, and the header fields of each request.
 * @returns The client.
 *
 * @example An order that does not exist
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createClient } from "@mate/core/client";
 *
 * type Api = { "GET /orders/{id}": { responses: { 204: "It exists" } } };
 * const asked: string[] = [];
 * const client = createClient<Api>("https://api.example.com/v1/", {
 *   fetch(url) {
 *     asked.push(url);
 *     return Promise.resolve(Response.json({ Message: "Not Found" }, { status: 404 }));
 *   },
 * });
 * const { ok, status, body } = await client("GET /orders/{id}", { path: { id: "a/b" } });
 * assertEquals([ok, status, body], [false, 404, { Message: "Not Found" }]);
 * assertEquals(asked, ["https://api.example.com/v1/orders/a%2Fb"]);
 * ```
 */
export function createClient<Api>(base: string, options: ClientOptions = {}): Client<Api> {
  const client = async (key: string, { path, query, headers, body, signal }: Parts = {}) => {
    const [method, template] = key.split(" ") as [string, string];
    const url = template.replace(/\{(.+?)(\+?)\}/g, (_, name, plus) => {
      const value = String(path?.[name] ?? "");
      if (UNUSABLE.test(value) || (plus && value.startsWith("/"))) {
        throw new TypeError(`Invalid ${name} of ${key}: "${value}" makes another path`);
      }
      const encoded = encodeURIComponent(value);
      return plus ? encoded.replaceAll("%2F", "/") : encoded;
    });
    const search = new URLSearchParams();
    const fields = new Headers();
    const copy = (from: object | undefined, to: URLSearchParams | Headers) => {
      for (const [name, value] of Object.entries(from ?? {})) {
        if (value !== undefined) to.set(name, value);
      }
    };
    copy(query, search);
    if (body !== undefined) fields.set("content-type", "application/json");
    copy(options.headers, fields);
    copy(headers, fields);
    const response = await (options.fetch ?? fetch)(
      base.replace(/\/$/, "") + url + (`${search}` && `?${search}`),
      { method, headers: fields, body: JSON.stringify(body), signal: signal ?? null },
    );
    const { ok, status } = response;
    const text = await response.text();
    let received: unknown = text || undefined;
    try {
      if (text) received = JSON.parse(text);
    } catch (error) {
      if (ok) throw error;
    }
    return { ok, status, body: received, response };
  };
  return client as unknown as Client<Api>;
}

/** The parts of a request of any route. */
interface Parts {
  readonly path?: Record<string, unknown>;
  readonly query?: object;
  readonly headers?: object;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}
