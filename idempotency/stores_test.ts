/** The rules of a store, on both stores. The table is on the local engine, with the client of the AWS SDK. */
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import type { FnContext } from "../function/mod.ts";
import { startTables } from "../testdata/tables.ts";
import {
  IdempotencyInProgressError,
  type IdempotencyOptions,
  IdempotencyPayloadError,
  IdempotencyResultError,
  type IdempotencyStore,
  idempotent,
  memoryStore,
  tableStore,
} from "./mod.ts";
import { until } from "../testdata/waiting.ts";

/** Each test has a table of its own, because tests of other files may run at the same time. */
const tables = await startTables();
addEventListener("unload", () => void tables[Symbol.asyncDispose]());
await tables.client.createTable({
  TableName: "keys",
  AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
  KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  BillingMode: "PAY_PER_REQUEST",
});

const STORES: Readonly<Record<string, IdempotencyStore>> = {
  "memoryStore()": memoryStore(),
  "tableStore()": tableStore({ table: "keys", documents: tables.documents }),
};

const context = (remaining = 60_000) =>
  ({ awsRequestId: "id-1", getRemainingTimeInMillis: () => remaining }) as FnContext;

/** The milliseconds that pass at once. */
let passed = 0;
const { now } = Date;
Date.now = () => now() + passed;

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Work that counts its calls. Each call waits until it is told to go on. */
function countedWork(
  store: IdempotencyStore,
  options: Partial<IdempotencyOptions<string>> = {},
) {
  const id = crypto.randomUUID();
  const calls: { end(result: unknown): void; fail(error: Error): void }[] = [];
  const guarded = idempotent(() => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    calls.push({ end: resolve, fail: reject });
    return promise;
  }, { store, key: () => id, ...options });
  const begun = async (count: number) => {
    await until(`call ${count} of the work`, () => calls.length >= count, () => calls.length);
    return calls[count - 1]!;
  };
  return { guarded, calls, begun };
}

