import { assertEquals } from "@std/assert";
import { tableOf } from "./size_changes.ts";

Deno.test("tableOf() lists the sizes that change, with what the limits leave", () => {
  const size = (names: string, size: number) => ({ room: "gateway", names, size, limit: 100 });
  assertEquals(
    tableOf([size("a", 50), size("b", 60), size("c", 70)], [
      size("a", 50),
      size("b", 65),
      size("c", 68),
      size("d", 10),
    ]).split("\n"),
    [
      "| import, minified and gzipped | bytes | change | limit | left |",
      "| --- | --: | --: | --: | --: |",
      "| gateway: b | 65 | 5 | 100 | 35 |",
      "| gateway: c | 68 | -2 | 100 | 32 |",
      "| gateway: d | 10 | new | 100 | 90 |",
    ],
  );
  assertEquals(tableOf([size("a", 50)], [size("a", 50)]).split("|").length, 1);
});
