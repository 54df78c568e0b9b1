import { assertEquals } from "@std/assert";
import { gunzipSync } from "node:zlib";
import { decodeBase64 } from "../function/base64.ts";
import { isStreamSooner } from "./response/gzip.ts";
import { proxyHandler } from "./mod.ts";

const MODULE = new URL("./mod.ts", import.meta.url).href;

/** Runs a piece of code in a Deno of its own, which records whether `process` is touched, and returns what it prints. */
async function runCold(code: string): Promise<unknown> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      "--no-lock",
      `const original = Object.getOwnPropertyDescriptor(globalThis, "process");
      let isTouched = false;
      Object.defineProperty(globalThis, "process", {
        configurable: true,
        get() {
          isTouched = true;
          return original.get ? original.get.call(globalThis) : original.value;
        },
      });
      const { buildHttpResponse, FnProxyEvent, HttpNotFoundError, proxyHandler } =
        await import(${JSON.stringify(MODULE)});
      const event = { headers: { "Accept-Encoding": "gzip" } };
      const context = { awsRequestId: "8f5e" };
      ${code}`,
    ],
    stdin: "null",
  }).output();
  assertEquals(success, true, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout).trimEnd().split("\n").at(-1)!);
}

function contentOf(body: string): unknown {
  return JSON.parse(gunzipSync(decodeBase64(body)!).toString());
}

Deno.test("proxyHandler() leaves loading node:zlib to others while it can", async () => {
  const { body } = await proxyHandler(() => ({ id: 7 }))({
    headers: { "Accept-Encoding": "gzip" },
  });
  assertEquals(contentOf(body), { id: 7 });
  assertEquals(isStreamSooner(), true);
});

Deno.test("proxyHandler() answers with the bytes as they were, whatever a transformer does with them later", async () => {
  const scratch = new Uint8Array(3); // a buffer for all responses
  const handler = proxyHandler((event) => event.queryPath(), {
    customTransformers: {
      "text/plain": (payload) => [scratch.fill(String(payload).charCodeAt(0)), "text/plain"],
    },
  });
  const headers = { Accept: "text/plain", "Accept-Encoding": "gzip" };
  assertEquals(isStreamSooner(), true);
  const responses = await Promise.all(
    ["a", "b", "c"].map((path) => handler({ headers, requestContext: { path } })),
  );
  assertEquals(
    responses.map(({ body }) => gunzipSync(decodeBase64(body)!).toString()),
    ["aaa", "bbb", "ccc"],
  );
});

Deno.test("proxyHandler() compresses on a cold Deno without a module of the runtime, errors too", async () => {
  const [found, lost, isTouched] = await runCold(`
    const found = await proxyHandler(() => ({ id: 7 }))(event, context);
    const lost = await proxyHandler(() => {
      throw new HttpNotFoundError("No such order");
    })(event, context);
    console.log(JSON.stringify([found, lost, isTouched]));
  `) as [{ body: string }, { body: string }, boolean];
  assertEquals(isTouched, false);
  assertEquals(found, {
    statusCode: 200,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Encoding": "gzip",
      Vary: "Accept, Accept-Encoding",
    },
    body: found.body,
    isBase64Encoded: true,
  } as never);
  assertEquals(contentOf(found.body), { id: 7 });
  assertEquals(contentOf(lost.body), { Message: "No such order" });
});

Deno.test("proxyHandler() loads node:zlib for its thousand-and-first compressed response", async () => {
  const touched = await runCold(`
    const handler = proxyHandler(() => 7);
    const touched = [];
    for (let count = 1; count <= 1001; count++) {
      await handler(event, context);
      if (count >= 1000) touched.push(isTouched);
    }
    console.log(JSON.stringify(touched));
  `);
  assertEquals(touched, [false, true]);
});

Deno.test("proxyHandler() compresses as buildHttpResponse() does, once that has loaded node:zlib", async () => {
  const [built, handled] = await runCold(`
    const built = buildHttpResponse(200, { id: 7 }, { event: new FnProxyEvent(event) });
    console.log(JSON.stringify([built, await proxyHandler(() => ({ id: 7 }))(event, context)]));
  `) as [unknown, unknown];
  assertEquals(handled, built);
});
