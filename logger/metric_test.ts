import { assertEquals, assertThrows } from "@std/assert";
import "../testdata/own_environment.ts";
import { logger, type MetricOptions, type MetricUnit } from "./mod.ts";
import { recordsOf, state } from "./testdata/records.ts";

/** The document that a metric writes. */
function documentOf(name: string, value: number, options?: MetricOptions, from = logger) {
  const lines = recordsOf("text", () => from.metric(name, value, options));
  assertEquals(lines.length, 1);
  return JSON.parse(lines[0]!);
}

Deno.test("logger.metric() writes a document of the embedded metric format", () => {
  const options = { unit: "Count", dimensions: { country: "FR" }, namespace: "shop" } as const;
  const child = logger.child({ orderId: "A-1", _aws: 1 });
  const document = documentOf("Orders", 2, options, child);
  const { timestamp, _aws: { Timestamp, ...aws }, ...rest } = document;
  assertEquals(new Date(timestamp).getTime(), Timestamp);
  assertEquals(aws, {
    CloudWatchMetrics: [{
      Namespace: "shop",
      Dimensions: [["country"]],
      Metrics: [{ Name: "Orders", Unit: "Count" }],
    }],
  });
  assertEquals(rest, {
    level: "TRACE",
    requestId: "8f5e",
    orderId: "A-1",
    _aws_: 1,
    country: "FR",
    Orders: 2,
  });
});

Deno.test("logger.metric() uses the name of the function as the namespace, and no dimensions", () => {
  const variable = "AWS_LAMBDA_FUNCTION_NAME";
  const namespaces = ["orders", undefined].map((value) => {
    if (value) Deno.env.set(variable, value);
    else Deno.env.delete(variable);
    const [directive] = documentOf("Orders", 1)._aws.CloudWatchMetrics;
    assertEquals(directive.Dimensions, [[]]);
    return directive.Namespace;
  });
  assertEquals(namespaces, ["orders", "local"]);
});

Deno.test("logger.metric() writes at every level but OFF", () => {
  const levels = ["FATAL", "OFF"].map((level) =>
    recordsOf("json", () => {
      logger.level = level;
      logger.metric("Orders", 1);
    }).map((line) => JSON.parse(line).level)
  );
  assertEquals(levels, [["FATAL"], []]);
});

Deno.test("logger.metric() accepts every unit, and values and names up to the limits", () => {
  const units = [
    "Seconds Microseconds Milliseconds Bytes Kilobytes Megabytes Gigabytes Terabytes Bits",
    "Kilobits Megabits Gigabits Terabits Percent Count Bytes/Second Kilobytes/Second",
    "Megabytes/Second Gigabytes/Second Terabytes/Second Bits/Second Kilobits/Second",
    "Megabits/Second Gigabits/Second Terabits/Second Count/Second None",
  ].join(" ").split(" ") as MetricUnit[];
  for (const unit of units) {
    const [{ Metrics }] = documentOf("a", 1, { unit })._aws.CloudWatchMetrics;
    assertEquals(Metrics, [{ Name: "a", Unit: unit }]);
  }
  const name = "_aws ~".padEnd(255, "x");
  const dimensions = { ...dimensionsOf(29), ["d".repeat(250)]: "x".repeat(1024) };
  for (const value of [2 ** 360, -(2 ** 360), 0]) {
    const { _aws, ...rest } = documentOf(name, value, { dimensions, namespace: name });
    assertEquals(_aws.CloudWatchMetrics[0].Dimensions, [Object.keys(dimensions)]);
    assertEquals(rest[name], value);
    for (const [key, value] of Object.entries(dimensions)) assertEquals(rest[key], value);
  }
});

/** Makes a number of dimensions. */
function dimensionsOf(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`d${index}`, "x"]));
}

/** The parts of a record. */
const RESERVED =
  "timestamp level requestId message data errorType errorMessage stackTrace cause _aws".split(" ");

Deno.test("logger.metric() takes a reserved or redacted name where it replaces and hides nothing", () => {
  const document = documentOf("Level", 5, { namespace: "message", dimensions: { Data: "x" } });
  assertEquals([document.level, document.Level, document.Data], ["TRACE", 5, "x"]);
  assertEquals(documentOf("token", 5, {}).token, 5, "a number of tokens is not a secret");
  const child = logger.child({ level: "a" });
  assertEquals(documentOf("a", 1, {}, child).level_, "a");
  logger.redact = ["country"];
  const metric = () => logger.metric("a", 1, { dimensions: { Country: "FR" } });
  assertThrows(metric, TypeError, "reserved, redacted");
  delete state.redact;
});

