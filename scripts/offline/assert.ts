/** Stand-in for `@std/assert` on `node:assert`, for networks that do not reach its registry. */
import strict, { AssertionError } from "node:assert/strict";
import { inspect } from "node:util";

export { AssertionError };

// deno-lint-ignore no-explicit-any -- the type of a class that any error may be
type ErrorClass<E extends Error> = abstract new (...args: any[]) => E;

export function assert(condition: unknown, message?: string): asserts condition {
  strict.ok(condition, message ?? "");
}

export function assertFalse(condition: unknown, message?: string): asserts condition is false {
  strict.ok(!condition, message ?? "");
}

export function assertExists<T>(value: T, message?: string): asserts value is NonNullable<T> {
  strict.ok(value !== undefined && value !== null, message ?? `${value} does not exist`);
}

export function assertEquals<T>(actual: T, expected: T, message?: string): void {
  strict.deepStrictEqual(actual, expected, message);
}

export function assertNotEquals<T>(actual: T, expected: T, message?: string): void {
  strict.notDeepStrictEqual(actual, expected, message);
}

export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  message?: string,
): asserts actual is T {
  if (!Object.is(actual, expected)) fail(message ?? `${show(actual)} is not ${show(expected)}`);
}

export function assertNotStrictEquals<T>(actual: T, expected: T, message?: string): void {
  strict.notStrictEqual(actual, expected, message);
}

export function assertMatch(actual: string, expected: RegExp, message?: string): void {
  strict.match(actual, expected, message);
}

export function assertNotMatch(actual: string, expected: RegExp, message?: string): void {
  strict.doesNotMatch(actual, expected, message);
}

export function assertStringIncludes(actual: string, expected: string, message?: string): void {
  strict.ok(
    actual.includes(expected),
    message ?? `${JSON.stringify(actual)} does not include ${JSON.stringify(expected)}`,
  );
}

export function assertArrayIncludes<T>(
  actual: ArrayLike<T>,
  expected: ArrayLike<T>,
  message?: string,
): void {
  for (const wanted of Array.from(expected)) {
    const found = Array.from(actual).some((item) => isEqual(item, wanted));
    if (!found) fail(message ?? `${show(wanted)} is missing`);
  }
}

export function assertGreater<T>(actual: T, expected: T, message?: string): void {
  strict.ok(actual > expected, message ?? `${actual} is not greater than ${expected}`);
}

export function assertGreaterOrEqual<T>(actual: T, expected: T, message?: string): void {
  strict.ok(actual >= expected, message ?? `${actual} is less than ${expected}`);
}

export function assertLess<T>(actual: T, expected: T, message?: string): void {
  strict.ok(actual < expected, message ?? `${actual} is not less than ${expected}`);
}

export function assertLessOrEqual<T>(actual: T, expected: T, message?: string): void {
  strict.ok(actual <= expected, message ?? `${actual} is greater than ${expected}`);
}

export function assertInstanceOf<E extends abstract new (...args: never[]) => unknown>(
  actual: unknown,
  expected: E,
  message?: string,
): asserts actual is InstanceType<E> {
  if (!(actual instanceof expected)) fail(message ?? `${show(actual)} is no ${expected.name}`);
}

export function assertIsError<E extends Error = Error>(
  error: unknown,
  errorClass?: ErrorClass<E>,
  messageIncludes?: string,
  message?: string,
): asserts error is E {
  if (!(error instanceof Error)) fail(message ?? `${show(error)} is no Error`);
  if (errorClass) {
    strict.ok(
      error instanceof errorClass,
      message ?? `${error.name} (${error.message}) is no ${errorClass.name}`,
    );
  }
  if (messageIncludes !== undefined) assertStringIncludes(error.message, messageIncludes, message);
}

export function assertThrows(fn: () => unknown, message?: string): unknown;
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  errorClass: ErrorClass<E>,
  messageIncludes?: string,
  message?: string,
): E;
export function assertThrows(
  fn: () => unknown,
  errorClassOrMessage?: ErrorClass<Error> | string,
  messageIncludes?: string,
  message?: string,
): unknown {
  let returned: unknown;
  try {
    returned = fn();
  } catch (error) {
    return checkThrown(error, errorClassOrMessage, messageIncludes, message);
  }
  throw new AssertionError({ message: `Expected an error, got ${show(returned)}` });
}

export function assertRejects(fn: () => PromiseLike<unknown>, message?: string): Promise<unknown>;
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  errorClass: ErrorClass<E>,
  messageIncludes?: string,
  message?: string,
): Promise<E>;
export async function assertRejects(
  fn: () => PromiseLike<unknown>,
  errorClassOrMessage?: ErrorClass<Error> | string,
  messageIncludes?: string,
  message?: string,
): Promise<unknown> {
  let returned: unknown;
  try {
    returned = await fn();
  } catch (error) {
    return checkThrown(error, errorClassOrMessage, messageIncludes, message);
  }
  throw new AssertionError({ message: `Expected a rejection, got ${show(returned)}` });
}

export function fail(message?: string): never {
  throw new AssertionError({ message: message ?? "Failed" });
}

export function unreachable(message?: string): never {
  throw new AssertionError({ message: message ?? "Unreachable" });
}

function checkThrown(
  error: unknown,
  errorClassOrMessage: ErrorClass<Error> | string | undefined,
  messageIncludes: string | undefined,
  message: string | undefined,
): unknown {
  if (typeof errorClassOrMessage === "function") {
    assertIsError(error, errorClassOrMessage, messageIncludes, message);
  }
  return error;
}

/** Unlike `String()`, shows every value: one without a prototype, too. */
const show = (value: unknown): string => inspect(value);

function isEqual(a: unknown, b: unknown): boolean {
  try {
    strict.deepStrictEqual(a, b);
    return true;
  } catch {
    return false; // the assertion is the comparison
  }
}
