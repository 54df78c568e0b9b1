import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { loggerState } from "./state.ts";
import { currentRequestId, separateRequests, withRequestId } from "./request_id.ts";

const state = loggerState();
const now = currentRequestId;
const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

/**
 * Registers a test as in a new process. `store` tells whether the test makes an AsyncLocalStorage. Only Deno starts
 * without.
 */
function test(name: string, store: boolean, fn: () => void | Promise<void>): void {
  Deno.test(`withRequestId() ${name}`, async () => {
    delete state.store;
    delete state.firstId;
    assertEquals(now(), "");
    await fn();
    assertEquals(now(), "", "the scope has ended");
    assertEquals(state.openScopes, 0);
    const isNeeded = store || !("Deno" in globalThis);
    assertEquals(
      state.store !== undefined,
      isNeeded,
      "AsyncLocalStorage is made when it is needed",
    );
  });
}

test("covers a function, also after an await, and returns its result", false, async () => {
  assertEquals(withRequestId("a", now), "a");
  const ids = await withRequestId("a", async () => {
    const first = now();
    await pause();
    return [first, now()];
  });
  assertEquals(ids, ["a", "a"]);
});

test("ends with a function that throws or rejects, and passes the reason on", false, async () => {
  const error = new Error("x");
  const fail = () => {
    throw error;
  };
  assert(assertThrows(() => withRequestId("a", fail)) === error);
  assert(await assertRejects(() => withRequestId("a", () => Promise.reject(error))) === error);
});

test("does not count as a handler of a rejection", false, async () => {
  let reason: unknown;
  const listen = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    reason = event.reason;
  };
  addEventListener("unhandledrejection", listen);
  withRequestId("a", () => Promise.reject("nobody"));
  await pause();
  await pause();
  removeEventListener("unhandledrejection", listen);
  assertEquals(reason, "nobody");
});

test("covers a thenable, and calls its then() once", false, async () => {
  let asked = 0;
  const thenable = {
    then(resolve: (id: string) => void) {
      asked++;
      setTimeout(() => resolve(now()), 1);
    },
  };
  assertEquals(await (withRequestId("a", () => thenable) as unknown as Promise<string>), "a");
  assertEquals(asked, 1);
});

test("returns a value without then() as it is", false, () => {
  const value = { then: 1 };
  assert(withRequestId("a", () => value) === value);
  const fn = () => 1;
  assert(withRequestId("a", () => fn) === fn);
});

test("opened twice with one id lasts until both scopes have ended", false, async () => {
  await withRequestId("a", async () => {
    assertEquals(withRequestId("a", now), "a");
    await withRequestId("a", pause);
    assertEquals(now(), "a");
  });
  const short = withRequestId("a", pause);
  const long = withRequestId("a", async () => {
    await short;
    await pause();
    return now();
  });
  assertEquals(await long, "a");
});

test("gives the inner id until the inner scope ends", true, async () => {
  await withRequestId("outer", async () => {
    assertEquals(withRequestId("inner", now), "inner");
    assertEquals(now(), "outer");
    const inner = withRequestId("inner", async () => {
      await pause();
      return now();
    });
    assertEquals(now(), "outer");
    assertEquals(await inner, "inner");
    assertEquals(now(), "outer");
  });
});

test("keeps a hundred overlapping invocations apart", true, async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `id-${index}`);
  const seen = await Promise.all(ids.map((id) =>
    withRequestId(id, async () => {
      const all = [now()];
      for (let turn = 0; turn < 5; turn++) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        all.push(now(), withRequestId(id, now));
      }
      return new Set(all);
    })
  ));
  assertEquals(seen, ids.map((id) => new Set([id])));
});

test(
  "gives work that goes on after its scope the id of its scope or none, never a later id",
  true,
  async () => {
    const release = Promise.withResolvers<void>();
    const leave = (id: string) => {
      let left!: Promise<string>;
      withRequestId(id, () => {
        left = release.promise.then(now);
      });
      return left;
    };
    const [first, second] = [leave("a"), leave("b")];
    const ids = await withRequestId("c", async () => {
      release.resolve();
      return [await first, await second, now()];
    });
    assertEquals(ids, ["", "b", "c"]);
  },
);

Deno.test("code outside of any scope has no id, also while the first request of a process is open", async () => {
  delete state.store;
  delete state.firstId;
  separateRequests();
  const { promise, resolve } = Promise.withResolvers<void>();
  const outside = promise.then(now);
  const ids = await withRequestId("a", async () => {
    resolve();
    await pause();
    return [await outside, now(), withRequestId("b", now)];
  });
  assertEquals(ids, ["", "a", "b"]);
  const first = withRequestId("a", pause);
  assertEquals(now(), "");
  await first;
});

Deno.test("withRequestId() takes an empty id, and refuses an id that is not a string", () => {
  assertEquals(withRequestId("", now), "");
  for (const id of [undefined, null, 5]) {
    const problem = "Invalid request id: expected a string";
    assertThrows(() => withRequestId(id as never, now), TypeError, problem);
  }
});

Deno.test("withRequestId() nests without AsyncLocalStorage", () => {
  delete state.store;
  delete state.firstId;
  const { getBuiltinModule } = globalThis.process;
  try {
    Object.assign(globalThis.process, { getBuiltinModule: undefined });
    withRequestId("outer", () => {
      assertEquals(withRequestId("inner", now), "inner");
      assertEquals(now(), "outer");
    });
    assertEquals(now(), "");
  } finally {
    Object.assign(globalThis.process, { getBuiltinModule });
  }
});

Deno.test("outside any scope, the managed Node.js runtime gives the id", () => {
  const host = globalThis as { awslambda?: unknown };
  try {
    for (const [id, expected] of [["managed", "managed"], ["-", ""], [undefined, ""]]) {
      host.awslambda = { InvokeStore: { getRequestId: () => id } };
      assertEquals(now(), expected);
    }
    host.awslambda = {};
    assertEquals(now(), "");
  } finally {
    delete host.awslambda;
  }
});
