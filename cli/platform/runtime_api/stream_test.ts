import { assertEquals, assertMatch } from "@std/assert";
import { running, text } from "../../testdata/runtime_api.ts";

const STREAM = [
  "POST /2018-06-01/runtime/invocation/id/response HTTP/1.1",
  "Host: x",
  "Lambda-Runtime-Function-Response-Mode: streaming",
  "Content-Type: application/vnd.awslambda.http-integration-response",
  "Trailer: Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body",
  "Transfer-Encoding: chunked",
  "",
  "3",
  "{}\0",
  "2",
  "ab",
].join("\r\n");

/** Sends bytes over a connection of its own; the head of the answer. */
async function exchange(connection: Deno.Conn, request: string): Promise<string> {
  using _ = connection;
  await connection.write(new TextEncoder().encode(request));
  const buffer = new Uint8Array(4_096);
  const length = await connection.read(buffer);
  return text(buffer.subarray(0, length ?? 0));
}

Deno.test("a streamed result is put together, with its content type", async () => {
  const { api, connect, answers } = await running();
  await using _ = api;
  assertMatch(await exchange(await connect(), `${STREAM}\r\n0\r\n\r\n`), /^HTTP\/1.1 202 /);
  const [answer] = answers;
  assertEquals(answer?.kind === "response" && { ...answer, body: text(answer.body) }, {
    kind: "response",
    body: "{}\0ab",
    contentType: "application/vnd.awslambda.http-integration-response",
    isStream: true,
  });
});

Deno.test("a stream whose trailers name an error is that error", async () => {
  const { api, connect, answers } = await running();
  await using _ = api;
  const body = btoa('{"errorType":"E"}');
  const trailers =
    `Lambda-Runtime-Function-Error-Type: Function.Broken\r\nLambda-Runtime-Function-Error-Body: ${body}\r\n`;
  assertMatch(await exchange(await connect(), `${STREAM}\r\n0\r\n${trailers}\r\n`), / 202 /);
  const [answer] = answers;
  assertEquals(answer?.kind === "error" && [answer.errorType, text(answer.body)], [
    "Function.Broken",
    '{"errorType":"E"}',
  ]);
});

Deno.test("a connection that breaks in the middle of a result makes an error, not half a result", async () => {
  const { api, connect, answers, calls } = await running();
  await using _ = api;
  const connection = await connect();
  await connection.write(new TextEncoder().encode(STREAM));
  connection.close();
  while (calls.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  assertEquals(answers[0]?.kind === "error" && answers[0].errorType, "Runtime.TruncatedResponse");
});

Deno.test("an unknown response mode is refused", async () => {
  const { api, post, answers } = await running();
  await using _ = api;
  const response = await post("invocation/id/response", "{}", {
    "lambda-runtime-function-response-mode": "buffered?",
  });
  assertEquals(response.status, 400);
  assertEquals((await response.json()).errorType, "InvalidFunctionResponseMode");
  assertEquals(
    answers[0]?.kind === "error" && answers[0].errorType,
    "Runtime.InvalidResponseModeHeader",
  );
});
