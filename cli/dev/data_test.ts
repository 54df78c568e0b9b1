import { assertEquals, assertStringIncludes } from "@std/assert";
import { manifestWith, startTestPlatform, type TestPlatform } from "../testdata/platform.ts";

const triggers = {
  queues: [{ name: "jobs" }],
  tables: [{ name: "items", retries: 0 }],
  buckets: [{ name: "files", events: ["s3:ObjectCreated:*"] }],
};

const MANIFEST = manifestWith({
  f: { module: "f.ts", triggers, uses: { buckets: { quiet: "read" } } },
}, {
  jobs: { retries: 0 },
  other: { fifo: true },
}, {
  items: {
    key: { customer: "string", number: "number" },
    indexes: { byDay: { key: { day: "string" } } },
  },
});

async function ask(test: TestPlatform, path: string, method = "GET", body?: unknown) {
  const content = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const { status, text } = await test.send({ method, path, body: content });
  return { status, body: text === "" ? undefined : JSON.parse(text) };
}

Deno.test("GET buckets/NAME lists objects by prefix, page by page", async () => {
  await using test = await startTestPlatform(() => "{}", { manifest: MANIFEST });
  const keys = Array.from({ length: 201 }, (_, number) => `a/${String(number).padStart(3, "0")}`);
  for (const key of [...keys, "b"]) {
    await test.send({ method: "PUT", path: `/buckets/quiet/${key}`, body: "x" });
  }
  const first = (await ask(test, "/buckets/quiet?prefix=a/")).body;
  assertEquals(first.objects.map(({ key }: { key: string }) => key), keys.slice(0, 200));
  assertEquals([first.objects[0].size, first.objects[0].etag.length], [1, 32]);
  assertEquals(first.next, "a/199");
  const second = (await ask(test, `/buckets/quiet?prefix=a/&after=${first.next}`)).body;
  assertEquals([second.objects.length, second.objects[0].key, second.next], [
    1,
    "a/200",
    undefined,
  ]);
  assertEquals((await ask(test, "/buckets/quiet?prefix=b")).body.objects.length, 1);
});

Deno.test("GET tables/NAME lists items by their key, also of an index, and page by page", async () => {
  await using test = await startTestPlatform(() => "null", { manifest: MANIFEST });
  for (let number = 0; number < 60; number++) {
    await ask(test, "/tables/items", "POST", { customer: "ada", number, day: `d${number % 2}` });
  }
  await ask(test, "/tables/items", "POST", { customer: "bob", number: 7, day: "d0" });
  const list = async (query: string) => {
    const { status, body } = await ask(test, `/tables/items?${query}`);
    return status === 200
      ? { ...body, items: body.items.map(({ text }: { text: string }) => JSON.parse(text)) }
      : body.message;
  };
  const first = await list("key=ada");
  assertEquals(
    first.items.map(({ number }: { number: number }) => number),
    Array.from({ length: 50 }, (_, n) => n),
  );
  const rest = await list(`key=ada&after=${encodeURIComponent(first.next)}`);
  assertEquals([rest.items.length, rest.next], [10, undefined]);
  assertEquals((await list("key=bob")).items, [{ customer: "bob", number: 7, day: "d0" }]);
  assertEquals((await list("key=ada&sort=3")).items, [{ customer: "ada", number: 3, day: "d1" }]);
  assertEquals((await list("index=byDay&key=d0")).items.length, 31);
  assertEquals((await list("")).items.length, 50);
  const refusals = [
    ["index=no&key=1", 'The table "items" has no index "no": it has byDay'],
    ["sort=1", 'A value of the sort key needs a value of the partition key: add "key"'],
    ["index=byDay&key=d0&sort=1", 'The table "items" has no sort key here: leave out "sort"'],
    ["after=x", 'Cannot list the items: "after" is not the "next" of an answer'],
  ] as const;
  for (const [query, message] of refusals) assertEquals(await list(query), message);
  assertStringIncludes(await list("key=ada&sort=x"), "numeric");
});

