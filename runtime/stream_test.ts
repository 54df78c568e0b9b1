import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type HttpPrelude, httpStream, type StreamBody } from "./mod.ts";
import { drive, type DriveOptions, failureOf } from "./testdata/drive.ts";
import { invocation, type StubRequest } from "./testdata/stub_api.ts";

const NULS = "\0".repeat(8);

/** Serves one invocation with a handler. The answer needs a new connection, because the stub closes the first one. */
function answer(handler: () => unknown, options?: DriveOptions) {
  return drive([invocation(1, {}, { close: true })], handler, options);
}

async function* chunks(...values: unknown[]): AsyncGenerator<never> {
  for (const value of values) {
    if (value instanceof Error) throw value;
    yield await Promise.resolve(value as never);
  }
}

/** Reads the failure of a stream from its trailers. */
function trailersOf(post: StubRequest | undefined) {
  const body = post!.trailers["lambda-runtime-function-error-body"]!;
  const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  const field = post!.trailers["lambda-runtime-function-error-type"]!;
  return { field, failure: JSON.parse(new TextDecoder().decode(bytes)) };
}

Deno.test("run() streams async generators, web streams and other async iterables", async () => {
  const bytes = new Uint8Array([98, 99]);
  const plain = () => {
    let count = 0;
    return {
      next: () => ({ done: count === 3, value: ["a", "bc", "é"][count++] }),
      return: () => isClosed = true,
    };
  };
  let isClosed = false;
  const cases = [
    ["generator", () => chunks("a", bytes, "é")],
    ["web stream", () => ReadableStream.from(["a", bytes, "é"])],
    ["iterable", () => ({ [Symbol.asyncIterator]: () => chunks("abc", "", "é") })],
    ["iterable without promises", () => ({ [Symbol.asyncIterator]: plain })],
    ["promise of a generator", () => Promise.resolve(chunks("abc", "é"))],
  ] as const;
  for (const [name, make] of cases) {
    const { posts: [post, ...others], log } = await answer(make);
    assertEquals([others, log], [[], []], name);
    assertEquals(post!.path.endsWith("/response"), true, name);
    assertEquals([post!.body, post!.trailers], ["abcé", {}], name);
    assertEquals(post!.headers["content-type"], "application/octet-stream", name);
  }
  assertEquals(isClosed, false, "a source that has ended needs no return()");
});

Deno.test("run() sends an HTTP stream as the platform specifies it, each chunk at once", async () => {
  const arrived = Promise.withResolvers<void>();
  async function* body() {
    yield "a";
    await arrived.promise;
    throw new RangeError("spät");
  }
  const handler = () => httpStream({ statusCode: 201, cookies: ["a=b"] }, body());
  const onChunk = (size: number) => size === 1 && arrived.resolve();
  const { posts: [post, ...others], log } = await answer(handler, { onChunk });
  const prelude = '{"statusCode":201,"headers":{},"cookies":["a=b"]}' + NULS;
  assertEquals([post!.body, post!.chunks], [`${prelude}a`, [prelude.length, 1]]);
  const { host: _, ...headers } = post!.headers;
  assertEquals(headers, {
    "user-agent": "mate-core",
    "content-type": "application/vnd.awslambda.http-integration-response",
    "lambda-runtime-function-response-mode": "streaming",
    "trailer": "Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body",
    "transfer-encoding": "chunked",
  });
  const { field, failure } = trailersOf(post);
  assertEquals([field, failure.errorMessage], ["Function.RangeError", "spät"]);
  assertEquals([others, log.length], [[], 1], "the error is neither reported nor logged again");
});

Deno.test("run() streams the HTTP response of a library that does not import the runtime", async () => {
  const prelude = { statusCode: 204, headers: { "x-a": "é" }, multiValueHeaders: { "x-b": ["1"] } };
  const marked = { [Symbol.for("@mate/core/http-stream/1")]: true, prelude, body: chunks("ab") };
  const { posts: [post] } = await answer(() => marked);
  assertEquals(post!.body, `${JSON.stringify(prelude)}${NULS}ab`);
});

Deno.test("run() asks for no more chunks while nobody reads the stream", async () => {
  const read = Promise.withResolvers<void>();
  let count = 0;
  async function* endless() {
    for (; count < 1_000; count++) yield await Promise.resolve(new Uint8Array(100_000));
  }
  const { posts, log } = await answer(endless, {
    onHead(path) {
      if (!path.endsWith("/response")) return undefined;
      let before = -1;
      const timer = setInterval(() => {
        if (count === before) { // The buffers of the system are full.
          clearInterval(timer);
          read.resolve();
        }
        before = count;
      }, 200);
      return { until: read.promise, status: 413 };
    },
  });
  assertEquals([count < 900, posts, log.length], [true, [], 1]);
});

Deno.test("httpStream() has the status 200 by default, also if the body is empty", async () => {
  const { posts: [post] } = await answer(() => httpStream({}, chunks()));
  assertEquals(post!.body, '{"statusCode":200,"headers":{},"cookies":[]}' + NULS);
});

