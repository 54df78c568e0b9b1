import { assertEquals } from "@std/assert";
import type { StoredObject } from "./object_store.ts";
import { S3Error } from "../service_call.ts";
import { checkSource, isUnchanged, matchCondition, writeCondition } from "./conditions.ts";

const DAY = 86_400_000;
const OBJECT: StoredObject = { key: "k", size: 4, etag: "e", modified: Date.now() - 1_500 };

/** The time of the last change, which a date tells to the second. */
const CHANGED = new Date(OBJECT.modified).toUTCString();

const date = (offset: number) => new Date(Date.now() + offset).toUTCString();

/** Returns the result of a check, or the code of its error. */
function resultOf(check: () => unknown): unknown {
  try {
    return check() ?? "passes";
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
}

Deno.test("isUnchanged() evaluates the conditions of a read in the order of RFC 9110", () => {
  const failed = "PreconditionFailed";
  const cases: [Record<string, string>, unknown][] = [
    [{}, false],
    [{ "if-match": '"e"' }, false],
    [{ "if-match": "e" }, false], // Amazon S3 takes tags without quotes.
    [{ "if-match": '"x", "e"' }, false],
    [{ "if-match": "*" }, false],
    [{ "if-match": '"x"' }, failed],
    [{ "if-match": '"x"', "if-none-match": '"e"' }, failed],
    [{ "if-unmodified-since": date(-DAY) }, failed],
    [{ "if-match": '"e"', "if-unmodified-since": date(-DAY) }, false],
    [{ "if-unmodified-since": date(0) }, false],
    [{ "if-unmodified-since": CHANGED }, false],
    [{ "if-unmodified-since": "yesterday" }, false],
    [{ "if-none-match": '"e"' }, true],
    [{ "if-none-match": "e" }, true],
    [{ "if-none-match": '"x"' }, false],
    [{ "if-none-match": '"x"', "if-modified-since": date(0) }, false],
    [{ "if-none-match": "x", "if-unmodified-since": date(-DAY) }, failed],
    [{ "if-modified-since": date(0) }, true],
    [{ "if-modified-since": CHANGED }, true],
    [{ "if-modified-since": date(-DAY) }, false],
    [{ "if-modified-since": date(DAY) }, false], // A date of the future is invalid.
    [{ "if-modified-since": "yesterday" }, false],
  ];
  for (const [headers, expected] of cases) {
    const result = resultOf(() => isUnchanged(new Headers(headers), OBJECT));
    assertEquals(result, expected, JSON.stringify(headers));
  }
});

Deno.test("checkSource() refuses a copy by every condition that is false", () => {
  const failed = "PreconditionFailed";
  const cases: [Record<string, string>, unknown][] = [
    [{}, "passes"],
    [{ "if-match": "e", "if-unmodified-since": date(-DAY) }, "passes"],
    [{ "if-match": "x" }, failed],
    [{ "if-none-match": "e" }, failed],
    [{ "if-modified-since": date(0) }, failed],
    [{ "if-modified-since": date(DAY) }, "passes"],
    [{ "if-none-match": "x", "if-unmodified-since": date(-DAY) }, failed],
  ];
  for (const [conditions, expected] of cases) {
    const fields = Object.entries(conditions)
      .map(([name, value]): [string, string] => [`x-amz-copy-source-${name}`, value]);
    const result = resultOf(() => checkSource(new Headers(fields), OBJECT));
    assertEquals(result, expected, JSON.stringify(conditions));
  }
});

Deno.test("writeCondition() takes If-Match with a tag or If-None-Match with *, and no more", () => {
  const cases: [Record<string, string>, object: unknown, none: unknown, changed?: unknown][] = [
    [{}, "passes", "passes", "passes"],
    [{ "if-none-match": "*" }, "PreconditionFailed", "passes", "PreconditionFailed"],
    [{ "if-match": '"e"' }, "passes", "NoSuchKey", "ConditionalRequestConflict"],
    [{ "if-match": '"x"' }, "PreconditionFailed", "NoSuchKey", "PreconditionFailed"],
    [{ "if-match": "*" }, "NotImplemented", "NotImplemented"],
    [{ "if-none-match": '"e"' }, "NotImplemented", "NotImplemented"],
    [{ "if-match": '"e"', "if-none-match": "*" }, "NotImplemented", "NotImplemented"],
  ];
  for (const [fields, withObject, without, changed = withObject] of cases) {
    const headers = new Headers(fields);
    const shown = JSON.stringify(fields);
    assertEquals(resultOf(() => writeCondition(headers)(OBJECT)), withObject, shown);
    assertEquals(resultOf(() => writeCondition(headers)(undefined)), without, shown);
    assertEquals(resultOf(() => writeCondition(headers, () => true)(OBJECT)), changed, shown);
  }
  const isNew = new Headers({ "if-none-match": "*" });
  const afterDeletion = resultOf(() => writeCondition(isNew, () => true)(undefined));
  assertEquals(afterDeletion, "ConditionalRequestConflict", "put and deleted meanwhile");
});

Deno.test("matchCondition() takes a tag or *", () => {
  const cases = [
    [null, "passes", "passes"],
    ["*", "passes", "NoSuchKey"],
    ['"e"', "passes", "NoSuchKey"],
    ['"x"', "PreconditionFailed", "NoSuchKey"],
  ] as const;
  for (const [match, withObject, without] of cases) {
    assertEquals(resultOf(() => matchCondition(match)(OBJECT)), withObject, `${match}`);
    assertEquals(resultOf(() => matchCondition(match)(undefined)), without, `${match}`);
  }
});
