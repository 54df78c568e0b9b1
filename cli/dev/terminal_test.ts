import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { MANIFEST, manifestWith, resolved } from "../testdata/platform.ts";
import { parseManifest } from "../manifest/manifest.ts";
import { formatRecord, introduce } from "./terminal.ts";

const time = new Date(2026, 2, 1, 9, 5, 7);
const plain = (text: string, functionName = "okay") =>
  formatRecord({ time, functionName, text }, false);

Deno.test("formatRecord() writes the time, the function and the text", () => {
  assertEquals(plain("INFO Hello"), "09:05:07 okay         INFO Hello");
  assertEquals(plain("Reloaded", ""), "09:05:07 platform     Reloaded");
});

Deno.test("formatRecord() shows line breaks and control characters by symbols", () => {
  const cases = [
    ["a\rb", "a ↵ b"],
    ["a\r\nb\nc", "a ↵ b ↵ c"],
    ["a\tb", "a\tb"],
    ["\x1b[31mred\x1b]0;title\x07", "␛[31mred␛]0;title␇"],
    ["a\x00\x7f\x9bb", "a␀␡␡b"],
    ["a\u2028b", "a ↵ b"],
    ["日本 👩", "日本 👩"],
  ] as const;
  for (const [text, expected] of cases) {
    assertEquals(plain(text), `09:05:07 okay         ${expected}`);
  }
});

Deno.test("formatRecord() writes no line break and no control character", () => {
  const character = fc.integer({ min: 0, max: 0x2100 }).map((code) => String.fromCharCode(code));
  fc.assert(fc.property(fc.array(character), (characters) => {
    const line = plain(characters.join(""));
    assertEquals(/(?!\t)[\p{Cc}\p{Zl}\p{Zp}]/u.exec(line)?.[0], undefined);
  }));
});

