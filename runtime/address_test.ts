import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { parseAddress } from "./address.ts";

for (
  const [text, hostname, port] of [
    ["127.0.0.1:9001", "127.0.0.1", 9001],
    ["169.254.100.1:80", "169.254.100.1", 80],
    ["runtime-api.local:65535", "runtime-api.local", 65535],
    ["[::1]:9001", "::1", 9001],
    ["[::ffff:127.0.0.1]:1", "::ffff:127.0.0.1", 1],
  ] as const
) {
  Deno.test(`parseAddress() takes ${text}`, () => {
    assertEquals(parseAddress(text), { hostname, port, authority: text });
  });
}

for (
  const text of [
    "",
    "127.0.0.1",
    "127.0.0.1:",
    ":9001",
    "127.0.0.1:0",
    "127.0.0.1:65536",
    "127.0.0.1:9001/",
    "http://127.0.0.1:9001",
    "::1:9001",
    "[::1]",
    "a b:1",
    "a:1\r\nX: y",
  ]
) {
  Deno.test(`parseAddress() refuses ${JSON.stringify(text)}, quoting it`, () => {
    const error = assertThrows(() => parseAddress(text), TypeError);
    assertStringIncludes(error.message, JSON.stringify(text));
  });
}
