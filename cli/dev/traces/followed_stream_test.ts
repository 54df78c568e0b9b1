import { assertEquals, assertRejects } from "@std/assert";
import { followStream } from "./followed_stream.ts";

Deno.test("followStream() passes on every byte, keeps the beginning, and tells of each end once", async () => {
  const told: unknown[] = [];
  const follow = (stream: ReadableStream<Uint8Array>) =>
    followStream(stream, (bytes, size) => told.push([bytes.length, size]));
  const chunk = new Uint8Array(200_000);
  const stream = () => ReadableStream.from([chunk, chunk, chunk]);
  assertEquals((await new Response(follow(stream())).bytes()).length, 600_000);
  const reader = follow(stream()).getReader();
  await reader.read();
  await reader.cancel();
  const broken = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error("no")) });
  await assertRejects(() => new Response(follow(broken)).bytes(), Error, "no");
  assertEquals(told, [[400_000, 600_000], [200_000, 200_000], [0, 0]]);
});

Deno.test("followStream() reads nothing before somebody reads", async () => {
  let pulls = 0;
  const source = new ReadableStream<Uint8Array>({ pull: () => void pulls++ }, { highWaterMark: 0 });
  followStream(source, () => {});
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals(pulls, 0);
});
