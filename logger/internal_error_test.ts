import { assertEquals } from "@std/assert";
import { jsonOf, PARTS, sample, STACKS, textOf } from "./capture_test.ts";
import { logInternalError } from "./mod.ts";

Deno.test("logInternalError() writes a critical record with message, stack and causes", () => {
  const message = "INTERNAL ERROR: Cannot order.";
  assertEquals(
    textOf(() => logInternalError(sample(), "Cannot order")),
    `FATAL ${message} ${STACKS}`,
  );
  assertEquals(jsonOf(() => logInternalError(sample(), "Cannot order")), {
    level: "FATAL",
    message,
    ...PARTS,
    data: { code: "E42" },
  });
});

for (
  const [title, thrown, message, expected] of [
    ["an error's own message", new Error("boom"), undefined, "boom"],
    ["the same for an empty one", new Error("boom"), "", "boom"],
    ["the name of an error without one", new RangeError(), undefined, "RangeError"],
    ["a thrown text", "boom", undefined, "boom"],
    ["a thrown undefined", undefined, undefined, "undefined"],
    ["a thrown object without text", Object.create(null), undefined, "[Unreadable]"],
    [
      "an error whose message throws",
      Object.defineProperty(new Error(), "message", {
        get() {
          throw 1;
        },
      }),
      undefined,
      "[Unreadable]",
    ],
    [
      "a message that is a symbol",
      Object.assign(new Error(), { message: Symbol("s") }),
      undefined,
      "Symbol(s)",
    ],
    [
      "a message without text",
      Object.assign(new Error(), { message: Object.create(null) }),
      undefined,
      "[Unreadable]",
    ],
    ["what it is told, of any type", new Error("boom"), Symbol("s"), "Symbol(s)"],
  ] as [string, unknown, string | undefined, string][]
) {
  Deno.test(`logInternalError() tells ${title}`, () => {
    const json = jsonOf(() => logInternalError(thrown, message));
    assertEquals(json.message, `INTERNAL ERROR: ${expected}.`);
    assertEquals(json.level, "FATAL");
  });
}
