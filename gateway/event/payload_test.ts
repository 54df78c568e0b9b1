import { assert, assertEquals, assertThrows } from "@std/assert";
import { CloudEventSpecificationError } from "../../function/mod.ts";
import { HttpBadRequestError } from "../errors/client_errors.ts";
import { MalformedPayloadError } from "./body.ts";
import { FnProxyEvent } from "./proxy_event.ts";
import { encodeBase64 } from "@std/encoding/base64";
import fc from "fast-check";

const payload = (event: Record<string, unknown>) => new FnProxyEvent(event).queryPayload();

Deno.test("queryPayload() parses the body as JSON", () => {
  for (
    const [name, event, expected] of [
      ["an object", { body: '{"a":[1,null]}' }, { a: [1, null] }],
      ["a string", { body: '"text"' }, "text"],
      ["a member named __proto__", { body: '{"__proto__":1}' }, JSON.parse('{"__proto__":1}')],
      ["false", { body: "false" }, false],
      ["null", { body: "null" }, null],
      ["white space around", { body: "\r\n\t 7 \n" }, 7],
      ["a byte order mark", { body: "\uFEFF[7]" }, [7]],
      ["no body", { body: null }, null],
      ["no body, flagged", { body: null, isBase64Encoded: true }, null],
      ["a flag that is null", { body: "7", isBase64Encoded: null }, 7],
      ["a flag that is false", { body: "7", isBase64Encoded: false }, 7],
      ["base64", { body: encodeBase64('{"a":"é🧀"}'), isBase64Encoded: true }, { a: "é🧀" }],
      ["a byte order mark in base64", { body: encodeBase64("\uFEFF7"), isBase64Encoded: true }, 7],
    ] as const
  ) {
    assertEquals<unknown>(payload(event), expected, name);
  }
});

Deno.test("queryPayload() decodes a good body after a bad one", () => {
  for (const bad of ["w4", "w4A=", "4oI=", "/w==", "8J+m"]) {
    assertThrows(() => payload({ body: bad, isBase64Encoded: true }), MalformedPayloadError);
    assertEquals(payload({ body: encodeBase64('"é"'), isBase64Encoded: true }), "é");
  }
});

Deno.test("queryPayload() says where the JSON broke and never quotes the body", () => {
  for (
    const [body, isBase64Encoded, problem] of [
      ["", false, "it ends too early"],
      ["", true, "it ends too early"],
      ["  ", false, "it ends too early"],
      ["NaN", false, "it is not JSON"],
      ['{"secret":sesame}', false, "it is not JSON"],
      ['" at position 7 (line 1 column 2)"secret', false, "it is not JSON at position 34"],
      ["secret: Unexpected end of JSON input", false, "it is not JSON"],
      ['{\n"a": "secret', false, "it is not JSON at position 14 (line 2 column 13)"],
      ['{"secret" 1}', false, "it is not JSON at position 10 (line 1 column 11)"],
      ["\uFEFF\uFEFF1", false, "it is not JSON"],
      ["7", true, "it is not base64"],
      ["eyJhIjoxfQ", true, "it is not base64"],
      ["eyJh\nIjoxfQ==", true, "it is not base64"],
      ["/w==", true, "it is not UTF-8"],
      ["7aCA", true, "it is not UTF-8"],
    ] as const
  ) {
    const error = assertThrows(() => payload({ body, isBase64Encoded }), MalformedPayloadError);
    const message = `Cannot parse the payload: ${problem}`;
    assert(
      error.message === message || error.message.startsWith(`${message} (line`),
      error.message,
    );
    assert(error instanceof HttpBadRequestError);
    assertEquals([error.name, error.status], ["MalformedPayloadError", 400]);
    assertEquals("cause" in error, false, "a cause may quote the body");
    assert(!error.stack!.includes("secret"));
  }
});

Deno.test("queryPayload() puts no text of the body into the error, for any body", () => {
  const texts = ["private", " at position 7", " (line 7 column 7)", "Unexpected end of JSON input"];
  const words = fc.constantFrom(...'{}[],:0"\n', ...texts);
  fc.assert(
    fc.property(fc.array(words), (parts) => {
      try {
        payload({ body: parts.join("") });
      } catch (error) {
        const { message } = error as Error;
        const known =
          /^Cannot parse the payload: it (ends too early|is not JSON( at position (\d+)( \(line \d+ column \d+\))?)?)$/;
        const position = known.exec(message);
        assert(position !== null, message);
        assert(Number(position[3] ?? 0) <= parts.join("").length);
      }
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("queryPayload() raises if the body or its flag is absent or of a wrong type", () => {
  for (
    const [event, path, problem] of [
      [{}, "body", "is absent"],
      [{ body: { a: 1 } }, "body", "is an object, not a string or null"],
      [{ body: 7 }, "body", "is a number, not a string or null"],
      [{ body: "7", isBase64Encoded: "true" }, "isBase64Encoded", "is a string, not a boolean"],
      [{ body: null, isBase64Encoded: {} }, "isBase64Encoded", "is an object, not a boolean"],
    ] as const
  ) {
    const error = assertThrows(() => payload(event), CloudEventSpecificationError);
    assertEquals(error.message, `Cannot read the event: "${path}" ${problem}`);
    assertEquals(error.path, path);
  }
});
