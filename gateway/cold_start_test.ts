import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import { type HttpResponse, proxyHandler } from "./mod.ts";

/** Long enough to be compressed. */
const LONG = "x".repeat(1000);
const MODULE = new URL("./mod.ts", import.meta.url).href;

/** Runs code in a Deno of its own that records whether `process` is touched, and returns the JSON that it prints. */
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
      const LONG = ${JSON.stringify(LONG)};
      const event = { headers: { "Accept-Encoding": "gzip" } };
      const context = { awsRequestId: "8f5e" };
      ${code}`,
    ],
    stdin: "null",
  }).output();
  assertEquals(success, true, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout).trimEnd().split("\n").at(-1)!);
}

/** The text that was compressed. */
function contentOf(body: string): string {
  return gunzipSync(Buffer.from(body, "base64")).toString();
}

Deno.test("proxyHandler() compresses on a cold Deno without a module of the runtime, errors too", async () => {
  const [found, lost, isTouched] = await runCold(`
    const found = await proxyHandler(() => ({ id: LONG }))(event, context);
    const lost = await proxyHandler(() => {
      throw new HttpNotFoundError(LONG);
    })(event, context);
    console.log(JSON.stringify([found, lost, isTouched]));
  `) as [HttpResponse, HttpResponse, boolean];
  assertEquals(isTouched, false);
  assertEquals(found.headers["Content-Encoding"], "gzip");
  assertEquals(JSON.parse(contentOf(found.body)), { id: LONG });
  assertEquals(JSON.parse(contentOf(lost.body)), { Message: LONG });
});

Deno.test("a runtime that cannot load node:zlib gets the names of those that can", async () => {
  const messages = await runCold(`
    const messages = [undefined, {}].map((value) => {
      Object.defineProperty(globalThis, "process", { value, configurable: true });
      try {
        return buildHttpResponse(200, { id: LONG }, { event: new FnProxyEvent(event) });
      } catch (error) {
        return error.message;
      }
    });
    console.log(JSON.stringify(messages));
  `);
  assertEquals(messages, Array(2).fill("Cannot load node:zlib: expected Node.js 20.16, Deno 2.1"));
});

Deno.test("proxyHandler() compresses as buildHttpResponse() does, once node:zlib is loaded", async () => {
  const [built, handled] = await runCold(`
    const built = buildHttpResponse(200, { id: LONG }, { event: new FnProxyEvent(event) });
    console.log(JSON.stringify([built, await proxyHandler(() => ({ id: LONG }))(event, context)]));
  `) as [unknown, unknown];
  assertEquals(handled, built);
});

Deno.test("proxyHandler() sends the bytes of a transformer as they were, even if it uses them again", async () => {
  const scratch = new Uint8Array(1000); // a buffer for all responses
  const handler = proxyHandler((event) => event.queryPath(), {
    customTransformers: {
      "text/plain": (payload) => [scratch.fill(String(payload).charCodeAt(0)), "text/plain"],
    },
  });
  const headers = { Accept: "text/plain", "Accept-Encoding": "gzip" };
  const paths = ["a", "b", "c"];
  const responses = await Promise.all(
    paths.map((path) => handler({ headers, requestContext: { path } })),
  );
  assertEquals(responses.map(({ body }) => contentOf(body)[999]), paths);
});
