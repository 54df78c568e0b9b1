import { assertEquals } from "@std/assert";
import { factsOf, nameOf, phasesOf } from "./describe.js";
import { showPayload, showText } from "./payload.js";
import { rightsFor, splitStack, titleOf } from "./problem.js";
import { showDuration, showSize } from "./units.js";

Deno.test("showText() unfolds JSON in JSON and bodies in base64", () => {
  const body = JSON.stringify({ n: 1, list: [] });
  assertEquals(
    showText(JSON.stringify({ Records: [{ body }] })),
    '{\n  "Records": [\n    {\n      "body": /* JSON in a text */ {\n' +
      '        "n": 1,\n        "list": []\n      }\n    }\n  ]\n}',
  );
  assertEquals(
    showText(JSON.stringify({ body: btoa(body), isBase64Encoded: true })),
    '{\n  "body": /* base64 */ {\n    "n": 1,\n    "list": []\n  },\n  "isBase64Encoded": true\n}',
  );
  const cases = [
    [
      '{"body":"/w==","isBase64Encoded":true}',
      '{\n  "body": "/w==",\n  "isBase64Encoded": true\n}',
    ],
    ["{not JSON}", "{not JSON}"],
    ["12", "12"],
    ["Action=Publish&Message=%7B%7D", "Action: Publish\nMessage: {}"],
    ["a sentence = this", "a sentence = this"],
  ] as const;
  for (const [text, shown] of cases) assertEquals(showText(text), shown);
});

Deno.test("showPayload() splits head and body, and says what is cut or no text", () => {
  const of = (text: string, more = {}) =>
    showPayload({ text, isBase64: false, size: text.length, isCut: false, ...more });
  assertEquals(of('HTTP/1.1 200\r\nA: b\r\n\r\n{"a":1}'), 'HTTP/1.1 200\nA: b\n\n{\n  "a": 1\n}');
  assertEquals(of("GET / HTTP/1.1\r\n\r\n"), "GET / HTTP/1.1");
  assertEquals(of("x", { isCut: true, size: 9 }), "x\n… of 9 bytes, only the beginning is kept");
  assertEquals(
    of("/w==", { isBase64: true, size: 1 }),
    "1 bytes in base64, because they are not text:\n/w==",
  );
});

Deno.test("splitStack() puts the lines of the author first", () => {
  const own = ["at price (importer.ts:2:3)", "at async handler (lib/a.ts:1:2)", "at b.ts:1:1"];
  const others = [
    "at x (../../function/read.ts:1:2)",
    "at y (file:///opt/mate/bootstrap.js:1:2)",
    "at node:internal/process:1:2",
    "at z (ext:core/01_core.js:1:2)",
    "at w (node_modules/zod/index.js:1:2)",
    "at /var/task/index.mjs:1:1",
    "at async Promise.all (index 0)",
    "at Array.from (<anonymous>)",
  ];
  assertEquals(splitStack([...others, ...own]), [own, others]);
  assertEquals(splitStack(others), [others.slice(0, 3), others.slice(3)], "the innermost else");
});

Deno.test("rightsFor() names what the manifest needs", () => {
  const cases = [
    ["bucket", "uploads/a.csv", "s3:PutObject", '"uses": {"buckets":{"uploads":"write"}}'],
    ["bucket", "uploads", "s3:ListBucket", '"uses": {"buckets":{"uploads":"read"}}'],
    ["queue", "jobs", "sqs:SendMessage", '"uses": {"queues":{"jobs":"send"}}'],
    ["topic", "news", "sns:Publish", '"uses": {"topics":{"news":"publish"}}'],
    ["table", "orders", "dynamodb:Query", '"uses": {"tables":{"orders":"read"}}'],
    ["table", "orders", "dynamodb:PutItem", '"uses": {"tables":{"orders":"write"}}'],
    [
      "bus",
      "default",
      "events:PutEvents",
      '"statements": [{"Effect":"Allow","Action":"events:PutEvents","Resource":"*"}]',
    ],
  ] as const;
  for (const [type, name, action, expected] of cases) {
    const attributes = {
      "mate.resource.type": type,
      "mate.resource.name": name,
      "mate.denied": action,
    };
    assertEquals(rightsFor({ attributes }), expected);
  }
});

Deno.test("an attempt says what comes next", () => {
  const facts = (attributes: object) =>
    factsOf({ type: "invocation", status: "failed", error: {}, links: [], attributes }, false)
      .map(([text]: [string]) => text).join(", ");
  const attempt = { "mate.attempt": 2, "mate.attempts": 3 };
  assertEquals(facts({ ...attempt, "mate.retried": 1 }), "attempt 2 of 3, comes again");
  assertEquals(
    facts({ ...attempt, "mate.dead_letters": 1 }),
    "attempt 2 of 3, to the dead letters",
  );
  assertEquals(facts({ ...attempt, "mate.dropped": 1 }), "attempt 2 of 3, given up");
  assertEquals(
    facts({ ...attempt, "messaging.batch.message_count": 4, "mate.retried": 2 }),
    "attempt 2 of 3, 2 of 4 come again",
  );
});

Deno.test("a span has a name of the manifest, and its phases", () => {
  const call = { "rpc.method": "PutObject" };
  assertEquals(nameOf({ type: "call", name: "PutObject uploads/a b", attributes: call }), [
    "PutObject",
    "uploads/a b",
  ]);
  const span = {
    type: "invocation",
    name: "worker",
    start: 0,
    end: 100,
    attributes: { "mate.queue_time": 10, "mate.init_duration": 50, "mate.trigger.type": "invoke" },
  };
  assertEquals(phasesOf(span, 0), [["waited", 0, 10], ["init", 10, 60], ["ran", 60, 100]]);
  assertEquals(phasesOf({ ...span, attributes: {} }, 0), [["ran", 0, 100]]);
});

Deno.test("durations and sizes are short", () => {
  const times = [0.4, 12.6, 999.6, 1_234, 59_960, 61_000, 7_260_000].map(showDuration);
  assertEquals(times, ["<1 ms", "13 ms", "1 s", "1.23 s", "1 min 0 s", "1 min 1 s", "2 h 1 min"]);
  assertEquals([5, 2_048, 5 * 1_048_576].map(showSize), ["5 B", "2 KiB", "5 MiB"]);
});

Deno.test("titleOf() tells a status, a report of failed records and an exception", () => {
  const cases = [
    ["503", "The service is busy", "503 The service is busy"],
    ["batchItemFailures", "1 of 2 records failed", "1 of 2 records failed. The log says why."],
    ["TypeError", "x is null", "TypeError: x is null"],
    ["TimedOut", "", "TimedOut"],
  ];
  for (const [type, message, title] of cases) assertEquals(titleOf({ type, message }), title);
});
