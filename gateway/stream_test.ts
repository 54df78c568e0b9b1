import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { type Transform, Writable } from "node:stream";
import * as zlib from "node:zlib";
import { drive } from "../runtime/testdata/drive.ts";
import { invocation } from "../runtime/testdata/stub_api.ts";
import { captureLog } from "../testing/mod.ts";
import { chunks, eventsOf, fail } from "./testdata/events.ts";
import {
  asResponse,
  buildHttpResponse,
  type Coding,
  fetchHandler,
  HttpNotFoundError,
  type HttpResponse,
  proxyHandler,
  type ProxyHandlerOptions,
  type ProxyRoute,
  reply,
} from "./mod.ts";

const eventWith = (headers: Record<string, string> = {}) =>
  eventsOf("GET", { Origin: "https://a.example", ...headers })["http"]!.event;
const event = eventWith();
const SSE = { type: "text/event-stream" };

/** The parts of a streamed HTTP response: the prelude, and the text after eight NULs. */
function partsOf(body: string) {
  const [prelude = "", ...rest] = body.split("\0".repeat(8));
  return { prelude: JSON.parse(prelude), text: rest.join("\0".repeat(8)) };
}

/** Streams one response through the custom runtime over loopback. */
async function stream(route: unknown, options: ProxyHandlerOptions = {}, request = event) {
  const handler = proxyHandler(route as ProxyRoute, { ...options, stream: true });
  const { posts: [post], log } = await drive([invocation(request)], handler);
  return { post: post!, log, ...partsOf(post!.body) };
}

Deno.test("stream: the custom runtime sends the prelude and each chunk as it comes", async () => {
  const { post, prelude, text, log } = await stream(
    () => reply(201, chunks("a", "b", new Uint8Array([99])), { ...SSE, cookies: ["a=1", "b=2"] }),
    { extraHeaders: { "X-A": "1" }, cors: { origins: "*" } },
  );
  assertEquals(prelude, {
    statusCode: 201,
    headers: {
      "Content-Type": "text/event-stream",
      "X-A": "1",
      "Access-Control-Allow-Origin": "*",
      Vary: "Origin, Accept",
    },
    cookies: ["a=1", "b=2"],
  });
  assertEquals([text, log], ["abc", []]);
  assertEquals(post.headers["lambda-runtime-function-response-mode"], "streaming");
  assertEquals(post.headers["content-type"], "application/vnd.awslambda.http-integration-response");
  assertEquals(post.chunks.slice(-3), [1, 1, 1], "each byte was sent by itself");
});

Deno.test("stream: every other answer is streamed too", async () => {
  const bytes = new Uint8Array([104, 105]);
  const coded = { statusCode: 203, body: "aGk=", isBase64Encoded: true };
  const lost = new HttpNotFoundError("No");
  for (
    const [name, route, status, text] of [
      ["a payload", () => ({ a: 1 }), 200, '{\n  "a": 1\n}'],
      ["nothing", () => {}, 204, ""],
      ["bytes", () => bytes, 200, "hi"],
      ["a Response", () => new Response("hi", { status: 201 }), 201, "hi"],
      ["an empty Response", () => new Response(null, { status: 304 }), 304, ""],
      ["an empty stream", () => chunks(), 200, ""],
      ["a built response", () => buildHttpResponse(202, 1), 202, "1"],
      ["a result in base64", () => asResponse(coded), 203, "hi"],
      ["a result without a body", () => asResponse({ statusCode: 302 }), 302, ""],
      ["a client error", fail(lost), 404, '{\n  "Message": "No"\n}'],
    ] as const
  ) {
    const answer = await stream(route);
    assertEquals([answer.prelude.statusCode, answer.text], [status, text], name);
    assertEquals(answer.log.length, name === "a client error" ? 1 : 0, name);
    assertEquals(answer.post.trailers, {}, name);
  }
});

Deno.test("stream: a failure before the first byte is an ordinary error response", async () => {
  const error = new Error("no disk");
  for (const body of [chunks(error), new Response(ReadableStream.from(chunks(error)) as never)]) {
    const { prelude, text, log, post } = await stream(() => body);
    assertEquals(prelude.statusCode, 500);
    assertEquals(JSON.parse(text), { Message: "The server failed to answer this request" });
    assertEquals(log.length, 1);
    assertStringIncludes(log[0]!, "no disk");
    assertEquals(post.trailers, {});
  }
});

