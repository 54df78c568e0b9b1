/** Stand-in for `@std/assert` on `node:assert`, for networks without JSR. It has only the functions that the tests use. */
import strict, { AssertionError } from "node:assert/strict";
import { inspect } from "node:util";

// deno-lint-ignore no-explicit-any -- the constructor of an error may have any parameters
type ErrorClass<E extends Error> = abstract new (...args: any[]) => E;

export function assert(condition: unknown, message?: string): asserts condition {
  strict.ok(condition, message ?? "");
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
  if (!Object.is(actual, expected)) {
    fail(message ?? `${inspect(actual)} is not ${inspect(expected)}`);
  }
}

export function assertMatch(actual: string, expected: RegExp, message?: string): void {
  strict.match(actual, expected, message);
}

export function assertStringIncludes(actual: string, expected: string, message?: string): void {
  const problem = `${JSON.stringify(actual)} does not include ${JSON.stringify(expected)}`;
  strict.ok(actual.includes(expected), message ?? problem);
}

// As in @std/assert, an error has a type only if its class is given.
export function assertThrows(fn: () => unknown): unknown;
export function assertThrows<E extends Error>(
  fn: () => unknown,
  errorClass: ErrorClass<E>,
  messageIncludes?: string,
  message?: string,
): E;
export function assertThrows<E extends Error>(
  fn: () => unknown,
  errorClass?: ErrorClass<E>,
  messageIncludes?: string,
  message?: string,
): E {
  let returned: unknown;
  try {
    returned = fn();
  } catch (error) {
    return checkError(error, errorClass, messageIncludes, message);
  }
  fail(message ?? `Expected an error, got ${inspect(returned)}`);
}

export function assertRejects(fn: () => PromiseLike<unknown>): Promise<unknown>;
export function assertRejects<E extends Error>(
  fn: () => PromiseLike<unknown>,
  errorClass: ErrorClass<E>,
  messageIncludes?: string,
  message?: string,
): Promise<E>;
export async function assertRejects<E extends Error>(
  fn: () => PromiseLike<unknown>,
  errorClass?: ErrorClass<E>,
  messageIncludes?: string,
  message?: string,
): Promise<E> {
  let returned: unknown;
  try {
    returned = await fn();
  } catch (error) {
    return checkError(error, errorClass, messageIncludes, message);
  }
  fail(message ?? `Expected a rejection, got ${inspect(returned)}`);
}

export function fail(message?: string): never {
  throw new AssertionError({ message: message ?? "Failed" });
}

function checkError<E extends Error>(
  error: unknown,
  errorClass: ErrorClass<E> | undefined,
  messageIncludes = "",
  message?: string,
): E {
  if (errorClass && !(error instanceof errorClass)) {
    fail(message ?? `${inspect(error)} is not an instance of ${errorClass.name}`);
  }
  if (messageIncludes) assertStringIncludes((error as Error).message, messageIncludes, message);
  return error as E;
}
