import type { FnContext } from "../../function/event.ts";
import type { JsonValue } from "../../function/read.ts";
import type { StandardSchema } from "../../function/schema.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import type { HttpResponse } from "../response/http_response.ts";
import type { Reply, ReplyOptions } from "../response/reply.ts";
import type { StreamBody } from "../../function/bytes.ts";
import type { RouteParameters } from "../routes.ts";

/** A schema of a description: Standard Schema, version 1, with the types of what it takes and gives. */
export interface DescribedSchema {
  /** The properties that Standard Schema defines. */
  readonly "~standard": StandardSchema["~standard"] & {
    /** The types, which exist only for the compiler. */
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined;
  };
}

/** The description of one route: what the client sends, and what the route answers. */
export interface RouteDescription {
  /**
   * The responses by status, from 200 to 399: the schema of the payload, or a sentence if the response has no content. The
   * statuses 204, 205 and 304 take only a sentence.
   */
  readonly responses: { readonly [status: number]: DescribedSchema | string };
  /** The parameters of the path, as texts. */
  readonly path?: DescribedSchema | undefined;
  /** The parameters of the query, as texts. The last value of a repeated parameter counts. */
  readonly query?: DescribedSchema | undefined;
  /** The header fields, as texts by names in lower case. */
  readonly headers?: DescribedSchema | undefined;
  /** The body, as JSON. */
  readonly body?: DescribedSchema | undefined;
  /** A short summary, for the document. */
  readonly summary?: string | undefined;
  /** A longer description, for the document. */
  readonly description?: string | undefined;
  /** The groups that the route belongs to, for the document. */
  readonly tags?: readonly string[] | undefined;
  /** The `operationId` of the document; made of the key unless given. */
  readonly id?: string | undefined;
}

/** The methods that a described route can have. */
export type DescribedMethod = "DELETE" | "GET" | "HEAD" | "OPTIONS" | "PATCH" | "POST" | "PUT";

/**
 * The description of an API as data: its routes by the keys of `routes()`, each with one exact method.
 *
 * @example The description of two routes
 * ```ts
 * import * as z from "zod";
 * import type { ApiDescription } from "@mate/core/gateway";
 *
 * const Order = z.object({ id: z.string(), item: z.string() });
 * const api = {
 *   "POST /orders": { summary: "Place an order", body: Order.omit({ id: true }), responses: { 201: Order } },
 *   "DELETE /orders/{id}": { responses: { 204: "The order is cancelled" } },
 * } as const satisfies ApiDescription;
 * ```
 */
export type ApiDescription = {
  readonly [key: `${DescribedMethod} /${string}`]: RouteDescription;
};

/** The type of what a schema takes. */
export type SchemaInput<Schema> = Schema extends DescribedSchema
  ? NonNullable<Schema["~standard"]["types"]>["input"]
  : never;

/** The type of what a schema gives. */
export type SchemaOutput<Schema> = Schema extends DescribedSchema
  ? NonNullable<Schema["~standard"]["types"]>["output"]
  : never;

/** The event of a described route: the accessors without an argument return the outputs of the schemas. */
export type DescribedEvent<Key extends string, Description> =
  & {
    /** The parameters of the path, as the schema `path` gives them. */
    pathParameters(): Description extends { readonly path: infer Schema } ? SchemaOutput<Schema>
      : Record<RouteParameters<Key>, string>;
    /** The parameters of the query, as the schema `query` gives them. */
    queryStringParameters(): Description extends { readonly query: infer Schema }
      ? SchemaOutput<Schema>
      : Record<string, string>;
    /** The header fields, as the schema `headers` gives them. */
    httpHeaders(): Description extends { readonly headers: infer Schema } ? SchemaOutput<Schema>
      : Record<string, string>;
    /** The body, as the schema `body` gives it. */
    queryPayload(): Description extends { readonly body: infer Schema } ? SchemaOutput<Schema>
      : JsonValue;
  }
  & FnProxyEvent;

/** The statuses of errors, from 400 to 599. A reply with one of them is not checked. */
export type ErrorStatus =
  `${4 | 5}${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` extends
    infer Text ? Text extends `${infer Status extends number}` ? Status : never : never;

/** A reply with the status of an error. A payload of any type would keep the compiler from inferring other payloads. */
export interface ErrorReply extends ReplyOptions {
  /** The status code. */
  readonly status: ErrorStatus;
}

/** What a described route may return: the payload of a described response, or a result that is not checked. */
export type DescribedResult<Responses> =
  | (Responses extends { readonly 200: infer Schema } ? SchemaInput<Schema> : never)
  | (Responses extends { readonly 204: string } ? undefined | void : never)
  | {
    [Status in keyof Responses & number]: Reply<
      Responses[Status] extends string ? undefined
        : SchemaInput<Responses[Status]> | Uint8Array | StreamBody,
      Status
    >;
  }[keyof Responses & number]
  | ErrorReply
  | Response
  | Uint8Array
  | StreamBody
  | HttpResponse;

/** A route that implements a description. */
export type DescribedRoute<Key extends string, Description> = Description extends {
  readonly responses: infer Responses;
} ? (
    event: DescribedEvent<Key, Description>,
    context: FnContext,
  ) => DescribedResult<Responses> | Promise<DescribedResult<Responses>>
  : never;
