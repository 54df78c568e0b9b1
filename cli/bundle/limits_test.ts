import { assertEquals, assertThrows } from "@std/assert";
import { checkLimits, formatSize } from "./limits.ts";

const MB = 1024 * 1024;
const layer = { name: "the layer", zipped: 40 * MB, unzipped: 90 * MB };
const one = { name: 'the function "one"', zipped: 1_000, unzipped: 160 * MB };

Deno.test("checkLimits() accepts archives just within the limits", () => {
  checkLimits([{ ...layer, zipped: 50 * MB }], [one]);
});

Deno.test("checkLimits() names every archive that is too large", () => {
  for (
    const [layers, functions, problem] of [
      [
        [{ ...layer, zipped: 50 * MB + 1 }],
        [one],
        "the layer has 50.0 MB zipped: expected at most 50.0 MB",
      ],
      [
        [layer],
        [{ ...one, zipped: 51 * MB }],
        'the function "one" has 51.0 MB zipped: expected at most 50.0 MB',
      ],
      [
        [layer, { ...layer, unzipped: 91 * MB }],
        [one],
        'the function "one" has 251.0 MB unzipped with its layer: expected at most 250.0 MB',
      ],
    ] as const
  ) {
    const error = assertThrows(() => checkLimits(layers, functions), RangeError);
    assertEquals(error.message, `Cannot bundle archives that Lambda refuses: ${problem}`);
  }
});

Deno.test("formatSize() counts in powers of 1024", () => {
  assertEquals([0, 1023, 1536, 41.4 * MB].map(formatSize), ["0 B", "1023 B", "1.5 kB", "41.4 MB"]);
});
