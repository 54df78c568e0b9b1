import { assertEquals } from "@std/assert";
import { acceptsEncodings, acceptsLanguages } from "@std/http/negotiation";
import fc from "fast-check";
import { anyText } from "../../testdata/any_text.ts";
import { parsePreferences, type Preference } from "./preferences.ts";

const values = (header: string) => parsePreferences(header).map(({ value }) => value);

/** Splits outside quoted strings. An unterminated string runs to the end. */
function splitUnquoted(text: string, separator: string): string[] {
  const parts = [""];
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    let character = text[index]!;
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === "\\") character += text[++index] ?? "";
    else if (!isQuoted && character === separator) {
      parts.push("");
      continue;
    }
    parts[parts.length - 1] += character;
  }
  return parts;
}

const trim = (text: string) => text.replace(/^[ \t]+/, "").replace(/[ \t]+$/, "");

/** The same rules, slow and plain. */
function referencePreferences(header: string): Preference[] {
  const merged: { value: string; quality: number }[] = [];
  for (const member of splitUnquoted(header, ",")) {
    const [value = "", ...parameters] = splitUnquoted(member, ";").map(trim);
    if (value === "") continue;
    const isWeight = (parameter: string) => /^q[ \t]*(=|$)/i.test(parameter);
    const weight = parameters.find(isWeight);
    const number = weight?.replace(/^q[ \t]*=?[ \t]*/i, "");
    const isValid = number === undefined ||
      /^(0(\.\d{0,3})?|1(\.0{0,3})?|\.\d{1,3})$/.test(number);
    const quality = isValid ? Number(number ?? 1) : 0;
    const name = [value, ...parameters.filter((text) => text !== "" && !isWeight(text))].join(";");
    const known = merged.find((preference) => preference.value === name);
    if (known === undefined) merged.push({ value: name, quality });
    else known.quality = Math.max(known.quality, quality);
  }
  return merged.sort((a, b) => b.quality - a.quality);
}

/** Headers made of the parts of the grammar, and of parts that break it. */
const header = fc.array(
  fc.constantFrom(
    ...'ab*/,;=qQ \t"\\.01259-_\r\u00a0é',
    ",",
    ";q=",
    "; Q = ",
    ";q=0.5",
    ";q=1",
    ";level=1",
    "text/html",
    ', "a,b"',
    "en",
  ),
  { maxLength: 60 },
).map((parts) => parts.join(""));

Deno.test("parsePreferences() reads values, parameters and weights", () => {
  for (
    const [header, expected] of [
      ["", []],
      [" ,\t,, ;q=1, ;level=1", []],
      ["en", [["en", 1]]],
      ["en;q=0.5", [["en", 0.5]]],
      ["en;q=0.123", [["en", 0.123]]],
      ["en ; q=0.5\t,de", [["de", 1], ["en", 0.5]]],
      ["en;Q=0.5", [["en", 0.5]]],
      ["en;q = 0.5", [["en", 0.5]]],
      ["en;q=.2", [["en", 0.2]]],
      ["en;q=0.", [["en", 0]]],
      ["en;q=1.", [["en", 1]]],
      ["en;q=1.000", [["en", 1]]],
      ["q=0.5", [["q=0.5", 1]]],
      ["a;q=0.3;q=0.9", [["a", 0.3]]],
      ["a;q=x;q=0.9", [["a", 0]]],
      ["text/html;level=1;q=0.5", [["text/html;level=1", 0.5]]],
      ["text/html;q=0.5;level=1", [["text/html;level=1", 0.5]]],
      ["text/html ; level=1 ;; charset=x ;q=0.5", [["text/html;level=1;charset=x", 0.5]]],
      ["text/html;queue=1;q x=0", [["text/html;queue=1;q x=0", 1]]],
      ['text/html;a="q=0,;\\"";q=0.5, b', [["b", 1], ['text/html;a="q=0,;\\""', 0.5]]],
      ['a;x="b, c;q=0.1', [['a;x="b, c;q=0.1', 1]]],
      ['a;q="b, c', [["a", 0]]],
      ["a;q=0.5, b, a;q=0.8, a;q=0.2", [["b", 1], ["a", 0.8]]],
      ["a;q=0, b;q=0.1", [["b", 0.1], ["a", 0]]],
      ["a;q=0, a", [["a", 1]]],
      ["en, EN", [["en", 1], ["EN", 1]]],
      ["__proto__, constructor", [["__proto__", 1], ["constructor", 1]]],
    ] as const
  ) {
    assertEquals(
      parsePreferences(header),
      expected.map(([value, quality]) => ({ value, quality })),
      header,
    );
  }
});

