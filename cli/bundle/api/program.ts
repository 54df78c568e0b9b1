/**
 * The program that makes the document of an API, in a sandbox. The module of the API is beside it, so that the module and what it
 * imports get no rights of the tool.
 *
 * @module
 */
import { type ApiDescription, openApi, type OpenApiOptions } from "@mate/core/gateway";
import type { Gateway } from "../../application/types.ts";
import { matchRoutes, type ServedRoute } from "./match_routes.ts";

/** What the tool knows of the application. */
export interface Question {
  readonly title: string;
  readonly version: string;
  /** The URL of the stage, if it is known. */
  readonly url?: string | undefined;
  /** The kind of the gateway. */
  readonly kind: Gateway["kind"];
  /** The routes of the manifest. */
  readonly routes: readonly ServedRoute[];
  /** The security schemes that the user gives, and those of the authorizers. */
  readonly securitySchemes: Schemes;
  readonly authorizers: Schemes;
}

type Schemes = NonNullable<OpenApiOptions["securitySchemes"]>;

/** The document, and how the description differs from the manifest. */
export interface Description {
  readonly document: Readonly<Record<string, unknown>>;
  /** The keys of the description that no route serves. */
  readonly unserved: readonly string[];
  /** The routes that have no description, such as `GET /orders`. */
  readonly undescribed: readonly string[];
}

/** The exports of the module, which may be anything. */
interface ApiModule {
  readonly api: ApiDescription;
  readonly document?: Partial<OpenApiOptions> | undefined;
}

export async function handler(
  { title, version, url, kind, routes, securitySchemes, authorizers }: Question,
): Promise<Description> {
  for (const name of Object.keys(Deno.env.toObject())) Deno.env.delete(name);
  const place = new URL("api.js", import.meta.url).href; // not a literal, so that the bundler leaves it
  const { api, document = {} }: ApiModule = await import(place);
  const isOptions = typeof document === "object" && document !== null && !Array.isArray(document);
  if (!isOptions) {
    throw new TypeError('Invalid export "document": expected an object with options of openApi()');
  }
  const { served, unserved, undescribed } = matchRoutes(Object.keys(Object(api)), routes, kind);
  const used = [...served.values()].flatMap(({ authorizer }) => authorizer ?? []);
  const schemes = {
    ...Object.fromEntries(used.map((name) => [name, authorizers[name]!])),
    ...securitySchemes,
    ...document.securitySchemes,
  };
  const made = openApi(api, {
    title,
    version,
    ...(url === undefined ? {} : { servers: [{ url }] }),
    security: (key) => [served.get(key)?.authorizer ?? []].flat(),
    ...document,
    ...(Object.keys(schemes).length === 0 ? {} : { securitySchemes: schemes }),
  });
  return { document: made, unserved, undescribed };
}
