import { assertEquals, assertThrows } from "@std/assert";
import { accepts } from "@std/http/negotiation";
import fc from "fast-check";
import { anyText } from "../../testdata/any_text.ts";
import { CloudEventSpecificationError } from "../../function/mod.ts";
import { HttpNotAcceptableError } from "../errors/client_errors.ts";
import { determineContentType } from "./content_type.ts";
import { parsePreferences } from "../negotiation/preferences.ts";
import { FnProxyEvent } from "../event/proxy_event.ts";
import type { CustomTransformers } from "./transformer.ts";

const JSON_TYPE = "application/json";
const HTML = "text/html";

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

Deno.test("determineContentType() chooses by the rules of RFC 9110", () => {
  for (
    const [rule, accept, types, expected] of [
      ["without the header any type is acceptable", undefined, [HTML], JSON_TYPE],
      ["an empty header is any type", "", [HTML], JSON_TYPE],
      ["a header without members is any type", " , ,", [HTML], JSON_TYPE],
      ["without the header a transformer of any type serves", undefined, ["*/*"], "*/*"],
      ["any type is JSON", "*/*", [HTML], JSON_TYPE],
      ["a bare star is any type", "*", [HTML], JSON_TYPE],
      ["a bare star has a weight", "*;q=0.1, text/html;q=0.2", [HTML], HTML],
      ["a star that ends a name is a letter of it", "text/x*, a/b*", [HTML], null],
      ["application/* is JSON", "application/*", ["application/xml"], JSON_TYPE],
      ["JSON named in any case", "APPLICATION/Json", [], JSON_TYPE],
      ["the type is returned in lower case", "TEXT/html", ["Text/HTML"], HTML],
      ["parameters do not narrow a range", "text/html;level=1", [HTML], HTML],
      ["the weight stands anywhere", "application/json;a=b;q=0.1, text/html;q=0.2;x", [HTML], HTML],
      ["a named type beats any type", "*/*, text/html", [HTML], HTML],
      ["a named type beats its family", "text/*, text/html", ["text/plain", HTML], HTML],
      ["a family beats any type", "*/*, text/*", [HTML], HTML],
      ["a refused type is not served", "text/html;q=0, */*;q=0.1", [HTML], JSON_TYPE],
      ["a refused family is refused", "application/*;q=0, text/*", [], null],
      ["a refused family has a type", "application/*;q=0, application/json", [], JSON_TYPE],
      ["all may be refused", "*/*;q=0", [HTML], null],
      ["the specific range gives the quality", "text/html;q=0.1, */*;q=0.5", [HTML], JSON_TYPE],
      ["the best of equal ranges", "text/html;level=1;q=0, text/html;q=0.4", [HTML], HTML],
      ["the first of equals", "text/html;q=0.1, application/json, text/html", [HTML], HTML],
      ["in one family transformers are in their order", "text/*", ["text/b", "text/a"], "text/b"],
      ["JSON comes before custom types", "application/*", ["application/a"], JSON_TYPE],
      ["a range serves the range equal to it, in any case", "IMAGE/*", ["Image/*"], "image/*"],
      ["a range serves no type within", "image/png", ["image/*"], null],
      ["a range serves no wider range", "*/*", ["image/*"], JSON_TYPE],
      ["a range may be refused", "image/*;q=0, */*;q=0.1", ["image/*"], JSON_TYPE],
      ["application/* comes before JSON", "application/*", ["application/*"], "application/*"],
      ["a transformer of any type, weighted", "*/*;q=0.3", [HTML, "*/*"], "*/*"],
      ["a transformer of any type leaves JSON alone", "application/json", ["*/*"], JSON_TYPE],
      ["a transformer of a family comes before its types", "text/*", [HTML, "text/*"], "text/*"],
      ["a text that is not a media range", "application, /, */json, json", [], null],
      ["a name within another", "application/jsonx, xapplication/json", [], null],
      ["a name that every object inherits is not a type", "__proto__, constructor", [], null],
      ["a browser", "text/html,application/xhtml+xml,image/avif,*/*;q=0.8", [HTML], HTML],
    ] as const
  ) {
    assertEquals(choose(accept, ...types), expected, rule);
  }
});

Deno.test("determineContentType() lists the available types if nothing fits", () => {
  const available = (...types: string[]) => {
    const event = new FnProxyEvent({ headers: { Accept: "image/png" } });
    const choose = () =>
      determineContentType(event, { customTransformers: transformers(...types) });
    return assertThrows(choose, HttpNotAcceptableError).message.split("available are ")[1];
  };
  assertEquals(available("Text/HTML"), "application/json, text/html");
  assertEquals(available(), "application/json");
});

Deno.test("determineContentType() raises for an event without headers, not for one whose headers are null", () => {
  assertEquals(determineContentType(new FnProxyEvent({ headers: null })), JSON_TYPE);
  for (const raw of [{}, { headers: [] }, { headers: "x" }, { headers: { accept: null } }]) {
    assertThrows(() => determineContentType(new FnProxyEvent(raw)), CloudEventSpecificationError);
  }
});

Deno.test("determineContentType() refuses a key that is not a media type, and transformers that are not a plain object", () => {
  for (
    const key of ["html", "", "*", "*/html", "text/", "text/html; charset=utf-8", "text/html "]
  ) {
    const name = `Invalid key ${JSON.stringify(key)} in customTransformers`;
    const message = `${name}: expected a media type such as text/html`;
    assertThrows(() => choose("*/*", key), TypeError, message);
  }
  const event = new FnProxyEvent({ headers: {} });
  for (const customTransformers of [null, [], new Map(), "x"] as never[]) {
    const read = () => determineContentType(event, { customTransformers });
    assertThrows(read, TypeError, "expected a plain object");
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

const TYPES = [HTML, "text/plain", "image/png", JSON_TYPE, "application/xml", "a/b"];
const RANGES = [...TYPES, "*/*", "text/*", "image/*", "application/*", "a/*", "*"];
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
  // The standard library takes a parameter as a part of the type, and the place of the best of equal ranges. Some versions
  // ignore the order of the header. So no range has a parameter or stands twice, and all have the order of the types.
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

function chooseByStandard(accept: string): string | null {
  const given = { headers: new Headers({ accept }) } as Request;
  return accepts(given, JSON_TYPE, "text/html", "image/png") ?? null;
}
