import { assertEquals } from "@std/assert";
import { ask, CANNED, fail } from "./testdata/events.ts";
import {
  HttpNotFoundError,
  HttpServiceUnavailableError,
  HttpUnauthorizedError,
  type Middleware,
  reply,
} from "./mod.ts";

Deno.test("an error has its headers, which win over the extra headers, and its details", async () => {
  const headers = { "WWW-Authenticate": "Basic", "X-A": "2" };
  const details = { field: "name" };
  const options = { extraHeaders: { "x-a": "1" } };
  const server = new HttpServiceUnavailableError("x", { headers, details });
  const client = new HttpUnauthorizedError("Log in", { headers, details });
  for (
    const [error, payload] of [
      [client, { Message: "Log in", Details: details }],
      [server, { Message: CANNED }],
    ] as const
  ) {
    const { result } = await ask(fail(error), options);
    assertEquals(JSON.parse(result.body), payload);
    assertEquals(result.headers["WWW-Authenticate"], "Basic");
    assertEquals([result.headers["X-A"], result.headers["x-a"]], ["2", undefined]);
  }
});

Deno.test("clientErrorLevel is the level of a client error's record", async () => {
  for (const clientErrorLevel of ["error", "warn", "info", "off"] as const) {
    const levelsOf = async (error: Error, ...use: Middleware[]) => {
      const { records } = await ask(fail(error), { clientErrorLevel, use });
      return records.map(({ level }) => level);
    };
    const levels = clientErrorLevel === "off" ? [] : [clientErrorLevel.toUpperCase()];
    assertEquals(await levelsOf(new HttpNotFoundError()), levels);
    const hide: Middleware = async (_event, _context, next) => {
      await next();
      return reply(404, "x");
    };
    assertEquals(await levelsOf(new Error("x"), hide), levels);
    assertEquals(await levelsOf(new Error("x")), ["FATAL"]);
  }
});
