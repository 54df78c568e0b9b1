import { assertEquals, assertThrows } from "@std/assert";
import { accepts } from "@std/http/negotiation";
import fc from "fast-check";
import { anyText } from "../../testdata/any_text.ts";
import { CloudEventSpecificationError } from "../../function/mod.ts";
import { HttpNotAcceptableError } from "../errors/client_errors.ts";
import { determineContentType } from "./content_type.ts";
import { parsePreferences } from "../negotiation/preferences.ts";
import { FnProxyEvent } from "../event/proxy_event.ts";
import type { CustomTransformers } from "../response/transformer.ts";

const JSON_TYPE = "application/json";

function transformers(...types: readonly string[]): CustomTransformers {
  return Object.fromEntries(types.map((type) => [type, () => ["", type] as const]));
}

/** The type chosen, or null. */
function choose(accept: string | undefined, ...types: readonly string[]): string | null {
  const event = new FnProxyEvent({ headers: accept === undefined ? {} : { Accept: accept } });
  try {
    return determineContentType(event, { customTransformers: transformers(...types) });
  } catch (error) {
    if (error instanceof HttpNotAcceptableError) return null;
    throw error;
  }
}

for (
  const [rule, accept, types, expected] of [
    ["without the header any type is acceptable", undefined, ["text/html"], JSON_TYPE],
    ["an empty header is any type", "", ["text/html"], JSON_TYPE],
    ["a header without members is any type", " , ,", ["text/html"], JSON_TYPE],
    ["without the header a transformer of any type serves", undefined, ["*/*"], "*/*"],
    ["any type is JSON", "*/*", ["text/html"], JSON_TYPE],
    ["a bare star is any type", "*", ["text/html"], JSON_TYPE],
    ["a bare star has a weight", "*;q=0.1, text/html;q=0.2", ["text/html"], "text/html"],
    ["a star that ends a name is a letter of it", "text/x*, a/b*", ["text/html"], null],
    ["application/* is JSON", "application/*", ["application/xml"], JSON_TYPE],
    ["JSON named in any case", "APPLICATION/Json", [], JSON_TYPE],
    ["the type is returned in lower case", "TEXT/html", ["Text/HTML"], "text/html"],
    ["parameters do not narrow a range", "text/html;level=1", ["text/html"], "text/html"],
    ["the highest quality wins", "application/json;q=0.5, text/html", ["text/html"], "text/html"],
    ["the weight is read wherever it stands", "application/json;a=b;q=0.1, text/html;q=0.2;x=y", [
      "text/html",
    ], "text/html"],
    ["a named type beats any type", "*/*, text/html", ["text/html"], "text/html"],
    ["a named type beats its family", "text/*, text/html", [
      "text/plain",
      "text/html",
    ], "text/html"],
    ["a family beats any type", "*/*, text/*", ["text/html"], "text/html"],
    ["a family matches a type", "text/*", ["text/html"], "text/html"],
    ["a refused type is not served", "text/html;q=0, */*;q=0.1", ["text/html"], JSON_TYPE],
    ["a refused type is refused", "application/json;q=0, text/*", [], null],
    ["a refused family is refused", "application/*;q=0, text/*", [], null],
    [
      "a type may be taken from a refused family",
      "application/*;q=0, application/json",
      [],
      JSON_TYPE,
    ],
    ["all may be refused", "*/*;q=0", ["text/html"], null],
    ["the specific range gives the quality, if lower too", "text/html;q=0.1, */*;q=0.5", [
      "text/html",
    ], JSON_TYPE],
    ["of equal ranges the highest quality counts", "text/html;level=1;q=0, text/html;q=0.4", [
      "text/html",
    ], "text/html"],
    ["an equal range keeps its first place", "text/html;q=0.1, application/json, text/html", [
      "text/html",
    ], "text/html"],
    ["a lower equal range changes nothing", "text/html, text/html;q=0.1, application/json;q=0.5", [
      "text/html",
    ], "text/html"],
    ["among equals the order of the header decides", "text/html, application/json", [
      "text/html",
    ], "text/html"],
    ["in one family transformers are in their order", "text/*", ["text/b", "text/a"], "text/b"],
    ["JSON comes before custom types", "application/*", ["application/a"], JSON_TYPE],
    ["a range of one's own serves the range equal to it", "image/*", ["image/*"], "image/*"],
    ["and in any case", "IMAGE/*", ["Image/*"], "image/*"],
    ["but no type within", "image/png", ["image/*"], null],
    ["nor a wider range", "*/*", ["image/*"], JSON_TYPE],
    ["a range of one's own may be refused", "image/*;q=0, */*;q=0.1", ["image/*"], JSON_TYPE],
    ["application/* of one's own comes before JSON", "application/*", [
      "application/*",
    ], "application/*"],
    ["any type of one's own comes before JSON", "*/*", ["text/html", "*/*"], "*/*"],
    ["any type of one's own, weighted", "*/*;q=0.3", ["text/html", "*/*"], "*/*"],
    ["any type of one's own leaves what is named alone", "application/json", ["*/*"], JSON_TYPE],
    ["a family of one's own comes before its types", "text/*", ["text/html", "text/*"], "text/*"],
    ["nothing fits", "image/png, text/html", [], null],
    ["what is no range matches nothing", "application, /, */json, json", [], null],
    ["a name within another is another", "application/jsonx, xapplication/json", [], null],
    ["inherited names are no types", "__proto__, constructor", [], null],
    [
      "a browser",
      "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
      ["text/html"],
      "text/html",
    ],
  ] as const
) {
  Deno.test(`determineContentType(): ${rule}`, () => {
    assertEquals(choose(accept, ...types), expected);
  });
}