for (const [name, store] of Object.entries(STORES)) {
  const test = (rule: string, fn: () => Promise<void>) =>
    Deno.test({ name: `${name} ${rule}`, fn, sanitizeResources: false, sanitizeOps: false });

  test("keeps a result, and the work runs once", async () => {
    for (const result of ["a", 0, null, undefined, { list: [1.5, true] }]) {
      const { guarded, calls, begun } = countedWork(store);
      const first = guarded("", context());
      (await begun(1)).end(result);
      assertEquals([await first, await guarded("", context())], [result, result]);
      assertEquals(calls.length, 1);
    }
  });

  test("gives a claim to one of two calls at once, whatever the payload", async () => {
    const { guarded, calls, begun } = countedWork(store, { payload: (input) => input });
    const { promise: bothRefused, resolve } = Promise.withResolvers<void>();
    let refused = 0;
    const attempts = ["a", "b", "c"].map((input) =>
      guarded(input, context()).catch((error) => {
        if (++refused === 2) resolve();
        return error;
      })
    );
    const call = await begun(1);
    await bothRefused;
    call.end("done");
    const outcomes = await Promise.all(attempts);
    assertEquals(calls.length, 1);
    assertEquals(outcomes.filter((outcome) => outcome === "done").length, 1);
    for (const outcome of outcomes.filter((outcome) => outcome !== "done")) {
      assert(outcome instanceof IdempotencyInProgressError, String(outcome));
      assertEquals([outcome.status, outcome.headers], [409, { "Retry-After": "1" }]);
    }
  });

  test("refuses another payload for the same key", async () => {
    const { guarded, begun } = countedWork(store, { payload: (input) => JSON.parse(input) });
    const first = guarded('{"a":1,"b":[{"c":2,"d":3}]}', context());
    (await begun(1)).end("done");
    await first;
    assertEquals(await guarded('{"b":[{"d":3,"c":2}],"a":1}', context()), "done");
    for (const other of ['{"a":1}', '{"a":1,"b":[{"c":3,"d":2}]}', "null"]) {
      const error = await assertRejects(() => guarded(other, context()), IdempotencyPayloadError);
      assertEquals((error as IdempotencyPayloadError).status, 422);
    }
  });

  test("frees the key after an error of the work", async () => {
    const { guarded, begun } = countedWork(store);
    const first = guarded("", context());
    const reason = new Error("no money");
    (await begun(1)).fail(reason);
    assertEquals(await first.catch((error) => error), reason);
    const second = guarded("", context());
    (await begun(2)).end("done");
    assertEquals(await second, "done");
  });

  test("marks the key as done without a result if the result is larger than an item", async () => {
    // An item has at most 400 KB. The attributes beside the result have less than 300 bytes.
    for (const [size, isKept] of [[409_600, false], [409_300, true]] as const) {
      let count = 0;
      const key = crypto.randomUUID();
      const guarded = idempotent(() => {
        count++;
        return "é".repeat(size / 2);
      }, { store, key: () => key });
      if (isKept) assertEquals((await guarded("", context())).length, size / 2);
      else {
        const error = await assertRejects(() => guarded("", context()));
        assertMatch(String(error), /Item size .* exceeded|has at most 400 KB/);
      }
      passed += 60_001; // the claim would be over
      if (isKept) assertEquals((await guarded("", context())).length, size / 2);
      else await assertRejects(() => guarded("", context()), IdempotencyResultError);
      assertEquals(count, 1);
    }
  });

  test("frees the key at the deadline of a call that crashed", async () => {
    const { guarded, begun } = countedWork(store);
    void guarded("", context(60_000)); // never ends, as after a crash or a time-out
    await begun(1);
    await assertRejects(() => guarded("", context()), IdempotencyInProgressError);
    passed += 60_001;
    const second = guarded("", context());
    (await begun(2)).end("second");
    assertEquals([await second, await guarded("", context())], ["second", "second"]);
  });

  test("keeps the result of an end after the deadline if nobody else has the claim", async () => {
    const { guarded, calls, begun } = countedWork(store);
    const first = guarded("", context(1));
    const call = await begun(1);
    await sleep(20);
    call.end("late");
    assertEquals([await first, await guarded("", context()), calls.length], ["late", "late", 1]);
  });

  test("does not let a late end overwrite the work of another call", async () => {
    for (const order of ["before", "after"]) {
      const { guarded, begun } = countedWork(store);
      const late = guarded("", context(1)).catch((error) => error);
      const first = await begun(1);
      await sleep(20);
      const other = guarded("", context());
      const second = await begun(2);
      if (order === "before") {
        first.end("late");
        assert(await late instanceof IdempotencyInProgressError);
        second.end("other");
        assertEquals(await other, "other");
      } else {
        second.end("other");
        assertEquals(await other, "other");
        first.end("late");
        assert(await late instanceof IdempotencyInProgressError);
      }
      assertEquals(await guarded("", context()), "other", order);
    }
  });

  test("does not let the error of a late call free the claim of another", async () => {
    const { guarded, begun } = countedWork(store);
    const late = guarded("", context(1)).catch((error) => error);
    const first = await begun(1);
    await sleep(20);
    const other = guarded("", context());
    const second = await begun(2);
    first.fail(new Error("late"));
    assertEquals((await late as Error).message, "late");
    await assertRejects(() => guarded("", context()), IdempotencyInProgressError);
    second.end("other");
    assertEquals(await other, "other");
  });

  test("gives back only a claim: a release after the end keeps the result", async () => {
    const key = crypto.randomUUID();
    const claim = await store.claim(key, { until: Date.now() + 60_000 });
    assert(claim.state === "claimed");
    await store.complete(key, claim.token, { result: "r", expires: Date.now() / 1_000 + 60 });
    await store.release(key, claim.token);
    const { state } = await store.claim(key, { until: Date.now() + 1_000 });
    assertEquals(state, "done");
  });

  test("remembers work without a result, and the result of work whose claim is gone", async () => {
    for (const result of [undefined, "r"]) {
      const key = crypto.randomUUID();
      const until = Date.now() + 60_000;
      const claim = await store.claim(key, { until });
      assert(claim.state === "claimed");
      if (result) await store.release(key, claim.token);
      await store.complete(key, claim.token, { result, expires: Date.now() / 1_000 + 60 });
      assertEquals(await store.claim(key, { until }), {
        state: "done",
        result,
        payload: undefined,
      });
    }
  });

  test("forgets a result that has expired", async () => {
    const key = crypto.randomUUID();
    const now = Math.floor(Date.now() / 1_000);
    const claim = await store.claim(key, { until: Date.now() + 1_000, payload: "p" });
    assert(claim.state === "claimed");
    await store.complete(key, claim.token, { result: "r", expires: now + 60 });
    const kept = await store.claim(key, { until: Date.now() + 1_000 });
    assertEquals(kept, { state: "done", result: "r", payload: "p" });
    await store.complete(key, claim.token, { result: "r", expires: now });
    assertEquals((await store.claim(key, { until: Date.now() + 1_000 })).state, "claimed");
  });
}

