import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { messageEvent } from "@mate/core/testing";
import { manifestWith, startTestPlatform, type TestRequest } from "../testdata/platform.ts";
import { until } from "../../testdata/waiting.ts";

const FORM = ["Content-Type", "application/x-www-form-urlencoded"] as const;
const post = (type: readonly [string, string], body: string | Uint8Array): TestRequest => ({
  method: "POST",
  path: "/topics/news",
  headers: [type],
  body,
});

Deno.test("a topic sends the event of Amazon SNS", async () => {
  await using test = await startTestPlatform();
  const message = { message: '{"a":1}', subject: "Greeting" };
  const attributes = {
    text: { Type: "String", Value: "ü" },
    list: { Type: "String.Array", Value: '["a",1,true,null]' },
    number: { Type: "Number", Value: "-1.5e3" },
    bytes: { Type: "Binary", Value: "/wA=" },
  } as const;
  const form = new URLSearchParams(message);
  for (const [name, { Type, Value }] of Object.entries(attributes)) {
    form.append("attribute", `${name}:${Type}:${Value}`);
  }
  const response = await test.send(post(FORM, `${form}`));
  assertEquals(response.status, 200);
  await test.platform.settled();
  const { name, event } = test.host.calls[0]!;
  const [{ EventSubscriptionArn, Sns }] = event.Records;
  const expected = messageEvent([{
    ...message,
    messageAttributes: attributes,
    eventSubscriptionArn: EventSubscriptionArn,
    topicArn: "arn:aws:sns:us-east-1:000000000000:app-news",
    messageId: JSON.parse(response.text).MessageId,
    timestamp: new Date(Sns.Timestamp),
    signature: Sns.Signature,
    signingCertUrl: Sns.SigningCertUrl,
  }]);
  assertEquals([name, event], ["reader", expected]);
  assertMatch(EventSubscriptionArn, /^arn:aws:sns:us-east-1:000000000000:app-news:[0-9a-f-]{36}$/);
});

Deno.test("a topic takes forms and text", async () => {
  await using test = await startTestPlatform();
  const cases = [
    [
      FORM,
      "message=a+b%26c&subject=S&attribute=n:Number:1&attribute=u:String:a:b",
      "a b&c",
      "S",
      {
        n: { Type: "Number", Value: "1" },
        u: { Type: "String", Value: "a:b" },
      },
    ],
    [["Content-Type", "text/plain"], "Grüße", "Grüße", null, {}],
  ] as const;
  for (const [type, body, message, subject, attributes] of cases) {
    assertEquals((await test.send(post(type, body))).status, 200, body);
    await test.platform.settled();
    const { Message, Subject, MessageAttributes } = test.host.calls.pop()!.event.Records[0].Sns;
    assertEquals([Message, Subject, MessageAttributes], [message, subject, attributes]);
  }
});

Deno.test("a topic takes 262,144 bytes, attributes included", async () => {
  await using test = await startTestPlatform();
  const message = "x".repeat(262_144 - "nStringabc".length);
  const body = `message=${message}&attribute=n:String:abc`;
  assertEquals((await test.send(post(FORM, body))).status, 200);
});

