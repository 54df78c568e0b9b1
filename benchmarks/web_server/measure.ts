import { median, type Row } from "../contest.ts";
import { bundle, type Runtime } from "../runtimes.ts";

const CONTESTANTS = ["@mate/core", "Hono, @hono/node-server", "node:http"];

const FIELDS = [
  "Host: localhost",
  "User-Agent: Mozilla/5.0 (X11; Linux x86_64)",
  "Accept: application/json",
  "Accept-Encoding: gzip, deflate, br",
  "Accept-Language: en",
  "Origin: https://shop.example",
];

const ORDER = JSON.stringify({ item: "tea", count: 3, note: "x".repeat(100) });

/** The requests, and the start of their responses. */
const REQUESTS: readonly (readonly [work: string, lines: readonly string[], body: string])[] = [
  ["web server: small JSON reply with CORS", ["GET /orders/7?page=2 HTTP/1.1"], ""],
  ["web server: POST of JSON with CORS", [
    "POST /orders HTTP/1.1",
    "Content-Type: application/json",
    `Content-Length: ${ORDER.length}`,
  ], ORDER],
];

/** Measures the processor time of web servers for each request, over eight connections that stay open. */
export async function measureWebServers(
  folder: string,
  runtimes: readonly Runtime[],
  isQuick: boolean,
): Promise<Row[]> {
  const [rounds, count] = isQuick ? [1, 80] : [15, 4_000];
  await bundle(new URL("program.ts", import.meta.url), `${folder}/web_server.mjs`);
  const rows: Row[] = [];
  for (const runtime of runtimes) {
    await using servers = new AsyncDisposableStack();
    const ports = new Map<string, number>();
    for (const contestant of CONTESTANTS) {
      const server = servers.use(runtime.start(`${folder}/web_server.mjs`, contestant));
      ports.set(contestant, Number((await server.find(/^PORT (\d+)$/m))[1]));
    }
    for (const [work, lines, body] of REQUESTS) {
      const request = `${[lines[0], ...FIELDS, ...lines.slice(1)].join("\r\n")}\r\n\r\n${body}`;
      for (const port of ports.values()) await load(port, request, count); // warm
      const times = new Map<string, number[]>(CONTESTANTS.map((name) => [name, []]));
      for (let round = 0; round < rounds; round++) {
        for (const [name, port] of ports) {
          const start = await readCpu(port);
          await load(port, request, count);
          times.get(name)!.push((await readCpu(port) - start) / count);
        }
      }
      const values = Object.fromEntries(
        CONTESTANTS.map((name) => [name, median(times.get(name)!)]),
      );
      rows.push({ work, runtime: runtime.name, unit: "µs", values });
    }
  }
  return rows;
}

async function readCpu(port: number): Promise<number> {
  return await (await fetch(`http://127.0.0.1:${port}/cpu`)).json();
}

/** Sends a request again and again over eight connections. */
async function load(port: number, request: string, count: number): Promise<void> {
  const bytes = new TextEncoder().encode(request);
  await Promise.all(Array.from({ length: 8 }, async () => {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    connection.setNoDelay(true);
    const buffer = new Uint8Array(16_384);
    for (let sent = 0; sent < count / 8; sent++) {
      await connection.write(bytes);
      const length = await connection.read(buffer);
      const text = new TextDecoder().decode(buffer.subarray(0, length ?? 0));
      if (!/^HTTP\/1\.1 20[01] /.test(text)) throw new Error(`A wrong reply: ${text}`);
    }
  }));
}
