import type { FnContext } from "../../function/context.ts";
import type { JsonValue } from "../../function/read.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import type { HttpResponse } from "../response/http_response.ts";
import type { Reply, ReplyOptions } from "../response/reply.ts";
import type { StreamBody } from "../../function/bytes.ts";
import type { RouteParameters } from "../routes.ts";
import type { DescribedSchema } from "./description.ts";

/**
 * The type of what a schema takes.
 *
 * @typeParam Schema The schema.
 */
export type SchemaInput<Schema> = Schema extends DescribedSchema
  ? NonNullable<Schema["~standard"]["types"]>["input"]
  : never;

/**
 * The type of what a schema gives.
 *
 * @typeParam Schema The schema.
 */
export type SchemaOutput<Schema> = Schema extends DescribedSchema
  ? NonNullable<Schema["~standard"]["types"]>["output"]
  : never;

/**
 * The event of a described route: the accessors without an argument return the outputs of the schemas.
 *
 * @typeParam Key The key of the route.
 * @typeParam Description Its description.
 */
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

/**
 * What a described route may return: the payload of a described response, or a result that is not checked.
 *
 * @typeParam Responses The responses of the description.
 */
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

/**
 * A route that implements a description.
 *
 * @typeParam Key The key of the route.
 * @typeParam Description Its description.
 */
export type DescribedRoute<Key extends string, Description> = Description extends {
  readonly responses: infer Responses;
} ? (
    event: DescribedEvent<Key, Description>,
    context: FnContext,
  ) => DescribedResult<Responses> | Promise<DescribedResult<Responses>>
  : never;