Deno.test("GET queues/NAME shows the messages that wait, and DELETE removes one", async () => {
  await using test = await startTestPlatform(() => "{}", { manifest: MANIFEST });
  await ask(test, "/queues/other?group=a", "POST", "one");
  await ask(test, "/queues/other?group=a", "POST", "two");
  const { body: { messages, ...counts } } = await ask(test, "/queues/other");
  assertEquals(counts, { visible: 2, invisible: 0, delayed: 0, deadLetters: 0 });
  const [one, two] = messages;
  assertEquals([one.body, one.group, one.receiveCount, two.body], ["one", "a", 0, "two"]);
  assertEquals(/^[\da-f]{32}$/.test(one.traceId), true);
  assertEquals((await ask(test, `/queues/other/${one.id}`, "DELETE")).status, 204);
  const gone = await ask(test, `/queues/other/${one.id}`, "DELETE");
  assertEquals([gone.status, gone.body.message], [
    404,
    `The queue "other" has no message "${one.id}": it is gone`,
  ]);
  assertEquals((await ask(test, "/queues/other")).body.messages.length, 1);
});

Deno.test("dead letters have the reason and the span of their last attempt, and are redriven or deleted", async () => {
  let fails = true;
  await using test = await startTestPlatform(() => {
    const error =
      '{"errorType":"TypeError","errorMessage":"no","trace":["TypeError: no","    at f (f.ts:1:1)"]}';
    return fails ? { failure: "error", payload: new TextEncoder().encode(error) } : "{}";
  }, { manifest: MANIFEST, time: "skip" });
  await ask(test, "/queues/jobs", "POST", "one");
  await ask(test, "/queues/jobs", "POST", "two");
  await ask(test, "/tables/items", "POST", { customer: "ada", number: 1 });
  await test.platform.settled();
  const list = async () => (await ask(test, "/dead-letters")).body.deadLetters;
  const letters = await list();
  const reason = { type: "TypeError", message: "no", stack: ["at f (f.ts:1:1)"] };
  const shown = letters.map((
    { of, reason, redrive, body, spanId, traceId }: Record<string, unknown>,
  ) => ({
    of,
    reason,
    redrive: redrive === true,
    body: String(body).slice(0, 3),
    ids: [typeof spanId, typeof traceId],
  }));
  assertEquals(shown, [
    {
      of: { type: "queue", name: "jobs" },
      reason,
      redrive: true,
      body: "one",
      ids: ["string", "string"],
    },
    {
      of: { type: "queue", name: "jobs" },
      reason,
      redrive: true,
      body: "two",
      ids: ["string", "string"],
    },
    {
      of: { type: "table", name: "items", function: "f" },
      reason,
      redrive: false,
      body: '{"r',
      ids: ["string", "undefined"],
    },
  ]);
  fails = false;
  const [one, two, change] = letters;
  const path = `/dead-letters/${one.id}`;
  assertEquals((await ask(test, `${path}/redrive`, "POST")).status, 204);
  await test.platform.settled();
  const { event } = test.host.calls.at(-1)!;
  assertEquals([event.Records[0].body, event.Records[0].attributes.ApproximateReceiveCount], [
    "one",
    "1",
  ]);
  assertEquals((await ask(test, `/dead-letters/${two.id}`, "DELETE")).status, 204);
  assertEquals((await list()).map(({ id }: { id: string }) => id), [change.id]);
  assertEquals((await ask(test, `/dead-letters/${change.id}/redrive`, "POST")).status, 409);
  for (const [action, method] of [["/redrive", "POST"], ["", "DELETE"]] as const) {
    const { status, body } = await ask(test, path + action, method);
    assertEquals([status, body.message], [404, `There is no dead letter "${one.id}": it is gone`]);
  }
  assertEquals((await ask(test, `${path}/other`, "POST")).status, 404);
});