Deno.test("logger.metric() refuses a metric that breaks a rule, and names the rule", () => {
  const long = "x".repeat(256);
  const names =
    "names of 1 to 255 (dimensions: 250) ASCII characters, not AWS/…, :…, reserved, redacted";
  const dimensions = "up to 30 dimensions of 1 to 1024 ASCII characters, not named as the metric";
  const cases: [string, unknown, unknown, object?][] = [
    [names, "", 1],
    [names, " ", 1],
    [names, long, 1],
    [names, ":a", 1],
    [names, "_aws", 1],
    ...RESERVED.flatMap((name): [string, unknown, unknown, object?][] => [
      [names, name, 1],
      [names, "a", 1, { dimensions: { [name]: "x" } }],
    ]),
    [names, "a", 1, { dimensions: { Token: "x" } }],
    [names, "é", 1],
    [names, "a\n", 1],
    [names, 5, 1],
    [names, "a", 1, { namespace: "" }],
    [names, "a", 1, { namespace: "AWS/Lambda" }],
    [names, "a", 1, { dimensions: { ["x".repeat(251)]: "x" } }],
    [names, "a", 1, { dimensions: { _aws: "x" } }],
    [dimensions, "a", 1, { dimensions: { a: "x" } }],
    [dimensions, "a", 1, { dimensions: dimensionsOf(31) }],
    [dimensions, "a", 1, { dimensions: { b: "" } }],
    [dimensions, "a", 1, { dimensions: { b: "x".repeat(1025) } }],
    [dimensions, "a", 1, { dimensions: { b: 5 } }],
    [dimensions, "a", 1, { dimensions: { b: " " } }],
    [dimensions, "a", 1, { dimensions: { b: "é" } }],
    ["a value up to 2^360", "a", NaN],
    ["a value up to 2^360", "a", -(2 ** 361)],
    ["a value up to 2^360", "a", "5"],
    ["a unit of CloudWatch", "a", 1, { unit: "Apples" }],
    ["a unit of CloudWatch", "a", 1, { unit: "bytes" }],
    ["a unit of CloudWatch", "a", 1, { unit: "Seconds/Second" }],
  ];
  for (const [rule, name, value, options] of cases) {
    const problem = `Cannot write a metric: expected ${rule}, got {"name":`;
    assertThrows(() => logger.metric(name as never, value as never, options), TypeError, problem);
  }
});

Deno.test("logger.dimensions are those of every metric that has none of its own", () => {
  const child = logger.child({ orderId: "A-1" });
  const given = { service: "shop" };
  const shown = (options?: MetricOptions, from = logger) => {
    const { _aws, service, country } = documentOf("Orders", 1, options, from);
    return [_aws.CloudWatchMetrics[0].Dimensions, service, country];
  };
  try {
    assertEquals(logger.dimensions, {});
    logger.dimensions = given;
    given.service = "other"; // it was copied
    assertEquals([logger.dimensions, child.dimensions], [{ service: "shop" }, { service: "shop" }]);
    assertEquals(shown(), [[["service"]], "shop", undefined]);
    assertEquals(shown({ dimensions: undefined }, child), [[["service"]], "shop", undefined]);
    assertEquals(shown({ dimensions: { country: "FR" } }), [[["country"]], undefined, "FR"]);
    assertEquals(shown({ dimensions: {} }), [[[]], undefined, undefined]);
    child.dimensions = { service: "child" };
    assertEquals(shown(), [[["service"]], "child", undefined]);
    const wrong: [unknown, string][] = [
      [null, "a plain object"],
      [["a"], "a plain object"],
      [{ level: "x" }, "names of 1 to 255"],
      [{ token: "x" }, "names of 1 to 255"],
      [{ service: "" }, "up to 30 dimensions"],
      [{ service: 5 }, "up to 30 dimensions"],
      [dimensionsOf(31), "up to 30 dimensions"],
    ];
    for (const [dimensions, rule] of wrong) {
      const message = `Cannot set the dimensions: expected ${rule}`;
      assertThrows(() => logger.dimensions = dimensions as never, TypeError, message);
    }
    assertEquals(logger.dimensions, { service: "child" }, "a wrong value changes nothing");
    const message = "not named as the metric";
    assertThrows(() => logger.metric("service", 1), TypeError, message);
  } finally {
    delete state.dimensions;
  }
});
