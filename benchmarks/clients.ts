import { gzipSync } from "node:zlib";
import type { Row } from "./contest.ts";
import { bundle } from "./runtimes.ts";

/** The typed clients by their modules. */
const CLIENTS: Readonly<Record<string, string>> = {
  "@mate/core": `{ createClient } from "${new URL("../client/mod.ts", import.meta.url)}"`,
  "Hono RPC": '{ hc } from "npm:hono@4.13.19/client"',
  "openapi-fetch": '{ default as client } from "npm:openapi-fetch@0.17.0"',
  tRPC: '{ createTRPCClient, httpBatchLink } from "npm:@trpc/client@11.25.2"',
};

/** Measures the bytes of each client in a page, minified and gzipped. */
export async function measureClients(folder: string): Promise<Row> {
  const values: Record<string, number> = {};
  for (const [name, module] of Object.entries(CLIENTS)) {
    const entry = `${folder}/client.ts`;
    await Deno.writeTextFile(entry, `export ${module};`);
    await bundle(new URL(`file://${entry}`), `${folder}/client.mjs`);
    const code = await Deno.readFile(`${folder}/client.mjs`);
    values[name] = gzipSync(code, { level: 9 }).length;
  }
  return { work: "typed client, minified and gzipped", runtime: "browser", unit: "bytes", values };
}
