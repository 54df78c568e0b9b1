import { assertEquals, assertInstanceOf } from "@std/assert";
import { logger } from "@mate/core/logger";
import { CONTEXT, recordLog } from "./testdata/fixture.ts";
import { handler } from "./logger.ts";

Deno.test("logger logs every level from INFO on, under the request id, then crashes", async () => {
  const { thrown, log } = await recordLog(() => handler({}, CONTEXT));
  assertEquals(
    log.map(({ level, message }) => [level, message]),
    [
      ["INFO", "The order is complete"],
      ["WARN", "The warehouse answers slowly"],
      ["ERROR", "The invoice was not sent"],
      ["FATAL", "The orders cannot be reached"],
      ["FATAL", "INTERNAL ERROR: Simulated crash."],
    ],
  );
  for (const { requestId } of log) assertEquals(requestId, CONTEXT.awsRequestId);
  assertEquals(log[0]!.data, { order: 4711, items: 3 });
  assertEquals(log[2]!.errorMessage, "mailbox full");
  assertEquals(log[4]!.errorMessage, "Cannot write the order");
  assertEquals((log[4]!.cause as { errorMessage?: unknown }).errorMessage, "the disk is full");
  assertInstanceOf(thrown, Error);
  assertEquals(thrown.message, "Cannot write the order");
});

Deno.test("logger logs its event at the level DEBUG", async () => {
  logger.level = "DEBUG";
  try {
    const { log } = await recordLog(() => handler({ order: 4711 }, CONTEXT));
    assertEquals(log.length, 6);
    assertEquals([log[0]!.level, log[0]!.data], ["DEBUG", { order: 4711 }]);
  } finally {
    logger.level = "INFO";
  }
});