Deno.test("parsePreferences() gives a weight outside the grammar the quality 0", () => {
  const weights = ["5", "abc", '"0.5"', "nan", "-1", "", "1.5", "1.001", "0.1234", "00", "."]
    .concat("+1", "1e0", "0x1", "0.5 5", ".5.", "Infinity", "1.0000", "2", "0.a");
  for (
    const parameter of weights.map((weight) => `q=${weight}`).concat("q", "q ", "Q;x", "q;q=1")
  ) {
    assertEquals(parsePreferences(`a;${parameter}`)[0]?.quality, 0, parameter);
  }
});

Deno.test("parsePreferences() agrees with a plain reference for any header", () => {
  fc.assert(
    fc.property(header, (text) => {
      assertEquals(parsePreferences(text), referencePreferences(text));
    }),
    { numRuns: 3000 },
  );
  fc.assert(
    fc.property(anyText, (text) => {
      assertEquals(parsePreferences(text), referencePreferences(text));
    }),
  );
});

Deno.test("parsePreferences() keeps header order among equals, and merges repeated values", () => {
  const members = Array.from({ length: 2000 }, (_, index) => ({
    value: `v${index}`,
    quality: (index * 7919 % 101) / 1000,
  }));
  const write = (factor: number) =>
    members.map(({ value, quality }) => `${value};q=${quality * factor}`).join();
  assertEquals(
    parsePreferences(`${write(0)},${write(1)}`),
    members.toSorted((a, b) => b.quality - a.quality), // stable
  );
});

Deno.test("parsePreferences() merges repeated values whose hash other values have too", () => {
  const values = Array.from(
    { length: 64 },
    (_, index) => index.toString(2).padStart(6, "0").replace(/0/g, "Aa").replace(/1/g, "BB"),
  );
  const header = [...values.map((value) => `${value};q=0.5`), ...values].join();
  assertEquals(parsePreferences(header), values.map((value) => ({ value, quality: 1 })));
});

Deno.test("parsePreferences() agrees with the standard library on well-formed headers", () => {
  // The standard library leaves out refused values and adds the coding `identity`. It does not merge repeated values, and
  // it reads a weight only if the weight is the first parameter. The headers here avoid these cases.
  const weight = fc.constantFrom("", ";q=1", ";q=0.9", ";q=0.5", "; q=0.25", ";q=0.001");
  const languages = fc.uniqueArray(fc.constantFrom("en", "de", "fr-CH", "fr", "it", "*"));
  const codings = fc.uniqueArray(fc.constantFrom("gzip", "br", "deflate", "zstd", "identity"));
  const weighted = (lists: fc.Arbitrary<string[]>) =>
    lists.filter((list) => list.length > 0).chain((list) =>
      fc.tuple(...list.map((value) => weight.map((text) => value + text)))
    ).map((members) => members.join(", "));
  fc.assert(fc.property(weighted(languages), (text) => {
    const headers = new Headers({ "accept-language": text });
    assertEquals(values(text), acceptsLanguages({ headers } as Request));
  }));
  fc.assert(fc.property(weighted(codings).filter((text) => text.includes("identity")), (text) => {
    const headers = new Headers({ "accept-encoding": text });
    assertEquals(values(text), acceptsEncodings({ headers } as Request));
  }));
});