Deno.test("stream: a later failure ends the stream with trailers, and is logged once", async () => {
  const { prelude, text, log, post } = await stream(() => chunks("a", new TypeError("no disk")));
  assertEquals([prelude.statusCode, text], [200, "a"]);
  assertEquals(post.trailers["lambda-runtime-function-error-type"], "Function.TypeError");
  assertEquals(log.length, 1);
  assertStringIncludes(log[0]!, "no disk");
});

const DECODERS: Partial<Record<Coding, () => Transform>> = {
  gzip: zlib.createGunzip,
  br: zlib.createBrotliDecompress,
  // Node.js before 22.15 does not have it.
  ..."createZstdDecompress" in zlib && { zstd: zlib.createZstdDecompress as () => Transform },
};

Deno.test("stream: each chunk is compressed and sent at once, also before a failure", async () => {
  for (const [coding, makeDecoder] of Object.entries(DECODERS)) {
    let sent = "";
    let received = "";
    const decoder = makeDecoder().on("data", (text) => received += text);
    const arrival = async () => {
      for (let tries = 0; received !== sent; tries++) {
        assert(tries < 1000, `${coding}: ${received.length} of ${sent.length} bytes arrived`);
        await new Promise((resolve) => setTimeout(resolve));
      }
    };
    const route = async function* () {
      const long = Array.from({ length: 20_000 }, Math.random).join();
      for (const part of ["a", long, "", "c"]) {
        await arrival();
        sent += part;
        yield part;
      }
      throw new RangeError("no disk");
    };
    const compression = { codings: [coding as Coding] };
    const handler = proxyHandler(route, { stream: true, compression });
    const { prelude, body } = await handler(eventWith({ "Accept-Encoding": coding }));
    assertEquals(prelude.headers["Content-Encoding"], coding);
    assertEquals(prelude.headers["Vary"], "Accept, Accept-Encoding");
    await assertRejects(async () => {
      for await (const chunk of body) decoder.write(chunk);
    }, RangeError);
    await arrival();
    decoder.destroy();
  }
});

Deno.test("stream: a stream of a type that shrinks is compressed to its end", async () => {
  const request = eventWith({ "Accept-Encoding": "gzip" });
  const text = ["x", "y".repeat(50_000)];
  for (
    const [type, isCompressed] of [
      ["text/plain", true],
      ["image/png", false],
      [SSE.type, false],
    ] as const
  ) {
    const handler = proxyHandler(() => reply(200, chunks(...text), { type }), { stream: true });
    const { prelude, body } = await handler(request);
    assertEquals(prelude.headers["Content-Encoding"], isCompressed ? "gzip" : undefined);
    const bytes = await new Response(ReadableStream.from(body) as never).bytes();
    assertEquals(String(isCompressed ? zlib.gunzipSync(bytes) : Buffer.from(bytes)), text.join(""));
  }
});

Deno.test("stream: fetchHandler() streams the body of a Response", async () => {
  const app = () =>
    new Response(ReadableStream.from(["a", "b"]).pipeThrough(new TextEncoderStream()));
  const handler = fetchHandler(app, { stream: true });
  const { posts: [post] } = await drive([invocation(event)], handler);
  assertEquals(partsOf(post!.body).text, "ab");
  assertEquals(post!.chunks.slice(-2), [1, 1]);
});

/** A body without an end, which knows whether it was stopped. */
class Endless {
  isStopped = false;

  async *chunks(onTenth?: () => void) {
    try {
      for (let count = 0;; count++) {
        if (count === 10) onTenth?.();
        yield await Promise.resolve("xxxx");
      }
    } finally {
      this.isStopped = true;
    }
  }
}

Deno.test("stream: the body is told to stop if nobody reads it to the end", async () => {
  for (const request of [event, eventWith({ "Accept-Encoding": "gzip" })]) {
    const endless = new Endless();
    const { body } = await proxyHandler(() => endless.chunks(), { stream: true })(request);
    for await (const chunk of body) {
      assert(chunk.length > 0);
      break;
    }
    assertEquals(endless.isStopped, true);
  }
});

/** The managed Node.js runtime as its documentation describes it, with a stream that holds a few bytes. */
class ManagedRuntime {
  /** The bytes that arrived. */
  body = "";
  /** The most bytes that waited in memory. */
  peak = 0;
  isEnded = false;
  readonly stream: Writable & { beforeFirstWrite?: (() => string) | undefined };