Deno.test("a topic refuses a malformed message", async () => {
  await using test = await startTestPlatform();
  const cases = [
    [400, FORM, "subject=S", "Empty message"],
    [400, FORM, "message=", "Empty message"],
    [400, FORM, "message=m&subject=", "Subject"],
    [400, FORM, "message=m&colour=red", '"colour" is not a key'],
    [400, FORM, "message=m&message=n", '"Message" is repeated'],
    [400, FORM, "message=m&attribute=a:String:x&attribute=a:String:y", "'a' is repeated"],
    [400, FORM, "message=m&attribute=n", 'the attribute "n" must have the form NAME:TYPE:VALUE'],
    [400, FORM, "message=m&attribute=n:Number:one", "attribute 'n' to a number"],
    [400, FORM, `message=${"x".repeat(262_137)}&attribute=n:String:a`, "Message too long"],
    [413, FORM, `message=${"x".repeat(1_100_000)}`, "the request has over 1048576 bytes"],
    [415, ["Content-Type", "application/json"], "{}", '"application/json"'],
    [415, ["Accept", "*/*"], "Hello", 'of the type ""'],
    [400, ["Content-Type", "text/plain"], Uint8Array.of(0xff), "Cannot publish"],
  ] as const;
  for (const [status, type, body, problem] of cases) {
    const response = await test.send(post(type, body));
    const shown = `${type[1]}: ${body.length > 80 ? `${body.length} bytes` : body}`;
    assertEquals(response.status, status, shown);
    assertStringIncludes(JSON.parse(response.text).message, problem, shown);
  }
  await test.platform.settled();
  assertEquals(test.host.calls, []);
});

/** A platform with the queue `jobs`, whose messages invoke the function `worker`. */
async function startQueue(answer: Parameters<typeof startTestPlatform>[0], visibility: number) {
  const manifest = manifestWith(
    { worker: { module: "w.ts", timeout: 1, triggers: { queues: [{ name: "jobs" }] } } },
    { jobs: { retries: 1, visibility } },
  );
  const test = await startTestPlatform(answer, { manifest });
  const send = (body: string) => test.send({ method: "POST", path: "/queues/jobs", body });
  return { ...test, send, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() };
}

Deno.test("a queue invokes its function until it succeeds, and counts dead letters", async () => {
  await using test = await startQueue(({ event: { Records } }) => {
    const bad = Records.filter(({ body }: { body: string }) => body === "bad");
    return JSON.stringify({
      batchItemFailures: bad.map(({ messageId }: { messageId: string }) => ({
        itemIdentifier: messageId,
      })),
    });
  }, 1);
  assertEquals((await test.send("good")).status, 200);
  const { MessageId } = JSON.parse((await test.send("bad")).text);
  await test.platform.settled();
  const bodies = test.host.calls.flatMap(({ name, event }) =>
    event.Records.map(({ body }: { body: string }) => `${name} ${body}`)
  );
  assertEquals(bodies.sort(), ["worker bad", "worker bad", "worker good"]);
  const text = await (await fetch(`${test.platform.controlUrl}/queues/jobs`)).text();
  const counts = { visible: 0, invisible: 0, delayed: 0, deadLetters: 1 };
  assertEquals(JSON.parse(text), { ...counts, messages: [] });
  assertEquals(test.log.after(0).map((record) => record.text), [
    `Gave up the message ${MessageId} of "app-jobs" after 2 attempts: it goes to the dead-letter queue`,
  ]);
});

Deno.test("a queue without retries gives up a message after 1 attempt", async () => {
  const manifest = manifestWith(
    { worker: { module: "w.ts", timeout: 1, triggers: { queues: [{ name: "jobs" }] } } },
    { jobs: { retries: 0, visibility: 1 } },
  );
  await using test = await startTestPlatform(() => ({ failure: "error" }), { manifest });
  const { text } = await test.send({ method: "POST", path: "/queues/jobs", body: "bad" });
  await test.platform.settled();
  assertEquals(test.log.after(0).map((record) => record.text), [
    `Gave up the message ${
      JSON.parse(text).MessageId
    } of "app-jobs" after 1 attempt: it goes to the dead-letter queue`,
  ]);
});

Deno.test("a queue keeps the messages of a malformed result", async () => {
  const malformed = 'Malformed result of "worker": expected { "batchItemFailures": ';
  const cases = [
    [{ failure: "error" }, undefined],
    ['{"batchItemFailures":"all"}', malformed],
  ] as const;
  for (const [answer, note] of cases) {
    await using test = await startQueue(() => answer, 600);
    await test.send("work");
    const count = async (): Promise<{ invisible: number; visible: number }> =>
      (await fetch(`${test.platform.controlUrl}/queues/jobs`)).json();
    const isDone = () => test.host.calls.length > 0 && (!note || test.log.after(0).length > 0);
    await until("the call and its record", isDone, () => test.host.calls);
    assertEquals((await count()).invisible, 1);
    assertEquals(test.log.after(0)[0]?.text.startsWith(note ?? "") ?? false, note !== undefined);
  }
});

