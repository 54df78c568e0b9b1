import type { SchemaInput, SchemaOutput } from "../gateway/described/description.ts";
import type { RouteParameters } from "../gateway/routes.ts";

/** A value that JSON gives back as it is. */
export type PlainJson =
  | string
  | number
  | boolean
  | null
  | readonly PlainJson[]
  | { readonly [name: string]: PlainJson | undefined };

/**
 * What JSON makes of a value: a `Date` is text, and a member that is a function is absent.
 *
 * @typeParam Value The type of the value.
 */
export type Received<Value> = Value extends PlainJson ? Value
  : unknown extends Value ? Value
  : Value extends { toJSON(...args: never[]): infer Json } ? Received<Json>
  : Value extends readonly unknown[] ? { [Key in keyof Value]: Received<Value[Key]> }
  : Value extends object ? {
      // deno-lint-ignore ban-types -- a method of a class
      [Key in keyof Value as Value[Key] extends Function ? never : Key]: Received<Value[Key]>;
    }
  : Value;

/** The statuses of success, from 200 to 299. */
export type SuccessStatus =
  `2${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` extends
    infer Text ? Text extends `${infer Status extends number}` ? Status : never : never;

/**
 * What the client gets from a described route. The member `status` tells the type of `body`.
 *
 * @typeParam Responses The responses of the description.
 */
export type ClientResult<Responses> =
  | {
    [Status in keyof Responses & SuccessStatus]: {
      /** Whether the status is from 200 to 299. */
      readonly ok: true;
      /** The status. */
      readonly status: Status;
      /** The payload; `undefined` if the response has no content. */
      readonly body: Responses[Status] extends string ? undefined
        : Received<SchemaOutput<Responses[Status]>>;
      /** The response, whose body has been read. */
      readonly response: Response;
    };
  }[keyof Responses & SuccessStatus]
  | {
    /** Whether the status is from 200 to 299. */
    readonly ok: false;
    /** The status. */
    readonly status: number;
    /** The payload as JSON, or as text if it is no JSON; `undefined` if the response has no content. */
    readonly body: unknown;
    /** The response, whose body has been read. */
    readonly response: Response;
  };

/**
 * The parts of a request that its description names.
 *
 * @typeParam Key The key of the route.
 * @typeParam Description Its description.
 */
export type ClientRequest<Key extends string, Description> =
  & (Description extends { readonly path: infer Schema }
    ? { readonly path: SchemaInput<Schema> & Record<RouteParameters<Key>, unknown> }
    : Key extends `${string}{${string}`
      ? { readonly path: Readonly<Record<RouteParameters<Key>, string | number>> }
    : unknown)
  & (Description extends { readonly query: infer Schema } ? Part<"query", SchemaInput<Schema>>
    : { readonly query?: Readonly<Record<string, unknown>> })
  & (Description extends { readonly headers: infer Schema } ? Part<"headers", SchemaInput<Schema>>
    : unknown)
  & (Description extends { readonly body: infer Schema } ? { readonly body: SchemaInput<Schema> }
    : unknown);

/**
 * A part of a request, which may be absent if all its members may be.
 *
 * @typeParam Name The name of the part.
 * @typeParam Values Its members.
 */
export type Part<Name extends string, Values> = Record<never, never> extends Values
  ? { readonly [Key in Name]?: Values }
  : { readonly [Key in Name]: Values };

/** The parts that every request may have. */
export interface AnyRequest {
  /** The header fields. One that is `undefined` is left out. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A client of a described API.
 *
 * @typeParam Api The type of the description.
 * @param key The key of a route.
 * @param request The parts of the request. If the description needs none, it may be absent.
 * @returns What the route answered, whatever the status.
 */
export type Client<Api> = <const Key extends keyof Api & string>(
  key: Key,
  ...request: Record<never, never> extends ClientRequest<Key, Api[Key]>
    ? [request?: ClientRequest<Key, Api[Key]> & AnyRequest]
    : [request: ClientRequest<Key, Api[Key]> & AnyRequest]
) => Promise<
  Api[Key] extends { readonly responses: infer Responses } ? ClientResult<Responses> : never
>;