  constructor() {
    this.stream = new Writable({
      highWaterMark: 4,
      write: (chunk, _encoding, done) => {
        setTimeout(() => {
          this.body += new TextDecoder().decode(chunk);
          done();
        });
      },
      final: (done) => {
        this.isEnded = true;
        done();
      },
    });
    const write = this.stream.write.bind(this.stream) as (chunk: unknown) => boolean;
    this.stream.write = ((chunk: unknown) => {
      const prelude = this.stream.beforeFirstWrite?.();
      this.stream.beforeFirstWrite = undefined;
      if (prelude !== undefined) write(prelude);
      const isReady = write(chunk);
      if (prelude === undefined) this.peak = Math.max(this.peak, this.stream.writableLength);
      return isReady;
    }) as never;
  }

  /** The global `awslambda`. */
  readonly awslambda = {
    streamifyResponse: (handler: unknown) => Object.assign(handler as object, { isMarked: true }),
    HttpResponseStream: {
      from(stream: ManagedRuntime["stream"], prelude: unknown) {
        stream.beforeFirstWrite = () => JSON.stringify(prelude) + "\0".repeat(8);
        return stream;
      },
    },
  };

  /** Makes a handler while the global is there, and calls it with an event. */
  async call(make: () => unknown, event: unknown): Promise<void> {
    await withGlobal(this.awslambda, async () => {
      const handler = make() as (...args: unknown[]) => Promise<void>;
      assertEquals((handler as unknown as { isMarked?: boolean }).isMarked, true);
      await handler(event, this.stream, { awsRequestId: "id-1" });
    });
  }
}

/** Runs a function while the global `awslambda` has a value. */
async function withGlobal(awslambda: unknown, run: () => Promise<void>): Promise<void> {
  Object.assign(globalThis, { awslambda });
  try {
    await run();
  } finally {
    delete (globalThis as { awslambda?: unknown }).awslambda;
  }
}

Deno.test("stream: the managed Node.js runtime gets the prelude, then the bytes, then the end", async () => {
  for (
    const [route, status, text] of [
      [() => reply(201, chunks("a", "b"), SSE), 201, "ab"],
      [() => ({ a: 1 }), 200, '{\n  "a": 1\n}'],
      [() => {}, 204, ""],
    ] as const
  ) {
    const runtime = new ManagedRuntime();
    await runtime.call(() => proxyHandler(route as ProxyRoute, { stream: true }), event);
    await new Promise((resolve) => runtime.stream.on("close", resolve));
    const { prelude, text: sent } = partsOf(runtime.body);
    assertEquals([prelude.statusCode, sent, runtime.isEnded], [status, text, true]);
  }
});

Deno.test("stream: a slow reader of the managed Node.js runtime slows the body down", async () => {
  const runtime = new ManagedRuntime();
  const many = Array.from({ length: 200 }, () => "x");
  await runtime.call(() => proxyHandler(() => chunks(...many), { stream: true }), event);
  await new Promise((resolve) => runtime.stream.on("close", resolve));
  assertEquals(partsOf(runtime.body).text.length, 200);
  assert(runtime.peak < 100, `${runtime.peak} bytes waited`);
});

Deno.test("stream: a late failure rejects on the managed Node.js runtime before the end, and is not logged twice", async () => {
  const runtime = new ManagedRuntime();
  const { records: log } = await captureLog(async () => {
    const make = () => proxyHandler(() => chunks("a", new RangeError("no disk")), { stream: true });
    await assertRejects(() => runtime.call(make, event), RangeError, "no disk");
  });
  assertEquals(log, []);
  assertEquals(runtime.isEnded, false);
});

Deno.test("stream: a reader that leaves ends the body on the managed Node.js runtime", async () => {
  const runtime = new ManagedRuntime();
  const endless = new Endless();
  const body = () => endless.chunks(() => runtime.stream.destroy());
  await runtime.call(() => proxyHandler(body, { stream: true }), event);
  assertEquals(endless.isStopped, true);
});

Deno.test("stream: without the option, or with the global that the AWS SDK makes, the handler is an ordinary one", async () => {
  const route = () => reply(200, chunks("a", "b"), SSE);
  await withGlobal(new ManagedRuntime().awslambda, async () => {
    const result: HttpResponse = await proxyHandler(route)(event);
    assertEquals([result.statusCode, result.body], [200, "ab"]);
  });
  await withGlobal({ InvokeStore: {} }, async () => {
    const { prelude } = await proxyHandler(route, { stream: true })(event);
    assertEquals(prelude.statusCode, 200);
  });
});
