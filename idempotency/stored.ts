import type { Reply } from "../gateway/response/reply.ts";

/**
 * A result as JSON gives it back. A `Date` is text, and a member that is a function is absent. Bytes stay bytes if they are
 * the result itself or the payload of a reply.
 *
 * @typeParam Result The result of the work.
 * @typeParam Place Where the value stands; only the type itself uses it.
 */
export type Stored<Result, Place extends "result" | "member" | "item" = "result"> = //
  unknown extends Result ? Result
    : Result extends undefined ? (Place extends "item" ? null : Result)
    : Result extends Uint8Array ? Uint8Array
    : Result extends { toJSON(...args: never[]): infer Json } ? Stored<Json, Place>
    : Result extends readonly unknown[] ? { [Key in keyof Result]: Stored<Result[Key], "item"> }
    : Result extends object ? {
        // deno-lint-ignore ban-types -- a method of a class
        [Key in keyof Result as Result[Key] extends Function ? never : Key]: Stored<
          Result[Key],
          "member"
        >;
      }
    : Result;

/**
 * A result without the parts that JSON cannot carry. A result is assignable to it if all parts can be kept. A function as a
 * member is left to the run time, because a type does not tell it from a method.
 *
 * @typeParam Result The result of the work.
 * @typeParam Place Where the value stands; only the type itself uses it.
 */
export type Storable<Result, Place extends "result" | "member" = "result"> = //
  unknown extends Result ? Result
    : Result extends Uint8Array ? (Place extends "result" ? Result : never)
    // deno-lint-ignore ban-types -- any function
    : Result extends Function ? (Place extends "result" ? never : Result)
    : Result extends { toJSON(...args: never[]): unknown } ? Result
    : Result extends
      | bigint
      | symbol
      | ArrayBuffer
      | ArrayBufferView
      | AsyncIterable<unknown>
      | Blob
      | Headers
      | Promise<unknown>
      | ReadonlyMap<unknown, unknown>
      | ReadonlySet<unknown>
      | RegExp
      | Response ? never
    : Result extends object ? {
        [Key in keyof Result]: Storable<
          Result[Key],
          Result extends Reply ? (Key extends "payload" ? Place : "member") : "member"
        >;
      }
    : Result;
