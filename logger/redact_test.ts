import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { logger } from "./mod.ts";
import { jsonOf, recordsOf, state, textOf } from "./testdata/records.ts";

Deno.test("logger.redact hides the values of its keys, at any depth and in any case", () => {
  delete state.redact;
  const headers = new Headers({ Authorization: "Bearer x", accept: "*/*" });
  const error = new Error("x", { cause: [new Set([{ token: 1 }])] });
  const data = {
    user: { Password: { old: 1 }, name: "Ada" },
    map: new Map<unknown, unknown>([["TOKEN", 1], [1, "a"]]),
    headers,
    list: [{ secret: 1, "set-cookie": ["a=1"], cookie: "a=1", cookies: ["a=1"] }],
    query: new URLSearchParams({ Token: "1", page: "2" }),
    pairs: [["Cookie", "a=1"], ["accept", "*/*"], ["token", 1, 2]],
    entries: new Set([["secret", "1"]]),
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
    list: [{
      secret: "[redacted]",
      "set-cookie": "[redacted]",
      cookie: "[redacted]",
      cookies: "[redacted]",
    }],
    query: [["Token", "[redacted]"], ["page", "2"]],
    pairs: [["Cookie", "[redacted]"], ["accept", "*/*"], ["token", 1, 2]],
    entries: [["secret", "[redacted]"]],
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
    const problem = "Cannot set redact: expected an array of strings, got ";
    assertThrows(() => logger.redact = wrong as never, TypeError, problem);
  }
  delete state.redact;
  const secrets = "authorization cookie cookies set-cookie password secret token apikey api_key " +
    "x-api-key accesstoken access_token refreshtoken refresh_token clientsecret client_secret";
  assertEquals(logger.redact, secrets.split(" "));
});

Deno.test("no record shows the value of a redacted key, however the key is nested", () => {
  const SECRET = "d41d8cd98f00";
  const secret = fc.constantFrom<unknown>(SECRET, [SECRET], { a: SECRET }, new Error(SECRET));
  const key = fc.constantFrom("authorization", "PASSWORD", "Set-Cookie", "apiKey", "Access_Token");
  const holder = fc.tuple(key, secret).chain(([key, secret]) =>
    fc.constantFrom<unknown>(
      { [key]: secret, id: 1 },
      new Map<unknown, unknown>([[key, secret], [1, 2]]),
      new Headers({ [key]: SECRET }),
      new URLSearchParams({ [key]: SECRET }),
      [["id", 1], [key, secret]],
      Object.assign(new Error("x"), { [key]: secret }),
      { toJSON: () => ({ [key]: secret }) },
    )
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      holder,
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie("tree"), { maxKeys: 3 }),
      tie("tree").map((value) => new Map([["a", value]])),
      tie("tree").map((value) => new Set([value])),
      tie("tree").map((value) => new Error("x", { cause: value })),
      tie("tree").map((value) => new AggregateError([value], "x")),
    ),
  }));
  let seen = 0;
  fc.assert(fc.property(tree, tree, (message, data) => {
    for (const format of ["text", "json"] as const) {
      const [record] = recordsOf(format, () => logger.child({ data }).error(message, data));
      assert(!record!.includes(SECRET), record);
      if (record!.includes("[redacted]")) seen++;
    }
  }));
  assert(seen > 50, "the property has seen secrets");
});
