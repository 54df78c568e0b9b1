import { assertEquals, assertThrows } from "@std/assert";
import { checkLimits, formatSize } from "./limits.ts";

const MB = 1024 * 1024;
const layer = { name: "the layer", zipped: 40 * MB, unzipped: 90 * MB };
const one = { name: 'the function "one"', zipped: 1_000, unzipped: 160 * MB };

Deno.test("checkLimits() takes what is just within the limits", () => {
  checkLimits([{ ...layer, zipped: 50 * MB }], [one]);
});

for (
  const [name, layers, functions, problem] of [
    [
      "a layer",
      [{ ...layer, zipped: 50 * MB + 1 }],
      [one],
      "the layer has 50.0 MB zipped, of 50.0 MB at most",
    ],
    [
      "a function",
      [layer],
      [{ ...one, zipped: 51 * MB }],
      'the function "one" has 51.0 MB zipped, of 50.0 MB at most',
    ],
    [
      "a function with the larger of its layers",
      [layer, { ...layer, unzipped: 91 * MB }],
      [one],
      'the function "one" has 251.0 MB unzipped with its layer, of 250.0 MB at most',
    ],
  ] as const
) {
  Deno.test(`checkLimits() refuses ${name} that is too large`, () => {
    const error = assertThrows(() => checkLimits(layers, functions), RangeError);
    assertEquals(error.message, `Cannot bundle what Lambda would refuse: ${problem}`);
  });
}

Deno.test("formatSize() counts in powers of 1024", () => {
  assertEquals([0, 1023, 1536, 41.4 * MB].map(formatSize), ["0 B", "1023 B", "1.5 kB", "41.4 MB"]);
});