Deno.test("determineContentType() lists what is available where nothing fits", () => {
  const event = new FnProxyEvent({ headers: { Accept: "image/png" } });
  const error = assertThrows(
    () => determineContentType(event, { customTransformers: transformers("Text/HTML") }),
    HttpNotAcceptableError,
  );
  assertEquals(
    error.message,
    "Cannot answer with a type that the client accepts: available are application/json, text/html",
  );
  assertThrows(() => determineContentType(event), HttpNotAcceptableError);
});

Deno.test("determineContentType() reads the header in any case, and joins its lines", () => {
  const headers = { aCCept: "image/png", ACCEPT: "text/html" };
  const customTransformers = transformers("text/html");
  assertEquals(
    determineContentType(new FnProxyEvent({ headers }), { customTransformers }),
    "text/html",
  );
});

Deno.test("determineContentType() takes no header for another of its length and last letter", () => {
  const event = new FnProxyEvent({ headers: { Insect: "text/html", accept: "image/png" } });
  const customTransformers = transformers("text/html", "image/png");
  assertEquals(determineContentType(event, { customTransformers }), "image/png");
});

Deno.test("determineContentType() raises for an event without headers, not for one whose headers are null", () => {
  assertEquals(determineContentType(new FnProxyEvent({ headers: null })), JSON_TYPE);
  for (const raw of [{}, { headers: [] }, { headers: "x" }, { headers: { accept: null } }]) {
    assertThrows(() => determineContentType(new FnProxyEvent(raw)), CloudEventSpecificationError);
  }
});

for (const key of ["html", "", "*", "*/html", "text/", "text/html; charset=utf-8", "text/html "]) {
  Deno.test(`determineContentType() refuses a transformer of ${JSON.stringify(key)}`, () => {
    const error = assertThrows(() => choose("*/*", key), TypeError);
    assertEquals(
      error.message,
      `Invalid key ${
        JSON.stringify(key)
      } in customTransformers: expected a media type such as text/html`,
    );
  });
}

Deno.test("determineContentType() refuses transformers that are no plain object", () => {
  for (const customTransformers of [null, [], new Map(), "x"] as never[]) {
    assertThrows(
      () => determineContentType(new FnProxyEvent({ headers: {} }), { customTransformers }),
      TypeError,
      "expected a plain object",
    );
  }
});

