import { invalid, type Path, specificationError } from "./read.ts";

/**
 * A schema of any library that follows Standard Schema, version 1, such as Zod, Valibot and ArkType.
 *
 * @typeParam Output The type of the validated value.
 * @see https://standardschema.dev
 */
export interface StandardSchema<Output = unknown> {
  /** The properties that Standard Schema defines. */
  readonly "~standard": {
    /** The version of Standard Schema. */
    readonly version: 1;
    /** The name of the library that made the schema. */
    readonly vendor: string;
    /** Validates a value. */
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
  };
}

/** The result of a validation: the validated value, or the issues. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** An issue as a schema reports it. */
export interface SchemaIssue {
  /** The description of the issue. */
  readonly message: string;
  /** The keys that lead to the invalid value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** An issue as the `details` of an error carry it. */
export interface ValidationIssue {
  /** The keys that lead to the invalid value. The root has no keys. */
  readonly path: readonly (string | number)[];
  /** The description of the issue. */
  readonly message: string;
}

/**
 * Validates a value. Without a schema, any value is valid.
 *
 * @param toError Makes the error from the issues.
 * @returns The output of the schema.
 * @throws {TypeError} If the schema validates asynchronously.
 */
export function validate<Output>(
  schema: StandardSchema<Output> | undefined,
  value: unknown,
  toError: (issues: readonly ValidationIssue[]) => Error,
): Output {
  if (schema === undefined) return value as Output;
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise) throw invalid("schema", "one that is not asynchronous");
  if (result.issues === undefined) return result.value;
  throw toError(
    result.issues.map(({ message, path = [] }) => ({ path: Array.from(path, toKey), message })),
  );
}

/** Makes the errors for data of a client that a schema refuses. */
export function refuse(
  ClientError: new (message: string, options: { details: { issues: unknown } }) => Error,
  data: string,
): (issues: readonly ValidationIssue[]) => Error {
  return (issues) => new ClientError(`Invalid ${data}`, { details: { issues } });
}

function toKey(part: PropertyKey | { readonly key: PropertyKey }): string | number {
  return (typeof part === "object" ? part.key : part) as string | number; // JSON has no symbols
}

/** Validates the value at a path of the event; see {@linkcode validate}. */
export function validateAt<Output>(
  schema: StandardSchema<Output> | undefined,
  value: unknown,
  path: Path,
): Output {
  // The error leaves the message of the issue out, because the message may quote data that must not be logged.
  return validate(schema, value, ([issue]) => {
    return specificationError([...path, ...issue?.path ?? []], "is refused by the schema");
  });
}
