import { assert } from "@std/assert";
import { commands, END, start } from "./testdata/servers.ts";

for (const name of commands.keys()) {
  // More requests: REQUESTS=100000
  Deno.test(`${name}: memory is level with slow streams and with many requests`, async () => {
    const { running, port, base } = await start(name);
    await using _server = running;
    const memory = async () => (await (await fetch(`${base}/memory`)).json()).rss / 2 ** 20;
    await sendMany(port, 800);
    const before = await memory();
    await sendMany(port, Number(Deno.env.get("REQUESTS") ?? 800));
    const wires = await Promise.all(
      Array.from({ length: 64 }, async () => {
        const wire = await Deno.connect({ hostname: "127.0.0.1", port });
        await wire.write(new TextEncoder().encode(`GET /endless HTTP/1.1\r\n${END}`));
        await wire.read(new Uint8Array(10)); // and nothing more
        return wire;
      }),
    );
    for (let round = 0; round < 20; round++) await memory(); // the streams could go on meanwhile
    const after = await memory();
    for (const wire of wires) wire.close();
    // The buffers of 64 connections take 20 MiB; a stream that does not wait takes gigabytes.
    assert(after - before < 100, `${before.toFixed()} MiB, then ${after.toFixed()} MiB`);
  });
}

/** Sends requests over eight connections that stay open. */
async function sendMany(port: number, count: number): Promise<void> {
  const request = new TextEncoder().encode("GET /facts HTTP/1.1\r\nHost: a\r\n\r\n");
  await Promise.all(Array.from({ length: 8 }, async () => {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const buffer = new Uint8Array(16_384);
    for (let sent = 0; sent < count / 8; sent++) {
      await connection.write(request);
      await connection.read(buffer);
    }
  }));
}
