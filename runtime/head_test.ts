import { assertEquals, assertThrows } from "@std/assert";
import { parseHead } from "./head.ts";
import { RuntimeApiError } from "./runtime_api_error.ts";

Deno.test("parseHead() reads names in any case, values without white space, repeated fields joined", () => {
  const head = parseHead("HTTP/1.1 200 OK\r\nX-A:  1 \r\nx-a:2\r\nCONTENT-LENGTH: 5\r\nEmpty:");
  assertEquals(head.status, 200);
  assertEquals([...head.fields], [["x-a", "1, 2"], ["content-length", "5"], ["empty", ""]]);
  assertEquals([head.length, head.keepAlive], [5, true]);
});

Deno.test("parseHead() takes folded lines for one", () => {
  const { fields } = parseHead("HTTP/1.1 200 OK\r\na: b\r\n  c\r\n\td: e\r\nf: g\r\n ");
  assertEquals([...fields], [["a", "b  c\td: e"], ["f", "g"]]);
});

for (
  const [name, text, length, keepAlive] of [
    ["a length", "HTTP/1.1 200 OK\r\nContent-Length: 0", 0, true],
    ["the same length twice", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3", 3, true],
    ["chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked", "chunked", true],
    ["neither", "HTTP/1.1 200 OK\r\nX: 1", undefined, false],
    ["no content", "HTTP/1.1 204 No Content\r\nX: 1", 0, true],
    ["no reason phrase", "HTTP/1.1 202\r\nContent-Length: 1", 1, true],
    ["a close", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: x, Close", 1, false],
    ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1", 1, false],
    ["HTTP/1.0 kept", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive", 1, true],
  ] as const
) {
  Deno.test(`parseHead() frames the content: ${name}`, () => {
    const head = parseHead(text);
    assertEquals([head.length, head.keepAlive], [length, keepAlive]);
  });
}

for (
  const text of [
    "",
    "HTTP/2 200 OK",
    "HTTP/1.1 20 OK",
    "HTTP/1.1 099 OK",
    "ICY 200 OK",
    "HTTP/1.1 200 OK\r\nno colon",
    "HTTP/1.1 200 OK\r\n: no name",
    "HTTP/1.1 200 OK\r\nname : space",
    "HTTP/1.1 200 OK\r\n folded: line",
    "HTTP/1.1 200 OK\r\na: b\r\n c\rd: e",
    "HTTP/1.1 200 OK\r\na: b\rc: d",
    "HTTP/1.1 200 OK\r\na: b\nc: d",
    "HTTP/1.1 200 OK\r\na: b\0",
    "HTTP/1.1 200 OK\r\nContent-Length: -1",
    "HTTP/1.1 200 OK\r\nContent-Length: 1e3",
    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2",
    "HTTP/1.1 200 OK\r\nContent-Length: ",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3",
    `HTTP/1.1 200 OK\r\n${"x".repeat(500)}`,
  ]
) {
  Deno.test(`parseHead() refuses ${JSON.stringify(text).slice(0, 80)}`, () => {
    const error = assertThrows(() => parseHead(text), RuntimeApiError);
    assertEquals(error.message.startsWith("Cannot read the Runtime API's response: "), true);
    assertEquals(error.message.length < 300, true);
  });
}