Deno.test("tableStore() sets the time to live of claims and results", async () => {
  const key = crypto.randomUUID();
  const store = STORES["tableStore()"]!;
  const read = async () =>
    (await tables.documents.get({ TableName: "keys", Key: { id: key } })).Item!;
  const until = Date.now() + 5_001;
  const claim = await store.claim(key, { until, payload: "p" });
  assert(claim.state === "claimed");
  const expires = Math.ceil(until / 1_000);
  assertEquals(await read(), { id: key, token: claim.token, payload: "p", until, expires });
  await store.complete(key, claim.token, { result: "r", expires: expires + 100 });
  const done = { id: key, token: claim.token, payload: "p", result: "r", expires: expires + 100 };
  assertEquals(await read(), done);
});

Deno.test("tableStore() takes its own claim for its own if the answer to the write got lost", async () => {
  // The client sends the write again, and the condition is false because of its own item.
  const { documents } = tables;
  const twice = Object.assign(Object.create(documents), {
    async put(input: Parameters<typeof documents.put>[0]) {
      await documents.put(input);
      return await documents.put(input);
    },
  });
  let count = 0;
  const key = crypto.randomUUID();
  const store = tableStore({ table: "keys", documents: twice });
  const guarded = idempotent(() => ++count, { store, key: () => key });
  assertEquals([await guarded("", context()), await guarded("", context())], [1, 1]);
  const other = await store.claim(key + "2", { until: Date.now() + 60_000 });
  assertEquals(other.state, "claimed");
  const late = await store.claim(key + "2", { until: Date.now() + 60_000 });
  assertEquals(late, { state: "inProgress" });
});

Deno.test("tableStore() passes the errors of the client on, and the work does not run", async () => {
  let count = 0;
  const store = tableStore({ table: "missing", documents: tables.documents });
  const guarded = idempotent(() => count++, { store, key: () => "1" });
  const error = await assertRejects(() => guarded(undefined, context()));
  assertEquals([(error as Error).name, count], ["ResourceNotFoundException", 0]);
});

Deno.test("tableStore() refuses wrong options, and passes unknown errors on", async () => {
  const { documents } = tables;
  const cases = [
    [undefined, "Invalid options: expected a plain object"],
    [
      { table: "keys", documents, ttl: 5 },
      'Unknown option "ttl": expected one of table, documents',
    ],
    [{ table: "", documents }, "Invalid table: expected the name of a table"],
    [{ documents }, "Invalid table: expected the name of a table, got undefined"],
    [{ table: "keys", documents: {} }, "Invalid documents: expected a DynamoDBDocument of"],
  ] as const;
  for (const [options, message] of cases) {
    assertThrows(() => tableStore(options as never), TypeError, message);
  }
  // A condition that is false without the old item says nothing about the key.
  const failure = Object.assign(new Error("no"), { name: "ConditionalCheckFailedException" });
  const fail = () => Promise.reject(failure);
  const store = tableStore({ table: "keys", documents: { put: fail, update: fail, delete: fail } });
  assertEquals(await assertRejects(() => store.claim("1", { until: 0 })), failure);
  await store.release("1", "token");
  const late = await assertRejects(() => store.complete("1", "token", { expires: 0 }));
  assertEquals((late as Error).cause, failure);
  failure.name = "ThrottlingException";
  for (
    const call of [
      () => store.claim("1", { until: 0 }),
      () => store.release("1", "token"),
      () => store.complete("1", "token", { expires: 0 }),
    ]
  ) assertEquals(await assertRejects(call), failure);
});
