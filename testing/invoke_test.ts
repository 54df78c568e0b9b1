import { assert, assertEquals, assertRejects } from "@std/assert";
import type { APIGatewayProxyHandler, Callback, Context, Handler, SQSHandler } from "aws-lambda";
import { fetchHandler, proxyHandler, streamHandler } from "../gateway/mod.ts";
import { logger } from "../logger/mod.ts";
import { queueHandler } from "../queue/mod.ts";
import { tableHandler } from "../table/mod.ts";
import {
  captureLog,
  createContext,
  invoke,
  proxyEvent,
  queueEvent,
  scheduledEvent,
  tableEvent,
} from "./mod.ts";

Deno.test("invoke() gives a handler a copy of the event and a whole context, and gives its result back", async () => {
  const recorded = { list: [1], text: "x" };
  const result = { a: 1 };
  const context = createContext({ functionName: "orders" });
  const seen: unknown[] = [];
  const handler = (event: typeof recorded, given: Context) => {
    seen.push(structuredClone(event), given.functionName, given.getRemainingTimeInMillis() > 0);
    event.list.push(2);
    logger.info("Seen");
    return result;
  };
  const { result: got, records } = await captureLog(() => invoke(handler, recorded, context));
  assert(got === result);
  assertEquals(recorded, { list: [1], text: "x" });
  assertEquals(seen, [recorded, "orders", true]);
  assertEquals(records.map(({ requestId }) => requestId), [context.awsRequestId]);
  const name = await invoke((_event: unknown, { functionName }: Context) => functionName, null);
  assertEquals(name, "function");
});

Deno.test("invoke() serves handlers that return, resolve or call back, and rejects with their errors", async () => {
  const error = new Error("down");
  const fails = [
    () => {
      throw error;
    },
    () => Promise.reject(error),
    (_event: unknown, _context: unknown, done: Callback<number>) => done(error),
    (_event: unknown, _context: unknown, done: Callback<number>) => void setTimeout(done, 1, error),
  ];
  for (const handler of fails) {
    assert(await assertRejects(() => invoke<unknown>(handler, {})) === error);
  }
  const succeeds: Handler<unknown, number>[] = [
    () => Promise.resolve(7),
    (_event, _context, done) => done(null, 7),
    (_event, _context, done) => void setTimeout(done, 1, undefined, 7),
    // deno-lint-ignore no-unused-vars -- the third parameter says that the handler may call back
    async (event, context, done) => await Promise.resolve(7),
  ];
  for (const handler of succeeds) {
    const result: number = await invoke(handler, {});
    assertEquals(result, 7);
  }
  assertEquals(await invoke(() => {}, {}), undefined);
});

Deno.test("invoke() takes handlers of the library and of @types/aws-lambda", async () => {
  const http = await proxyEvent({ url: "/" });
  assertEquals((await invoke(proxyHandler(() => ({ a: 1 })), http)).statusCode, 200);
  const text = () => new Response("x", { headers: { "content-type": "text/plain" } });
  assertEquals((await invoke(fetchHandler(text), http)).body, "x");
  const queue = await invoke(queueHandler(() => {}), queueEvent());
  const table = await invoke(tableHandler(() => {}), tableEvent());
  assertEquals([queue, table], [{ batchItemFailures: [] }, { batchItemFailures: [] }]);
  const gateway: APIGatewayProxyHandler = ({ path }) =>
    Promise.resolve({ statusCode: 200, body: path });
  assertEquals((await invoke(gateway, http)).body, "/");
  const sqs: SQSHandler = ({ Records }, _context, done) => {
    done(undefined, { batchItemFailures: [{ itemIdentifier: Records[0]!.messageId }] });
  };
  const report = await invoke(sqs, queueEvent([{ messageId: "1" }]));
  assertEquals(report?.batchItemFailures, [{ itemIdentifier: "1" }]);
  const time: string = await invoke((event: { time: string }) => event.time, scheduledEvent());
  assert(time.endsWith("Z"));
});

Deno.test("invoke() makes a standard Response of a stream", async () => {
  async function* chunks() {
    yield await Promise.resolve("so");
    yield "up";
  }
  const event = await proxyEvent({ url: "/" }, { gateway: "url" });
  const response: Response = await invoke(streamHandler(() => new Response("soup")), event);
  assertEquals([response.status, await response.text()], [200, "soup"]);
  const plain: Response = await invoke(() => chunks(), event);
  assertEquals([plain.status, await plain.text()], [200, "soup"]);
  assertEquals(plain.headers.get("content-type"), "application/octet-stream");
});

Deno.test("invoke() refuses a handler that is not a function, and an event that is not JSON", async () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  for (
    const [handler, event, message] of [
      [undefined, {}, "Invalid handler: expected a function, got undefined"],
      [() => 1, undefined, "Invalid event: expected a value that JSON can carry, got undefined"],
      [() => 1, () => 1, "Invalid event: expected a value that JSON can carry, got a function"],
      [() => 1, cycle, "Invalid event: expected a value that JSON can carry"],
    ] as const
  ) {
    await assertRejects(() => invoke(handler as () => number, event), TypeError, message);
  }
});
