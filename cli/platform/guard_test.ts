import { assertEquals } from "@std/assert";
import { hasManyHosts, isForged, isLocalHost } from "./guard.ts";

Deno.test("isLocalHost() takes only the names of the loopback interface", async (t) => {
  for (
    const [host, expected] of [
      ["localhost", true],
      ["localhost:8000", true],
      ["LOCALHOST:1", true],
      ["127.0.0.1:8000", true],
      ["[::1]:8000", true],
      [undefined, false],
      ["", false],
      ["evil.example", false],
      ["evil.example:8000", false],
      ["localhost.evil.example", false],
      ["localhost@evil.example", false],
      ["evil.example#localhost", false],
      ["127.0.0.1.nip.example", false],
      ["0.0.0.0:8000", false],
      ["[::ffff:127.0.0.1]", false],
      ["localhost:8000\n", false],
    ] as const
  ) {
    await t.step(`${JSON.stringify(host)}`, () => {
      assertEquals(isLocalHost(host), expected);
    });
  }
});

Deno.test("isForged() refuses changes by pages of other origins", async (t) => {
  for (
    const [method, headers, expected] of [
      ["POST", {}, false],
      ["POST", { origin: "http://localhost:8000" }, false],
      ["POST", { origin: "http://LOCALHOST:8000" }, false],
      ["POST", { "sec-fetch-site": "same-origin" }, false],
      ["PUT", { "sec-fetch-site": "none" }, false],
      ["GET", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }, false],
      ["POST", { origin: "https://evil.example" }, true],
      ["POST", { origin: "null" }, true],
      ["POST", { origin: "http://localhost:3000" }, true],
      ["POST", { origin: "https://localhost:8000" }, true],
      ["DELETE", { "sec-fetch-site": "cross-site" }, true],
      ["POST", { "sec-fetch-site": "same-site" }, true],
    ] as const
  ) {
    await t.step(`${method} with ${JSON.stringify(headers)}`, () => {
      assertEquals(isForged(method, headers, "localhost:8000"), expected);
    });
  }
});

Deno.test("hasManyHosts() counts the Host headers", async (t) => {
  for (
    const [rawHeaders, expected] of [
      [[], false],
      [["Host", "localhost"], false],
      [["X", "Host", "Host", "host"], false],
      [["Host", "localhost", "Host", "localhost"], true],
      [["host", "a", "Accept", "*/*", "HOST", "b"], true],
    ] as const
  ) {
    await t.step(`${JSON.stringify(rawHeaders)}`, () => {
      assertEquals(hasManyHosts(rawHeaders), expected);
    });
  }
});
