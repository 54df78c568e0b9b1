import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  BatchProcessor,
  EventType,
  processPartialResponse,
  SqsFifoPartialProcessorAsync,
} from "@aws-lambda-powertools/batch";
import type { Context, SQSEvent, SQSRecord } from "aws-lambda";
import fc from "fast-check";
import { captureLog, createContext, queueEvent } from "../testing/mod.ts";
import { queueHandler } from "./mod.ts";

/** The identifiers of a result in an order of their own, because groups run side by side here. */
const idsOf = (
  { batchItemFailures }: { batchItemFailures: readonly { itemIdentifier: string }[] },
) => batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).toSorted();

const messages = fc.array(
  fc.record({ body: fc.constantFrom("success", "fail"), groupId: fc.constantFrom("1", "2", "3") }),
  { minLength: 1, maxLength: 10 },
);

Deno.test("queueHandler() reports the messages that processPartialResponse() reports", async () => {
  for (const fifo of [false, true]) {
    await fc.assert(
      fc.asyncProperty(messages, async (messages) => {
        const event = queueEvent(
          messages.map((message, index) => ({ ...message, messageId: `m${index}` })),
          { fifo },
        );
        const context = createContext();
        const seen: [string[], string[]] = [[], []];
        const work = (body: string, id: string, list: string[]) => {
          list.push(id);
          if (body === "fail") throw new Error("Processing failed");
        };
        const { result } = await captureLog(() =>
          queueHandler((record) => work(record.body(), record.messageId(), seen[0]))(event, context)
        );
        const batch = event as unknown as SQSEvent;
        const other = ({ body, messageId }: SQSRecord) =>
          new Promise<void>((resolve) => resolve(work(body, messageId, seen[1])));
        const options = { context: context as unknown as Context, throwOnFullBatchFailure: false };
        const powertools = fifo
          ? await processPartialResponse(batch, other, new SqsFifoPartialProcessorAsync(), {
            ...options,
            skipGroupOnError: true,
          })
          : await processPartialResponse(batch, other, new BatchProcessor(EventType.SQS), options);
        assertEquals(idsOf(result), idsOf(powertools));
        assertEquals(seen[0].toSorted(), seen[1].toSorted(), "the messages that the work saw");
      }),
      { numRuns: 50 },
    );
  }
});

Deno.test("queueHandler() reports every message of a batch that fails whole, unlike Powertools", async () => {
  const event = queueEvent([{ messageId: "1", body: "fail" }, { messageId: "2", body: "fail" }]);
  const fail = () => Promise.reject(new Error("Processing failed"));
  const { result } = await captureLog(() => queueHandler(fail)(event, createContext()));
  assertEquals(idsOf(result), ["1", "2"]);
  const sqs = new BatchProcessor(EventType.SQS);
  await assertRejects(() => processPartialResponse(event as unknown as SQSEvent, fail, sqs), Error);
});

Deno.test("queueHandler() goes on with the other groups of a FIFO queue, unlike Powertools", async () => {
  const event = queueEvent([
    { messageId: "0", groupId: "b", body: "success" },
    { messageId: "1", groupId: "a", body: "fail" },
    { messageId: "2", groupId: "a", body: "success" },
    { messageId: "3", groupId: "b", body: "success" },
  ], { fifo: true });
  const work = (body: string) => {
    if (body === "fail") throw new Error("Processing failed");
  };
  const handler = queueHandler((record) => work(record.body()));
  const { result } = await captureLog(() => handler(event, createContext()));
  assertEquals(idsOf(result), ["1", "2"]);
  const other = ({ body }: SQSRecord) => new Promise<void>((resolve) => resolve(work(body)));
  const fifo = new SqsFifoPartialProcessorAsync();
  const powertools = await processPartialResponse(event as unknown as SQSEvent, other, fifo);
  assertEquals(idsOf(powertools), ["1", "2", "3"]);
});

Deno.test("docs/migration.md names each of these differences", async () => {
  const page = await Deno.readTextFile(new URL("../docs/migration.md", import.meta.url));
  const items = ["If a batch fails whole", "After a failure in a FIFO queue"];
  for (const item of items) assertStringIncludes(page, `\n- ${item}`);
});

Deno.test("queueHandler() rejects an event of another service, as Powertools does", async () => {
  const event = { Records: [{ eventSource: "aws:sns", messageId: "1", body: "" }] };
  await assertRejects(() => queueHandler(() => {})(event, createContext()));
  for (const other of [{}, { Records: "none" }]) {
    await assertRejects(() => queueHandler(() => {})(other, createContext()));
    const sqs = new BatchProcessor(EventType.SQS);
    await assertRejects(() =>
      processPartialResponse(other as SQSEvent, () => Promise.resolve(), sqs)
    );
  }
});