Deno.test("a FIFO queue takes a group, and delivers a message twice if it is sent twice", async () => {
  const triggers = { queues: [{ name: "jobs" }] };
  const manifest = manifestWith({ f: { module: "f.ts", triggers } }, { jobs: { fifo: true } });
  await using test = await startTestPlatform(() => "{}", { manifest });
  for (const query of ["", "?group=a", "?group=a"]) {
    const path = `/queues/jobs${query}`;
    assertEquals((await test.send({ method: "POST", path, body: "work" })).status, 200);
  }
  const path = "/queues/jobs?group=a%20b";
  assertEquals((await test.send({ method: "POST", path, body: "work" })).status, 400);
  const groups = () =>
    test.host.calls.flatMap(({ event }) =>
      event.Records.map((record: Record<string, Record<string, string>>) =>
        record["attributes"]!["MessageGroupId"]
      )
    );
  await until("three messages", () => groups().length >= 3, groups);
  assertEquals(groups().sort(), ["a", "a", "start-page"]);
});

Deno.test("a queue refuses an empty message, an unknown name, and a group if it is not a FIFO queue", async () => {
  await using test = await startTestPlatform();
  const cases = [
    ["/queues/jobs", "", 400],
    ["/queues/jobs?group=a", "work", 400],
    ["/queues/nope", "work", 404],
  ] as const;
  for (const [path, body, status] of cases) {
    assertEquals((await test.send({ method: "POST", path, body })).status, status, path);
  }
});

Deno.test("an event invokes the functions whose pattern it matches", async () => {
  const triggers = { events: [{ pattern: { source: ["shop"], detail: { n: [1] } } }] };
  const manifest = manifestWith({ f: { module: "f.ts", triggers } });
  await using test = await startTestPlatform(() => "{}", { manifest });
  const put = (event: unknown) =>
    test.send({ method: "POST", path: "/events", body: JSON.stringify(event) });
  const good = { source: "shop", "detail-type": "Order", detail: { n: 1 } };
  assertEquals((await put(good)).status, 200);
  assertEquals((await put({ ...good, detail: { n: 2 } })).status, 200);
  await test.platform.settled();
  const notes = test.log.after(0).map(({ text }) => text);
  assertEquals(notes, ['No pattern matches the event "Order" of "shop"']);
  assertEquals(test.host.calls.map(({ name, event }) => [name, event.source, event.detail]), [
    ["f", "shop", { n: 1 }],
  ]);
  for (const event of [null, {}, { ...good, detail: undefined }, { ...good, source: "" }]) {
    assertEquals((await put(event)).status, 400, JSON.stringify(event));
  }
});

Deno.test("a topic answers 404 to an unknown name", async () => {
  await using test = await startTestPlatform();
  for (const path of ["/topics/nope", "/topics", "/topics/news/x"]) {
    assertEquals((await test.send({ ...post(FORM, "message=m"), path })).status, 404, path);
  }
  const response = await test.send({ path: "/topics/news" });
  assertEquals([response.status, response.header("Allow")], [405, "POST"]);
});

Deno.test("GET /settled answers when the functions have got all messages", async () => {
  await using test = await startTestPlatform();
  await test.send({ method: "POST", path: "/queues/jobs", body: "work" });
  assertEquals((await test.send({ path: "/settled" })).status, 204);
  assertEquals(test.host.calls.map(({ name }) => name), ["worker"]);
  assertEquals((await test.send({ method: "POST", path: "/settled" })).status, 405);
});