/** The rules once more, slow and plain. */
function referenceChoice(accept: string, custom: readonly string[]): string | null {
  const ranges = parsePreferences(accept.toLowerCase()); // quality and first place of whole members
  const places = accept.toLowerCase().split(",").map((member) => member.split(";")[0]!.trim());
  const available = [JSON_TYPE, ...custom.filter((type) => type !== JSON_TYPE)];
  const judged = available.flatMap((type, index) => {
    const names = type.endsWith("/*") ? [type] : [type, `${type.split("/")[0]}/*`, "*/*"];
    for (const name of names) {
      const matching = ranges.filter(({ value }) =>
        [name, ...(name === "*/*" ? ["*"] : [])].includes(value.split(";")[0]!)
      );
      if (matching.length === 0) continue;
      if (name !== type && custom.includes(name)) return []; // the range serves its own key
      const quality = Math.max(...matching.map((range) => range.quality));
      const specificity = name === "*/*" ? 0 : name.endsWith("/*") ? 1 : 2;
      const place = places.findIndex((part) => part === name || (part === "*" && name === "*/*"));
      return [{ type, quality, specificity, place, index }];
    }
    return [];
  }).filter(({ quality }) => quality > 0);
  judged.sort((a, b) =>
    b.quality - a.quality || b.specificity - a.specificity || a.place - b.place || a.index - b.index
  );
  return judged[0]?.type ?? null;
}

const TYPES = ["text/html", "text/plain", "image/png", JSON_TYPE, "application/xml"];
const RANGES = [...TYPES, "*/*", "text/*", "image/*", "application/*", "*"];
const member = fc.tuple(
  fc.constantFrom(...RANGES, "Text/HTML", "video/mp4"),
  fc.constantFrom("", ";q=1", ";q=0.5", ";q=0.5", ";q=0", ";level=1", ";level=1;q=0.7", "; Q=.7"),
).map((parts) => parts.join(""));
const accept = fc.array(member, { minLength: 1, maxLength: 8 }).map((list) => list.join(", "));

Deno.test("determineContentType() does as the plain reference does", () => {
  const keys = fc.uniqueArray(fc.constantFrom(...RANGES.slice(0, -1)));
  fc.assert(
    fc.property(accept, keys, fc.integer({ min: 0, max: 14 }), (accept, keys, more) => {
      const all = [...keys, ...Array.from({ length: more }, (_, index) => `x${index}/y`)];
      assertEquals(choose(accept, ...all), referenceChoice(accept, all));
    }),
    { numRuns: 3000 },
  );
});

Deno.test("determineContentType() throws nothing but its own errors, whatever the header", () => {
  fc.assert(fc.property(anyText, (text) => {
    choose(text, "text/html", "*/*");
  }));
});

Deno.test("determineContentType() agrees with the standard library where it has the same rules", () => {
  // Ranges without parameters, none twice, as the next test shows, and in the order of what is available:
  // some versions go by that alone among equals, without a look at the order of the header.
  const ranges = fc.subarray([
    ...[JSON_TYPE, "application/xml", "application/*"],
    ...["text/html", "text/plain", "text/*", "image/png", "*/*"],
  ], { minLength: 1 });
  const weight = fc.constantFrom("", ";q=0.8", ";q=0.3", ";q=0");
  const headers = ranges.chain((list) =>
    fc.tuple(...list.map((range) => weight.map((text) => range + text)))
  ).map((members) => members.join(", "));
  fc.assert(
    fc.property(headers, (accept) => {
      assertEquals(choose(accept, "text/html", "image/png"), chooseByStandard(accept));
    }),
    { numRuns: 1000 },
  );
});

Deno.test("determineContentType() differs from the standard library in ranges with parameters, and equal ones", () => {
  const html = "text/html;level=1"; // there a range of other documents than the type available
  assertEquals([choose(html, "text/html"), chooseByStandard(html)], ["text/html", null]);
  const twice = "text/html;q=0.1, application/json, text/html"; // there the place of the best one counts
  assertEquals([choose(twice, "text/html"), chooseByStandard(twice)], ["text/html", JSON_TYPE]);
});

function chooseByStandard(accept: string): string | null {
  const given = { headers: new Headers({ accept }) } as Request;
  return accepts(given, JSON_TYPE, "text/html", "image/png") ?? null;
}
