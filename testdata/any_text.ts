import fc from "fast-check";

const codePoint = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0, max: 0xffff }),
  fc.integer({ min: 0xd800, max: 0xdfff }),
  fc.integer({ min: 0x1_0000, max: 0x10_ffff }),
);

/** Any text, also with lone surrogates. The unit "binary" of fast-check takes two seconds to prepare. */
export const anyText: fc.Arbitrary<string> = fc.string({
  unit: codePoint.map((code) => String.fromCodePoint(code)),
});
