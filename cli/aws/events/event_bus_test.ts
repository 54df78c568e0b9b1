import { assertEquals, assertThrows } from "@std/assert";
import { createEventBus } from "./event_bus.ts";

/** The entries are as large as the service counts them: 14 bytes for the time, and the bytes of UTF-8 of each text. */
Deno.test("PutEvents takes 262,144 bytes of entries, and not one more", () => {
  const entry = { Source: "shop", DetailType: "Sold", Detail: '{"a":""}' };
  const own = 16;
  const table: [entries: (filler: string) => object[], size: number][] = [
    [(text) => [{ ...entry, Detail: `{"a":"${text}"}` }], own],
    [(text) => [{ ...entry, Detail: `{"a":"é${text}"}` }], own + 2],
    [(text) => [{ ...entry, Resources: ["arn", text] }], own + 3],
    [(text) => [{ ...entry, Resources: [text], Time: 0 }], own + 14],
    [(text) => [entry, { ...entry, Resources: [text] }], 2 * own],
  ];
  const bus = createEventBus({}, () => {}, () => {});
  const headers = new Headers({ "x-amz-target": "AWSEvents.PutEvents" });
  for (const [entries, size] of table) {
    const put = (more: number) => {
      const Entries = entries("x".repeat(262_144 - size + more));
      return bus.parse(headers, JSON.stringify({ Entries })).run();
    };
    assertEquals((put(0) as Response).status, 200);
    assertThrows(() => put(1), Error, "over the limit of 262144 bytes", `${entries}`);
  }
});

Deno.test("PutEvents refuses an entry whose detail is too deep, and takes the others", async () => {
  const bus = createEventBus({}, () => {}, () => {});
  const headers = new Headers({ "x-amz-target": "AWSEvents.PutEvents" });
  const nested = (open: string, close: string, levels: number) =>
    `{"a":${open.repeat(levels - 1)}"]}"${close.repeat(levels - 1)}}`;
  const details = [
    nested("[", "]", 1_000),
    nested('{"a":', "}", 1_000),
    nested("[", "]", 1_001),
    nested('{"a":', "}", 8_000),
    JSON.stringify({ text: '\\"[{'.repeat(2_000) }),
    JSON.stringify({ many: Array(2_000).fill([]) }),
  ];
  const Entries = details.map((Detail) => ({ Source: "shop", DetailType: "Sold", Detail }));
  const response = await bus.parse(headers, JSON.stringify({ Entries })).run();
  const answer: { Entries: { ErrorCode?: string }[] } = await response.json();
  const codes = answer.Entries.map(({ ErrorCode }) => ErrorCode);
  const deep = "MalformedDetail";
  assertEquals(codes, [undefined, undefined, deep, deep, undefined, undefined]);
});