Deno.test("httpStream() refuses a prelude or body that HTTP cannot carry", () => {
  const cases = [
    [{ statusCode: 199 }, chunks(), "Invalid status 199"],
    [{ statusCode: 600 }, chunks(), "Invalid status 600"],
    [{ statusCode: 200.5 }, chunks(), "Invalid status 200.5"],
    [{ headers: { "a b": "x" } }, chunks(), 'Invalid header name "a b"'],
    [{ headers: { a: "x\r\nb: c" } }, chunks(), "control characters"],
    [{ headers: { a: "\u007f" } }, chunks(), "control characters"],
    [{ headers: { a: 5 } }, chunks(), 'Invalid value of the header "a": expected a string'],
    [{ cookies: ["a=b\nc"] }, chunks(), "Invalid cookie: expected a string"],
    [{}, "text", "Invalid body"],
    [{}, null, "Invalid body"],
  ] as const;
  for (const [prelude, body, message] of cases) {
    const make = () => httpStream(prelude as HttpPrelude, body as StreamBody);
    assertThrows(make, TypeError, message);
  }
  httpStream({ statusCode: 599, headers: { a: "x\ty" } }, chunks());
});

Deno.test("run() reports a stream that fails before its first chunk as an ordinary failure", async () => {
  const broken = {
    [Symbol.asyncIterator]: () => {
      throw new RangeError("early");
    },
  };
  const early = () => chunks(new RangeError("early"));
  for (const handler of [early, () => httpStream({}, early()), () => broken]) {
    const { posts: [post, ...others], log } = await answer(handler);
    assertEquals([failureOf(post!).field, others], ["Function.RangeError", []]);
    assertEquals(log.length, 1);
  }
});

Deno.test("run() fails a stream with a chunk that is neither a string nor bytes, and closes its source", async () => {
  let closed = 0;
  async function* source(...values: unknown[]) {
    try {
      yield* chunks(...values);
    } finally {
      closed++;
    }
  }
  for (
    const [name, chunk] of [["a number", 5], ["an object", {}], ["null", null], ["an array", [1]]]
  ) {
    const { posts: [late], log } = await answer(() => source("a", chunk));
    assertEquals(trailersOf(late).field, "Function.TypeError");
    assertStringIncludes(log.join(), `expected a string or a Uint8Array, got ${name}`);
    const { posts: [early] } = await answer(() => source(chunk));
    assertEquals(failureOf(early!).field, "Function.TypeError");
  }
  assertEquals(closed, 8);
});

Deno.test("run() closes the source of a stream that ends early, and goes on", async () => {
  const stuck = () => new Promise<unknown>(() => {});
  const more = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return { value: "x".repeat(60_000) };
  };
  const large = (count: number) => count === 2 ? { value: new Uint8Array(20_000_000) } : stuck();
  const refusedLate = { status: 413, delay: 50 };
  const cases = [
    ["refused while a chunk is sent", large, refusedLate, "answered 413", []],
    ["refused while it is sent", more, { status: 413 }, "answered 413", []],
    ["refused while its source is stuck", stuck, { status: 413 }, "answered 413", []],
    ["lost", more, { raw: "" }, "closed the connection before it answered", ["error"]],
    ["answered with nonsense", more, { raw: "nonsense\r\n\r\n" }, "malformed status line", []],
  ] as const;
  for (const [name, next, head, log, reports] of cases) {
    let isClosed = false;
    let count = 0;
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => count++ === 0 ? { value: "a" } : next(count),
        return: () => isClosed = true,
      }),
    };
    const handler = (event: unknown) => event === 1 ? source : "next";
    const driven = await drive([invocation(1), invocation(2)], handler, {
      onHead: (path, stub) => {
        return path.endsWith("/response") && stub.requests.length === 1 ? head : undefined;
      },
    });
    assertEquals(isClosed, true, name);
    const posts = driven.posts.map(({ path }) => path.split("/").at(-1));
    assertEquals(posts, [...reports, "response"], name);
    assertEquals(driven.log.length, 1, name);
    assertStringIncludes(driven.log[0]!, log);
  }
});

Deno.test("run() ignores the errors of a source that it closes", async () => {
  const reject = () => Promise.reject(new Error("second"));
  const fail = () => {
    throw new Error("second");
  };
  for (const close of [reject, fail]) {
    let left = 0;
    const next = () => left-- > 0 ? { value: "a" } : Promise.reject(new Error("first"));
    const source = { [Symbol.asyncIterator]: () => ({ next, return: close }) };
    const { posts } = await answer(() => source);
    assertEquals(posts.map((post) => failureOf(post).message), ["first"]);
    left = 1;
    const { posts: [late, ...others] } = await answer(() => source);
    assertEquals([trailersOf(late).failure.errorMessage, others], ["first", []]);
  }
});
