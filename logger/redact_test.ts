import { assertEquals, assertThrows } from "@std/assert";
import { logger } from "./mod.ts";
import { jsonOf, state, textOf } from "./testdata/records.ts";

Deno.test("logger.redact hides the values of its keys, at any depth and in any case", () => {
  delete state.redact;
  const headers = new Headers({ Authorization: "Bearer x", accept: "*/*" });
  const error = new Error("x", { cause: [new Set([{ token: 1 }])] });
  const data = {
    user: { Password: { old: 1 }, name: "Ada" },
    map: new Map<unknown, unknown>([["TOKEN", 1], [1, "a"]]),
    headers,
    list: [{ secret: 1, "set-cookie": ["a=1"], cookie: "a=1" }],
    error: Object.assign(error, { stack: "Error: x", token: 1 }),
    converted: { toJSON: () => ({ TOKEN: 1 }) },
    instance: new (class {
      token = { a: 1 };
    })(),
  };
  const hidden = {
    user: { Password: "[redacted]", name: "Ada" },
    map: [["TOKEN", "[redacted]"], [1, "a"]],
    headers: [["accept", "*/*"], ["authorization", "[redacted]"]],
    list: [{ secret: "[redacted]", "set-cookie": "[redacted]", cookie: "[redacted]" }],
    error: {
      errorType: "Error",
      errorMessage: "x",
      stackTrace: ["Error: x"],
      cause: [[{ token: "[redacted]" }]],
      data: { token: "[redacted]" },
    },
    converted: { TOKEN: "[redacted]" },
    instance: { token: "[redacted]" },
  };
  assertEquals(jsonOf(() => logger.info("x", data)).data, hidden);
  assertEquals(textOf(() => logger.info("x", data)), `INFO x ${JSON.stringify(hidden)}`);
  const own = Object.assign(new Error("x"), { stack: "Error: x", token: 1 });
  assertEquals(jsonOf(() => logger.error(own)).data, { token: "[redacted]" });
  assertEquals(textOf(() => logger.error(own)), 'ERROR Error: x {"token":"[redacted]"}');
  const child = logger.child({ token: 1, id: 2 });
  assertEquals(jsonOf(() => child.info("x")).token, "[redacted]");
});

Deno.test("logger.redact replaces the list, and takes only an array of strings", () => {
  logger.redact = ["Pin"];
  assertEquals(logger.redact, ["pin"]);
  const { message } = jsonOf(() => logger.info({ pin: 1, token: 2 }));
  assertEquals(message, { pin: "[redacted]", token: 2 });
  for (const wrong of ["pin", [5], undefined]) {
    assertThrows(
      () => logger.redact = wrong as unknown as string[],
      TypeError,
      "Cannot set redact: expected an array of strings, got ",
    );
  }
  delete state.redact;
  assertEquals(logger.redact.length, 6);
});
