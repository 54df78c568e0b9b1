import { assertEquals } from "@std/assert";
import { recordLog } from "../testdata/record_log.ts";
import { importBlock, sectionOf } from "./testdata/markdown.ts";

type Handler = (event: unknown, context: unknown) => Promise<Reply>;

interface Reply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

const eventOf = (id: string, headers: Record<string, string>) => ({
  headers,
  queryStringParameters: { id },
  requestContext: { identity: { sourceIp: "192.0.2.1" } },
});

async function answer(handler: Handler, id: string, headers: Record<string, string>) {
  const { result } = await recordLog(() =>
    handler(eventOf(id, headers), { awsRequestId: "8f507cfc" })
  );
  return result;
}

async function contentOf({ body, isBase64Encoded }: Reply): Promise<string> {
  if (!isBase64Encoded) return body;
  const stream = new Blob([Uint8Array.fromBase64(body)]).stream();
  return await new Response(stream.pipeThrough(new DecompressionStream("gzip"))).text();
}

const section = await sectionOf("README.md", "A function");
const ours = await importBlock<Handler>(section, "ts");
const theirs = await importBlock<Handler>(section, "js");

Deno.test("README.md: the function answers like the longer version without the library", async () => {
  for (const id of ["milk", "none", "long".repeat(500)]) {
    for (const coding of ["", "gzip", "gzip;q=0", "br, gzip;q=0.5"]) {
      const headers = { Accept: "*/*", "Accept-Encoding": coding };
      const reply = await answer(ours, id, headers);
      const replaced = await answer(theirs, id, headers);
      assertEquals(
        { ...reply, body: await contentOf(reply) },
        {
          ...replaced,
          headers: { ...replaced.headers, Vary: "Accept, Accept-Encoding" },
          body: await contentOf(replaced),
        },
        `${id.slice(0, 9)} with "${coding}"`,
      );
    }
  }
});
