import { z } from "zod";

/**
 * The schema of an object with any keys of a kind. One named `__proto__` is refused: Zod would leave it out without a word.
 *
 * @param key The schema of the keys.
 * @param value The schema of the values.
 * @returns The schema.
 */
export function record<T>(
  key: z.ZodType<string, string>,
  value: z.ZodType<T>,
): z.ZodType<Record<string, T>> {
  return z.unknown().refine((object) => !Object.hasOwn(Object(object), "__proto__"), {
    error: 'must have no key "__proto__"',
    abort: true,
  }).pipe(z.record(key, value));
}

/**
 * Says what is wrong, with the key for each problem.
 *
 * @param error What Zod found.
 * @param whole What was checked, such as `a manifest`.
 * @returns The problems, in one line.
 */
export function describeProblems({ issues }: z.ZodError, whole: string): string {
  const name = (path: readonly PropertyKey[]) =>
    `"${path.join(".") || whole.replace(/^a /, "the ")}"`;
  return issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => `${name([...issue.path, key])} is no key of ${whole}`);
    }
    const reasons = issue.code === "invalid_key" ? issue.issues : [issue];
    return reasons.map(({ message }) => `${name(issue.path)} ${message}`);
  }).join("; ");
}
