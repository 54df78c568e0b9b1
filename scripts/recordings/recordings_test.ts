import { assertEquals } from "@std/assert";
import { readCases } from "./cases.ts";
import { differences } from "./compare.ts";
import { fidelityPage, PAGE, scoresOf, unexpected } from "./fidelity.ts";
import { rename } from "./local.ts";
import { runAll } from "./run.ts";

/** The smallest share of equal cases of each service in recordings that are not those of the repository. */
const MIN_SHARE = 0.95;

Deno.test({
  name: "the platform answers the recorded requests as the real services did",
  // The clients of the AWS SDK keep connections open.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const results = await runAll(readCases());
    if (Deno.env.has("MATE_RECORDINGS")) {
      const scores = [...scoresOf(results)];
      const low = scores.filter(([, { equal, total }]) => equal / total < MIN_SHARE);
      assertEquals(low, [], "a service has too few equal cases");
      return;
    }
    assertEquals(unexpected(results), []);
    const hint = "docs/fidelity.md is old: run deno task recordings --write";
    const page = await Deno.readTextFile(PAGE);
    const wordsOf = (text: string) => text.split(/\s+/); // the formatter may break other lines
    assertEquals(wordsOf(page), wordsOf(fidelityPage(page, results)), hint);
  },
});

Deno.test("differences() finds a difference by each rule of the recordings", () => {
  const table: readonly (readonly [recorded: unknown, equal: unknown, other: unknown])[] = [
    ["<any>", 0, undefined],
    ["<absent>", undefined, ""],
    ["<account>", "123456789012", "12"],
    [{ a: 1 }, { a: 1, b: 2 }, { b: 2 }],
    [{ $exactly: { a: 1 } }, { a: 1 }, { a: 1, b: 2 }],
    [{ $matches: "^a+$" }, "aa", "ab"],
    [{ $length: 2 }, [1, 2], [1]],
    [{ $unordered: [{ a: 1 }, { b: 1 }] }, [{ b: 1 }, { a: 1 }], [{ a: 1 }, { a: 1 }]],
    [{ $json: { a: 1 } }, '{"a":1}', '{"a":2}'],
    [{ $json: { a: 1 } }, '{"a":1}', "{"],
    [{ $base64: "ab" }, "YWI=", "YWM="],
    [{ $fields: { "Content-Type": "a" } }, { "content-type": "a" }, { "content-type": "b" }],
    [[1, { $matches: "b" }], [1, "b"], [1, "b", 3]],
    [Uint8Array.of(1), Uint8Array.of(1), Uint8Array.of(2)],
    [null, null, undefined],
  ];
  for (const [recorded, equal, other] of table) {
    assertEquals([...differences(recorded, equal)], [], JSON.stringify(recorded));
    assertEquals([...differences(recorded, other)].length > 0, true, JSON.stringify(recorded));
  }
});

Deno.test("rename() replaces only whole names of resources", () => {
  const names = { noted: "mate-1-noted-1-us-east-1", f: "mate-1-f" };
  const recorded = {
    FunctionName: "f",
    CopySource: "noted/f",
    arn: "arn:aws:s3:::noted",
    text: "f is noted",
    list: ["noted", 1, null],
  };
  assertEquals(rename(recorded, names), {
    FunctionName: "mate-1-f",
    CopySource: "mate-1-noted-1-us-east-1/f",
    arn: "arn:aws:s3:::mate-1-noted-1-us-east-1",
    text: "f is noted",
    list: ["mate-1-noted-1-us-east-1", 1, null],
  });
});
