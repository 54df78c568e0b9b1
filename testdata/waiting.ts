/**
 * Waiting with a limit. A test whose wait has no limit hangs instead of failing, and stops all tests after it.
 *
 * @module
 */

/** The limit in milliseconds. A busy machine needs a small part of it. */
const LIMIT = 60_000;

/** Waits for a promise. After a minute, fails with the name of what did not come and with what came instead. */
export async function within<T>(
  what: string,
  promise: Promise<T>,
  seen: () => unknown = () => "nothing",
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(problem(what, seen)), LIMIT);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks again and again until a condition holds. After a minute, fails as `within()` does. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  seen: () => unknown = () => "nothing",
): Promise<void> {
  const end = performance.now() + LIMIT; // Tests change Date.now().
  while (!await holds()) {
    if (performance.now() > end) throw problem(what, seen);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function problem(what: string, seen: () => unknown): Error {
  const instead = seen();
  const text = typeof instead === "string" ? instead : JSON.stringify(instead) ?? "undefined";
  const end = text.length > 2_000 ? `… ${text.slice(-2_000)}` : text;
  return new Error(`Waited a minute for ${what}, and got: ${end}`);
}
