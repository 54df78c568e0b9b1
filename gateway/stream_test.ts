import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { Writable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { captureLog } from "../testing/mod.ts";
import { chunks, eventWith, partsOf } from "./testdata/events.ts";
import {
  type HttpResponse,
  proxyHandler,
  type ProxyRoute,
  reply,
  type StreamedResponse,
  streamHandler,
} from "./mod.ts";

const event = eventWith();
const SSE = { type: "text/event-stream" };

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
    const { body } = await streamHandler(() => endless.chunks())(request);
    for await (const chunk of body) {
      assert(chunk.length > 0);
      break;
    }
    assertEquals(endless.isStopped, true);
  }
});

Deno.test("stream: a response without content tells its stream to stop", async () => {
  for (const make of [proxyHandler, streamHandler]) {
    for (const status of [204, 205, 304]) {
      for (const type of [undefined, "text/plain"]) {
        const reasons: unknown[] = [];
        const stream = new ReadableStream<Uint8Array>({
          cancel: (reason) => void reasons.push(reason),
        });
        await make(() => reply(status, stream, { type }))(event);
        assertEquals(reasons.length, 1, `${make.name} ${status} ${type}`);
      }
    }
    const locked = new ReadableStream<Uint8Array>();
    locked.getReader();
    const failing = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new Error("next")),
        return: () => Promise.reject(new Error("return")),
      }),
    };
    for (const stream of [locked, failing]) {
      const handler: (event: unknown) => Promise<HttpResponse | StreamedResponse> = make(() =>
        reply(304, stream)
      );
      const { result, records } = await captureLog(() => handler(event));
      const { statusCode } = "prelude" in result ? result.prelude : result;
      assertEquals([statusCode, records], [304, []]);
    }
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
    const handler = streamHandler(() => reply(200, chunks(...text), { type }));
    const { prelude, body } = await handler(request);
    assertEquals(prelude.headers["Content-Encoding"], isCompressed ? "gzip" : undefined);
    assertEquals(prelude.headers["Vary"], isCompressed ? "Accept, Accept-Encoding" : "Accept");
    const bytes = await new Response(ReadableStream.from(body) as never).bytes();
    assertEquals(String(isCompressed ? gunzipSync(bytes) : Buffer.from(bytes)), text.join(""));
  }
  const known = await streamHandler(() => text[1]!)(request);
  assertEquals(known.prelude.headers["Content-Encoding"], "gzip", "content that is known");
  const empty = () => new Response(null, { status: 302, headers: { Location: "/" } });
  const { prelude, body } = await streamHandler({ fetch: empty })(request);
  assertEquals(prelude.headers["Content-Encoding"], undefined, "no content");
  assertEquals(await new Response(ReadableStream.from(body) as never).text(), "");
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
    await runtime.call(() => streamHandler(route as ProxyRoute), event);
    await new Promise((resolve) => runtime.stream.on("close", resolve));
    const { prelude, text: sent } = partsOf(runtime.body);
    assertEquals([prelude.statusCode, sent, runtime.isEnded], [status, text, true]);
  }
});

Deno.test("stream: a slow reader of the managed Node.js runtime slows the body down", async () => {
  const runtime = new ManagedRuntime();
  const many = Array.from({ length: 200 }, () => "x");
  await runtime.call(() => streamHandler(() => chunks(...many)), event);
  await new Promise((resolve) => runtime.stream.on("close", resolve));
  assertEquals(partsOf(runtime.body).text.length, 200);
  assert(runtime.peak < 100, `${runtime.peak} bytes waited`);
});

Deno.test("stream: a late failure rejects on the managed Node.js runtime before the end, and is not logged twice", async () => {
  const runtime = new ManagedRuntime();
  const { records: log } = await captureLog(async () => {
    const make = () => streamHandler(() => chunks("a", new RangeError("no disk")));
    await assertRejects(() => runtime.call(make, event), RangeError, "no disk");
  });
  assertEquals(log, []);
  assertEquals(runtime.isEnded, false);
});

Deno.test("stream: a reader that leaves ends the body on the managed Node.js runtime", async () => {
  const runtime = new ManagedRuntime();
  const endless = new Endless();
  const body = () => endless.chunks(() => runtime.stream.destroy());
  await runtime.call(() => streamHandler(body), event);
  assertEquals(endless.isStopped, true);
});

Deno.test("stream: proxyHandler() never streams, and does not take the global of the AWS SDK for the platform", async () => {
  const route = () => reply(200, chunks("a", "b"), SSE);
  await withGlobal(new ManagedRuntime().awslambda, async () => {
    const result: HttpResponse = await proxyHandler(route)(event);
    assertEquals([result.statusCode, result.body], [200, "ab"]);
  });
  await withGlobal({ InvokeStore: {} }, async () => {
    const { prelude } = await streamHandler(route)(event);
    assertEquals(prelude.statusCode, 200);
  });
});

Deno.test("streamHandler() has the options of the kind of its route, and refuses anything else", async () => {
  const app = { fetch: () => new Response("x") };
  const accept = eventWith({ Accept: "image/png" });
  const { prelude } = await streamHandler(app)(accept);
  assertEquals(prelude.statusCode, 200, "an application answers every Accept");
  const { result } = await captureLog(() => streamHandler(() => 1)(accept));
  assertEquals(result.prelude.statusCode, 406);
  for (
    const [route, options, problem] of [
      [app, { types: ["image/png"] }, 'Unknown option "types"'],
      [() => 1, { stream: true }, 'Unknown option "stream"'],
      [() => 1, { types: [] }, "Invalid option types"],
      [5, {}, "Invalid route: expected a function"],
      [undefined, {}, "Invalid route: expected a function"],
      [{ fetch: 5 }, {}, "Invalid route: expected a function"],
    ] as const
  ) {
    assertThrows(() => streamHandler(route as never, options as never), TypeError, problem);
  }
});
