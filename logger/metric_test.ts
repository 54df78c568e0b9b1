import { assert, assertEquals, assertThrows } from "@std/assert";
import "../testdata/own_environment.ts";
import fc from "fast-check";
import { z } from "zod";
import { logger, type MetricOptions } from "./mod.ts";
import { recordsOf } from "./testdata/records.ts";

const name = z.string().min(1).max(255).regex(/^[^:][\x20-\x7e]*$/).regex(/\S/);
/** The rules that AWS publishes for the embedded metric format and for `MetricDatum`. */
const DOCUMENT = z.looseObject({
  _aws: z.strictObject({
    Timestamp: z.int().min(0),
    CloudWatchMetrics: z.array(z.strictObject({
      Namespace: name.refine((text) => !text.startsWith("AWS/")),
      Dimensions: z.array(z.array(name).max(30)).min(1),
      Metrics: z.array(z.strictObject({
        Name: name,
        Unit: z.enum(
          [
            "Seconds Microseconds Milliseconds Bytes Kilobytes Megabytes Gigabytes Terabytes Bits",
            "Kilobits Megabits Gigabits Terabits Percent Count Bytes/Second Kilobytes/Second",
            "Megabytes/Second Gigabytes/Second Terabytes/Second Bits/Second Kilobits/Second",
            "Megabits/Second Gigabits/Second Terabits/Second Count/Second None",
          ].join(" ").split(" "),
        ).optional(),
      })).min(1).max(100),
    })),
  }),
}).superRefine((document, context) => {
  for (const { Dimensions, Metrics } of document._aws.CloudWatchMetrics) {
    for (const key of Dimensions.flat()) {
      const value = z.string().min(1).max(1024).regex(/^[\x20-\x7e]+$/).regex(/\S/);
      if (!value.safeParse(document[key]).success) context.addIssue(`dimension ${key}`);
    }
    for (const { Name } of Metrics) {
      const value = z.number().min(-(2 ** 360)).max(2 ** 360);
      if (!value.safeParse(document[Name]).success) context.addIssue(`metric ${Name}`);
    }
  }
});

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

Deno.test("logger.metric() takes the name of the function as the namespace, and no dimensions", () => {
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

Deno.test("logger.metric() refuses a metric that breaks a rule, and names the rule", () => {
  const long = "x".repeat(256);
  const many = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`d${index}`, "x"]));
  const names = "names of 1 to 255 ASCII characters, not AWS/…, :…, _aws";
  const dimensions = "at most 30 dimensions of 1 to 1024 ASCII characters, not named as the metric";
  const cases: [string, unknown, unknown, object?][] = [
    [names, "", 1],
    [names, " ", 1],
    [names, long, 1],
    [names, ":a", 1],
    [names, "_aws", 1],
    [names, "é", 1],
    [names, "a\n", 1],
    [names, 5, 1],
    [names, "a", 1, { namespace: "" }],
    [names, "a", 1, { namespace: "AWS/Lambda" }],
    [names, "a", 1, { dimensions: { [long]: "x" } }],
    [names, "a", 1, { dimensions: { _aws: "x" } }],
    [dimensions, "a", 1, { dimensions: { a: "x" } }],
    [dimensions, "a", 1, { dimensions: many }],
    [dimensions, "a", 1, { dimensions: { b: "" } }],
    [dimensions, "a", 1, { dimensions: { b: "x".repeat(1025) } }],
    [dimensions, "a", 1, { dimensions: { b: 5 } }],
    ["a value up to 2^360", "a", NaN],
    ["a value up to 2^360", "a", -(2 ** 361)],
    ["a value up to 2^360", "a", "5"],
    ["a unit of CloudWatch", "a", 1, { unit: "Apples" }],
    ["a unit of CloudWatch", "a", 1, { unit: "bytes" }],
    ["a unit of CloudWatch", "a", 1, { unit: "Seconds/Second" }],
  ];
  for (const [rule, name, value, options] of cases) {
    assertThrows(
      () => logger.metric(name as string, value as number, options),
      TypeError,
      `Cannot write a metric: expected ${rule}, got {"name":`,
    );
  }
});

Deno.test("logger.metric() either throws or writes a valid document", () => {
  const text = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom("a", "b c", "x".repeat(255)) },
    fc.string({ minLength: 1 }),
    fc.string({ unit: "binary" }),
  );
  const options = fc.record({
    unit: fc.constantFrom("Count", "Terabits/Second", "Percent", undefined, "Kilocount" as "Count"),
    dimensions: fc.dictionary(text, text),
    namespace: text,
  }, { requiredKeys: [] });
  let written = 0;
  fc.assert(
    fc.property(text, fc.oneof(fc.integer(), fc.double()), options, (name, value, options) => {
      const lines = recordsOf("text", () => {
        try {
          logger.metric(name, value, options);
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
        }
      });
      for (const line of lines) DOCUMENT.parse(JSON.parse(line));
      written += lines.length;
    }),
  );
  assert(written > 5, `${written} documents`);
});
