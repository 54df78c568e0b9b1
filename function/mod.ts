/**
 * The parts that the events of all AWS services share: the base class, the error for an event that does not match the
 * specification, and the types of an AWS Lambda handler.
 *
 * @example A handler of your own event
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnEvent, type FnHandler } from "@mate/core/function";
 *
 * const handler: FnHandler = (raw) => Object.keys(new FnEvent(raw).rawEvent);
 *
 * assertEquals(await handler({ temperature: 21 }, {} as never), ["temperature"]);
 * ```
 *
 * @module
 */
export type * from "./context.ts";
export * from "./event.ts";
export type * from "./json.ts";
export {
  /** The base of the record classes. A record is one item of `Records` in an event of Amazon S3, SNS or SQS. */
  FnRecord,
} from "./record.ts";
export type {
  /** An issue as a schema reports it. */
  SchemaIssue,
  /** The result of a validation: the validated value, or the issues. */
  SchemaResult,
  /** A schema of any library that follows Standard Schema, such as Zod, Valibot and ArkType. */
  StandardSchema,
  /** An issue as the `details` of an error carry it. */
  ValidationIssue,
} from "./schema.ts";
export * from "./specification_error.ts";
