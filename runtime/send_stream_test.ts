import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { loggerState } from "../logger/state.ts";
import { type HttpPrelude, httpStream, run, RuntimeApiError, type StreamBody } from "./mod.ts";
import { invocation, StubApi, type StubRequest } from "./testdata/stub_api.ts";

/** Serves one invocation with a handler; what was reported, and what was logged. */
async function answer(
  handler: () => unknown,
  prepare?: (stub: StubApi) => void,
): Promise<{ posts: StubRequest[]; log: string[] }> {
  const state = loggerState();
  const log: string[] = [];
  const before = state.write!;
  state.write = (line) => log.push(line);
  try {
    await using stub = new StubApi([invocation(1)]);
    prepare?.(stub);
    await assertRejects(() => run(handler, { api: stub.api }), RuntimeApiError, "no more");
    return { posts: stub.posts, log };
  } finally {
    state.write = before;
  }
}

async function* chunks(...values: unknown[]): AsyncGenerator<never> {
  for (const value of values) {
    if (value instanceof Error) throw value;
    yield await Promise.resolve(value as never);
  }
}

for (
  const [name, make] of [
    ["an async generator", () => chunks("a", new Uint8Array([98, 99]), "é")],
    ["a web stream", () => ReadableStream.from(["a", new Uint8Array([98, 99]), "é"])],
    ["an async iterable", () => ({ [Symbol.asyncIterator]: () => chunks("a", "", "bc", "é") })],
    ["a promise of one", () => Promise.resolve(chunks("abc", "é"))],
  ] as const
) {
  Deno.test(`a handler's result is streamed: ${name}`, async () => {
    const { posts: [post, ...others], log } = await answer(make);
    assertEquals([others, log], [[], []]);
    assertEquals(post!.path.endsWith("/response"), true);
    assertEquals(post!.body, "abcé");
    assertEquals(post!.trailers, {});
    assertEquals(post!.headers["lambda-runtime-function-response-mode"], "streaming");
    assertEquals(post!.headers["content-type"], "application/octet-stream");
    assertEquals(post!.headers["transfer-encoding"], "chunked");
    assertEquals(post!.headers["content-length"], undefined);
  });
}

Deno.test("a stream of nothing is an empty answer", async () => {
  const { posts: [post] } = await answer(() => chunks());
  assertEquals([post!.body, post!.chunks], ["", []]);
});

Deno.test("each chunk is sent before the next is asked for", async () => {
  const big = new Uint8Array(100_000).fill(120);
  const { posts: [post] } = await answer(() => chunks("a", big, "b"));
  assertEquals(post!.chunks, [1, 100_000, 1]);
});

Deno.test("httpStream() sends prelude, eight NULs and the body", async () => {
  const prelude = { statusCode: 201, headers: { "X-A": "é" }, cookies: ["a=b"] };
  const { posts: [post] } = await answer(() => httpStream(prelude, chunks("body")));
  assertEquals(
    post!.headers["content-type"],
    "application/vnd.awslambda.http-integration-response",
  );
  const [head, body] = post!.body.split("\0\0\0\0\0\0\0\0");
  assertEquals([JSON.parse(head!), body], [prelude, "body"]);
});

Deno.test("httpStream() without more is a 200, also of an empty body", async () => {
  const { posts: [post] } = await answer(() => httpStream({}, chunks()));
  assertEquals(post!.body, '{"statusCode":200,"headers":{},"cookies":[]}' + "\0".repeat(8));
});

for (
  const [prelude, body, problem] of [
    [{ statusCode: 99 }, chunks(), "99 is no status"],
    [{ statusCode: 200.5 }, chunks(), "200.5 is no status"],
    [{ headers: { "a b": "x" } }, chunks(), '"a b" is no field name'],
    [{ headers: { a: "x\r\nb: c" } }, chunks(), 'the field "a" cannot be "x\\r\\nb: c"'],
    [{ headers: { a: 5 } }, chunks(), 'the field "a" cannot be of type number'],
    [{ cookies: ["a=b\nc"] }, chunks(), "a cookie cannot be"],
    [{}, "text", "the body is no stream"],
    [{}, null, "the body is no stream"],
  ] as const
) {
  Deno.test(`httpStream() refuses what HTTP cannot carry: ${problem}`, () => {
    const error = assertThrows(
      () => httpStream(prelude as HttpPrelude, body as StreamBody),
      TypeError,
    );
    assertStringIncludes(error.message, problem);
  });
}

Deno.test("a stream that fails before its first chunk is an ordinary failure", async () => {
  for (const wrap of [(body: StreamBody) => body, (body: StreamBody) => httpStream({}, body)]) {
    const { posts: [post, ...others], log } = await answer(() =>
      wrap(chunks(new RangeError("early")))
    );
    assertEquals([post!.path.endsWith("/error"), others], [true, []]);
    assertEquals(post!.headers["lambda-runtime-function-error-type"], "Function.RangeError");
    assertEquals(log.length, 1);
  }
});

