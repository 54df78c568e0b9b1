/**
 * Gives every test a limit, so that none can wait forever. `deno test` loads this file before the tests, because `std.ts` prints
 * `--preload` with its path.
 *
 * @module
 */
import { runInThisContext } from "node:vm";

/** The limit in milliseconds. A busy machine needs a small part of it. A test that needs more says its own `timeout`. */
const LIMIT = 600_000;

// Deno takes the place of the caller as the place of the test, unless its file has a name like those of Deno itself.
const limit = runInThisContext(
  `(register, timeout) => (...args) => {
    const parts = args.map((arg) =>
      typeof arg === "string" ? { name: arg } : typeof arg === "function" ? { fn: arg } : arg
    );
    const test = Object.assign({ timeout }, ...parts);
    register({ ...test, name: test.name ?? test.fn.name });
  }`,
  { filename: "ext:time_limit.js" },
);

Object.assign(Deno, { test: Object.assign(limit(Deno.test, LIMIT), Deno.test) });
