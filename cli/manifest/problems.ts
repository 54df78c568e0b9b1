import { z } from "zod";
import { nearest } from "./nearest.ts";

/** The unknown keys of an object, each with the known key that was probably meant. */
interface UnknownKeys {
  readonly known: readonly string[];
  readonly hints: readonly (readonly [key: string, word: string | null])[];
}

/** The words for what JSON holds. */
const TYPES: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};

/**
 * Makes the schema of an object whose keys are all known. A wrong key is reported with the key that was probably meant.
 */
export function object<T extends z.ZodRawShape>(shape: T): z.ZodObject<T, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? JSON.stringify({ known, hints: hintsFor(issue.keys as string[], known) })
        : undefined,
  });
}

/** Pairs each wrong key with the key that was probably meant, if there is one. */
function hintsFor(keys: readonly string[], known: readonly string[]) {
  return keys.map((key) => [key, nearest(key, known)] as const);
}

/** Words the problem of a value that has the wrong type, or that is not one of the possible values. */
export function wordIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") {
    const expected = TYPES[issue.expected] ?? issue.expected;
    return issue.input === undefined ? `is missing: expected ${expected}` : `must be ${expected}`;
  }
  if (issue.code === "invalid_value") {
    const values = issue.values.map((value) => JSON.stringify(value)).join(", ");
    const expected = issue.values.length > 1 ? `one of ${values}` : values;
    return issue.input === undefined ? `is missing: expected ${expected}` : `must be ${expected}`;
  }
  return undefined;
}

/** Describes the problems of a value. */
export function describe(error: z.ZodError, whole: string): string {
  const nameOf = (path: readonly PropertyKey[]) =>
    path.length === 0 ? `the ${whole}` : `"${path.join(".")}"`;
  const describeIssue = (issue: z.core.$ZodIssue, parent: readonly PropertyKey[]): string[] => {
    const path = [...parent, ...issue.path];
    if (issue.code === "unrecognized_keys") {
      const { known, hints }: UnknownKeys = JSON.parse(issue.message);
      const owner = path.length === 0 ? `a ${whole}` : nameOf(path);
      const strange = hints.filter(([, word]) => word == null)
        .map(([key]) => nameOf([...path, key]));
      const are = strange.length > 1 ? "are not keys" : "is not a key";
      return [
        ...hints.filter(([, word]) => word != null).map(([key, word]) =>
          `${nameOf([...path, key])} is not a key of ${owner}: did you mean "${word}"?`
        ),
        ...strange.length === 0 ? [] : [
          `${strange.join(", ")} ${are} of ${owner}: expected one of ${known.join(", ")}`,
        ],
      ];
    }
    if (issue.code === "invalid_key") {
      return issue.issues.map(({ message }) => `${nameOf(path)} ${message}`);
    }
    // The alternative of a union that the value resembles says more than the union.
    const issues = issue.code !== "invalid_union"
      ? undefined
      : issue.errors.find(([first]) => first!.code !== "invalid_type" || first!.path.length > 0);
    return issues?.flatMap((item) => describeIssue(item, path)) ??
      [`${nameOf(path)} ${issue.message}`];
  };
  return error.issues.flatMap((issue) => describeIssue(issue, [])).join("; ");
}
