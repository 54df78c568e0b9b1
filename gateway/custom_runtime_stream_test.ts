import { assertEquals, assertStringIncludes } from "@std/assert";
import { drive } from "../runtime/testdata/drive.ts";
import { invocation } from "../runtime/testdata/stub_api.ts";
import { chunks, eventWith, fail, partsOf } from "./testdata/events.ts";
import {
  asResponse,
  buildHttpResponse,
  cors,
  HttpNotFoundError,
  type ProxyHandlerOptions,
  type ProxyRoute,
  reply,
  streamHandler,
} from "./mod.ts";

const event = eventWith();
const SSE = { type: "text/event-stream" };

/** Streams one response through the custom runtime over loopback. */
async function stream(route: unknown, options: ProxyHandlerOptions = {}, request = event) {
  const handler = streamHandler(route as ProxyRoute, options);
  const { posts: [post], log } = await drive([invocation(request)], handler);
  return { post: post!, log, ...partsOf(post!.body) };
}

Deno.test("stream: the custom runtime sends the prelude and each chunk as it comes", async () => {
  const { post, prelude, text, log } = await stream(
    () => reply(201, chunks("a", "b", new Uint8Array([99])), { ...SSE, cookies: ["a=1", "b=2"] }),
    { extraHeaders: { "X-A": "1" }, use: [cors({ origins: "*" })] },
  );
  assertEquals(prelude, {
    statusCode: 201,
    headers: {
      "Content-Type": "text/event-stream",
      "X-A": "1",
      "Access-Control-Allow-Origin": "*",
      Vary: "Accept",
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

Deno.test("streamHandler() streams the body of a Response", async () => {
  const app = () =>
    new Response(ReadableStream.from(["a", "b"]).pipeThrough(new TextEncoderStream()));
  const handler = streamHandler({ fetch: app });
  const { posts: [post] } = await drive([invocation(event)], handler);
  assertEquals(partsOf(post!.body).text, "ab");
  assertEquals(post!.chunks.slice(-2), [1, 1]);
});