Deno.test("a stream that fails later says so in its trailers", async () => {
  const { posts: [post, ...others], log } = await answer(() => chunks("a", new RangeError("spät")));
  assertEquals([post!.path.endsWith("/response"), post!.body, others], [true, "a", []]);
  assertEquals(
    post!.headers.trailer,
    "Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body",
  );
  assertEquals(post!.trailers["lambda-runtime-function-error-type"], "Function.RangeError");
  const bytes = Uint8Array.from(
    atob(post!.trailers["lambda-runtime-function-error-body"]!),
    (character) => character.charCodeAt(0),
  );
  const failure = JSON.parse(new TextDecoder().decode(bytes));
  assertEquals([failure.errorType, failure.errorMessage], ["RangeError", "spät"]);
  assertEquals(log.length, 1);
});

for (
  const [name, chunk] of [
    ["number", 5],
    ["object", {}],
    ["null", null],
    ["an array", [1]],
  ] as const
) {
  Deno.test(`a chunk that is ${name} fails the stream`, async () => {
    const { posts: [post], log } = await answer(() => chunks("a", chunk));
    assertEquals(post!.trailers["lambda-runtime-function-error-type"], "Function.TypeError");
    assertStringIncludes(log.join(), `expected a string or a Uint8Array, got ${name}`);
  });
}

Deno.test("a stream that is answered before its end is closed, and the loop goes on", async () => {
  let closed = false;
  async function* endless() {
    try {
      for (;;) {
        yield new Uint8Array(60_000);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    } finally {
      closed = true;
    }
  }
  const { posts, log } = await answer(endless, (stub) => {
    stub.onHead = (path) =>
      path.endsWith("/response") ? { status: 413, body: "RequestEntityTooLarge" } : undefined;
  });
  assertEquals([posts, closed], [[], true]);
  assertEquals(log.length, 1);
  assertStringIncludes(log[0]!, "Cannot stream the answer of the invocation");
});

Deno.test("a stream that is answered while its source is waited for is closed", async () => {
  let closed = false;
  let count = 0;
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: () => count++ === 0 ? Promise.resolve({ value: "a" }) : new Promise(() => {}),
      return() {
        closed = true;
        return Promise.resolve({ done: true });
      },
    }),
  };
  const { posts, log } = await answer(() => source, (stub) => {
    stub.onHead = (path) => path.endsWith("/response") ? { status: 413 } : undefined;
  });
  assertEquals([posts, closed, log.length], [[], true, 1]);
  assertStringIncludes(log[0]!, "answered 413");
});

Deno.test("a stream whose connection is lost is closed and reported, and the loop goes on", async () => {
  let closed = false;
  async function* endless() {
    try {
      for (;;) yield await Promise.resolve("x".repeat(1_000));
    } finally {
      closed = true;
    }
  }
  const { posts, log } = await answer(endless, (stub) => {
    stub.onHead = (path) => path.endsWith("/response") ? { raw: "" } : undefined;
  });
  assertEquals(posts.map(({ path }) => path.split("/").at(-1)), ["error"]);
  assertStringIncludes(posts[0]!.body, "closed the connection before it answered");
  assertEquals([closed, log.length], [true, 1]);
});

for (
  const [name, close] of [
    ["rejects", () => Promise.reject(new Error("second"))],
    ["throws", () => {
      throw new Error("second");
    }],
  ] as const
) {
  Deno.test(`a source that ${name} while it is closed changes nothing`, async () => {
    for (const count of [0, 1]) {
      let left = count;
      const source = {
        [Symbol.asyncIterator]: () => ({
          next: () => left-- > 0 ? { value: "a" } : Promise.reject(new Error("first")),
          return: close,
        }),
      };
      const { posts: [post, ...others] } = await answer(() => source);
      assertEquals([post!.path.split("/").at(-1), others], [count ? "response" : "error", []]);
      const said = count ? atob(post!.trailers["lambda-runtime-function-error-body"]!) : post!.body;
      assertStringIncludes(said, '"errorMessage":"first"');
    }
  });
}

Deno.test("a source that brings its chunks without promises is streamed, as `for await` takes it", async () => {
  const source = {
    [Symbol.asyncIterator]: () => {
      let count = 0;
      return { next: () => ({ done: count === 2, value: `${count++}` }) };
    },
  };
  const { posts: [post], log } = await answer(() => source);
  assertEquals([post!.path.endsWith("/response"), post!.body, log], [true, "01", []]);
});

Deno.test("a source that cannot be iterated after all is an ordinary failure", async () => {
  const source = {
    [Symbol.asyncIterator]: () => {
      throw new RangeError("no iterator");
    },
  };
  const { posts: [post, ...others] } = await answer(() => source);
  assertEquals([post!.path.endsWith("/error"), others], [true, []]);
  assertStringIncludes(post!.body, "no iterator");
});

for (
  const [name, handler, refused] of [
    ["its answer", () => chunks("a"), "response"],
    ["the report of its failure", () => chunks(new Error("early")), "error"],
  ] as const
) {
  Deno.test(`run() ends where the platform answers a stream with 500, and reports nothing more: ${name}`, async () => {
    await using stub = new StubApi([invocation(1), invocation(2)]);
    stub.onRequest = ({ path }) => path.endsWith(refused) ? { status: 500 } : undefined;
    const error = await assertRejects(() => run(handler, { api: stub.api }), RuntimeApiError);
    assertEquals(error.status, 500);
    assertEquals(stub.requests.map(({ path }) => path.split("/").at(-1)), ["next", refused]);
  });
}