Deno.test("formatRecord() colours names, warnings, errors and the lines of the platform", () => {
  const color = (text: string, functionName = "okay") =>
    formatRecord({ time, functionName, text }, true).replaceAll("\x1b", "");
  assertMatch(color("INFO x"), /^\[2m09:05:07\[0m \[\d+mokay {8}\[0m INFO x$/);
  assertStringIncludes(color("t\tid\tWARN\tx"), "[33mt\tid\tWARN\tx[0m");
  assertStringIncludes(color('{"level":"FATAL"}'), '[31m{"level":"FATAL"}[0m');
  assertStringIncludes(color("REPORT RequestId: x"), "[2mREPORT RequestId: x[0m");
  assertStringIncludes(color("Reloaded", ""), "[2mReloaded[0m");
  assert(color("x", "okay") !== color("x", "crash"));
});

Deno.test("introduce() shows control characters of the manifest by symbols", () => {
  const buckets = [{ name: "files", events: ["s3:ObjectCreated:*"], prefix: "\x1b[2J\r" }];
  const lines = introduce({
    application: resolved(manifestWith({ one: { module: "one.ts", triggers: { buckets } } })),
    url: "http://localhost:8000",
    controlUrl: "http://127.0.0.1:8000",
    servicesUrl: "http://127.0.0.1:4566",
    bucketsFolder: "buckets",
    isVerbose: true,
  });
  assertStringIncludes(lines.join("\n"), "/buckets/files/␛[2J ↵ FILE");
  assertEquals(/\p{Cc}/u.exec(lines.join("")), null);
});

Deno.test("introduce() shows the addresses of an HTTP API without a stage", () => {
  const routes = [{ method: "GET", path: "/items/{id}" }, { path: "$default" }];
  const functions = { f: { module: "f.ts", triggers: { routes } } };
  const manifest = JSON.stringify({ name: "app", stage: "v0", gateway: "http", functions });
  const text = introduce({
    application: resolved(parseManifest(manifest, "app.json")),
    url: "http://localhost:8000",
    controlUrl: "http://127.0.0.1:8000",
    servicesUrl: "http://127.0.0.1:4566",
    bucketsFolder: ".mate/app/buckets",
    isVerbose: true,
  }).join("\n");
  for (
    const part of [
      "Base URL    http://localhost:8000\n",
      "GET /items/{id}  f  curl 'http://localhost:8000/items/1'\n",
      "$default         f  curl 'http://localhost:8000/'\n",
    ]
  ) assertStringIncludes(text, part);
});

Deno.test("formatRecord() cuts a line at the width of a terminal", () => {
  const line = (text: string, width?: number) =>
    formatRecord({ time, functionName: "okay", text }, false, width);
  const text = "INFO " + "a".repeat(100);
  assertEquals(line(text), `09:05:07 okay         ${text}`);
  assertEquals(line(text, 40), `09:05:07 okay         INFO ${"a".repeat(12)}…`);
  assertEquals(line(text, 40).length, 40);
  assertEquals(line("INFO", 40), "09:05:07 okay         INFO");
  assertEquals(line("👩".repeat(18), 40), `09:05:07 okay         ${"👩".repeat(18)}`);
  assertEquals(line("👩".repeat(19), 40), `09:05:07 okay         ${"👩".repeat(17)}…`);
  assertEquals(line("abc", 1), "09:05:07 okay         …");
  assertEquals(line(text, Infinity), line(text));
});

Deno.test("formatRecord() shows more of a problem on a terminal, and no second time of a record", () => {
  const head = "2026-11-29T09:05:07.854Z\t27368b31-8def-42d4-a72b-9c11706b0000\t";
  const line = (text: string, width?: number) =>
    formatRecord({ time, functionName: "okay", text }, false, width);
  const start = "09:05:07 okay         ";
  for (
    const [text, width, expected] of [
      [`${head}INFO\tHello`, 40, `${start}INFO Hello`],
      [`${head}INFO\tHello`, undefined, `${start}${head}INFO\tHello`],
      [head.replace(/\t.*/, "\tundefined\tINFO\tstarts"), 40, `${start}INFO starts`],
      [`${head.trim()} Task timed out`, 50, `${start}Task timed out`],
      [`${head}ERROR\t${"a".repeat(150)}`, 40, `${start}ERROR ${"a".repeat(150)}`],
      [`${head}WARN\t${"a".repeat(200)}`, 40, `${start}WARN ${"a".repeat(172)}…`],
      [`${head}INFO\t${"a".repeat(200)}`, 40, `${start}INFO ${"a".repeat(12)}…`],
    ] as const
  ) assertEquals(line(text, width), expected);
  const colored = formatRecord(
    { time, functionName: "okay", text: `ERROR ${"a".repeat(99)}` },
    true,
    22,
  );
  assertStringIncludes(colored, "\x1b[31mERROR aaaa");
});

Deno.test("introduce() fits on a terminal of 80 columns and 24 lines for the shop, without a secret", async () => {
  const path = new URL("../../examples/shop/app.json", import.meta.url);
  const manifest = parseManifest(await Deno.readTextFile(path), "app.json");
  const secret = "0".repeat(32);
  const introduceShop = (options: object, application = resolved(manifest)) =>
    introduce({
      application,
      url: "http://localhost:8000",
      controlUrl: `http://127.0.0.1:8000/${secret}`,
      servicesUrl: `http://127.0.0.1:45678/${secret}`,
      bucketsFolder: ".mate/shop/buckets",
      isConfined: true,
      ...options,
    });
  const lines = introduceShop({});
  assertEquals(lines.filter((line) => line.length > 80), []);
  assertEquals(lines.length < 24, true, `${lines.length} lines, and the first ones of the log`);
  const text = lines.join("\n");
  assertEquals(text.includes(secret), false);
  for (
    const part of [
      "shop is running",
      "  Start page  http://127.0.0.1:8000/",
      "  Base URL    http://localhost:8000/v1",
      "  GET /products/{id}  api",
      "  queue jobs          worker",
      "--verbose",
    ]
  ) assertStringIncludes(text, part);
  const secretPage = `Start page  http://127.0.0.1:8000/${secret}/`;
  assertStringIncludes(introduceShop({ isConfined: false }).join("\n"), secretPage);
  assertStringIncludes(introduceShop({ isVerbose: true }).join("\n"), secretPage);
  const routes = Array.from({ length: 30 }, (_, id) => ({ method: "GET", path: `/${id}` }));
  const many = introduceShop(
    {},
    resolved(manifestWith({ one: { module: "one.ts", triggers: { routes } } })),
  );
  assertEquals([many.length < 24, many.join("\n").includes("  and 18 more")], [true, true]);
});

Deno.test("introduce() shows every trigger with a command to copy, if it is verbose", () => {
  const { functions, tables, queues } = manifestWith(
    {
      ledger: {
        module: "ledger.ts",
        triggers: { tables: [{ name: "orders" }], queues: [{ name: "line" }] },
      },
    },
    { line: { fifo: true } },
    { orders: { key: { id: "string" } }, notes: { key: { id: "string" } } },
  );
  const places = {
    url: "http://localhost:8000",
    controlUrl: "http://127.0.0.1:8000",
    servicesUrl: "http://127.0.0.1:4566",
    bucketsFolder: ".mate/app/buckets",
    isVerbose: true,
  };
  const text = introduce({
    application: resolved({
      ...MANIFEST,
      functions: { ...MANIFEST.functions, ...functions },
      queues: { ...MANIFEST.queues, ...queues },
      tables,
      tracing: true,
      settings: {
        ...MANIFEST.settings,
        logs: { ...MANIFEST.settings.logs, format: "JSON", requests: true },
        domain: { name: "shop.example", certificate: "${infra.certificate}" },
        vpc: { subnets: ["subnet-1"], securityGroups: ["sg-1"] },
        alarms: { topic: "${infra.pager}" },
      },
    }),
    ...places,
  }).join("\n");
  const parts = [
    "Start page  http://127.0.0.1:8000/",
    "Base URL    http://localhost:8000/v0",
    "aws s3 ls --endpoint-url http://127.0.0.1:4566 --region us-east-1 --no-sign-request",
    "aws lambda invoke --endpoint-url http://127.0.0.1:8000 --region us-east-1 --no-sign-request --function-name NAME /dev/stdout",
    "In the account, the HTTP gateway takes 100 requests a second, 200 at once; here it takes all",
    "Only in the account: AWS X-Ray, START, END and REPORT as JSON, the log of requests, the domain shop.example, the network, alarms.",
    "ANY /echo           echo              curl 'http://localhost:8000/v0/echo'",
    "curl 'http://localhost:8000/v0/echo/a/b'",
    "curl 'http://localhost:8000/v0/items/1'",
    "rate(1 minute)      clock             curl -X POST 'http://127.0.0.1:8000/schedules/clock/0'",
    "bucket files        created, removed  curl -T FILE 'http://127.0.0.1:8000/buckets/files/FILE'",
    "or copy files to .mate/app/buckets/files",
    "curl -d message=Hello -d subject=Greeting -d attribute=n:Number:1 'http://127.0.0.1:8000/topics/news'",
    "curl -d '{}' 'http://127.0.0.1:8000/2015-03-31/functions/plain/invocations'",
    "curl -N 'http://listener.localhost:8000/'",
    "queue jobs          worker            curl -d MESSAGE 'http://127.0.0.1:8000/queues/jobs'",
    "queue line          ledger            curl -d MESSAGE 'http://127.0.0.1:8000/queues/line?group=GROUP'",
    "table orders        ledger            curl -d ITEM 'http://127.0.0.1:8000/tables/orders'",
    "(and dynamodb, sns, sqs, events)",
    "'http://127.0.0.1:8000/events'",
    "one of its files changes. Stop with Ctrl-C.",
  ];
  for (const part of parts) {
    assertStringIncludes(text, part);
  }
  assertEquals(text.match(/buckets\/files\/FILE/g)?.length, 2, "once for both functions");
  assertEquals(text.includes("functions/echo/invocations"), false, "it has a trigger");
  const plain = introduce({ application: resolved(MANIFEST), ...places }).join("\n");
  assertEquals(plain.includes("Only in the account"), false);
  const plainFunction = MANIFEST.functions.plain!;
  const triggers = { ...plainFunction.triggers, events: [{ pattern: {}, bus: "orders" }] };
  const onBus = { ...MANIFEST, functions: { plain: { ...plainFunction, triggers } } };
  const [, event] = /curl -d '(.*)' 'http:\/\/127\.0\.0\.1:8000\/events'/
    .exec(introduce({ application: resolved(onBus), ...places }).join("\n")) ?? [];
  assertEquals(JSON.parse(event!).bus, "orders");
});
