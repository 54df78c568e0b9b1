import { assert, assertEquals, assertRejects } from "@std/assert";
import { logger, withRequestId } from "../logger/mod.ts";
import { loggerState } from "../logger/state.ts";
import { captureLog } from "./mod.ts";

const state = loggerState();

Deno.test("captureLog() returns the records as objects, and prints nothing", async () => {
  const printed: string[] = [];
  state.write = (line) => printed.push(line);
  const { write } = state;
  const { result, records } = await captureLog(async () => {
    logger.trace("first");
    await new Promise((resolve) => setTimeout(resolve, 1));
    withRequestId("8f5e", () => logger.child({ orderId: 7 }).error("second", new RangeError("no")));
    logger.metric("Orders", 1);
    return 5;
  });
  assertEquals(result, 5);
  const shown = records.map(({ level, message }) => `${level} ${message}`);
  assertEquals(shown, ["TRACE first", "ERROR second", "TRACE undefined"]);
  const [, second, metric] = records;
  assertEquals([second!.requestId, second!.orderId, second!.errorType], ["8f5e", 7, "RangeError"]);
  assertEquals(metric!.Orders, 1);
  assertEquals(printed, []);
  assertEquals([state.format, state.level, state.write], [undefined, undefined, write]);
  delete state.write;
});

Deno.test("captureLog() passes the error of the function on, and ends the capture", async () => {
  const printed: string[] = [];
  Object.assign(state, { write: (line: string) => printed.push(line), level: "WARN" });
  await assertRejects(() => captureLog(() => Promise.reject(new Error("no"))), Error, "no");
  const fail = () => {
    throw new Error("sync");
  };
  await assertRejects(() => captureLog(fail), Error, "sync");
  assertEquals([state.level, state.format], ["WARN", undefined]);
  logger.warn("printed");
  assert(printed.length === 1 && printed[0]!.endsWith("WARN\tprinted"));
  delete state.write;
  delete state.level;
});

Deno.test("captureLog() gives overlapping captures their own records", async () => {
  const printed: string[] = [];
  state.write = (line) => printed.push(line);
  let resolve!: () => void;
  const promise = new Promise<void>((done) => resolve = done);
  const capture = (name: string) =>
    captureLog(async () => {
      logger.info(`${name} 1`);
      await promise;
      logger.info(`${name} 2`);
    });
  const captures = [capture("a"), capture("b")];
  logger.info("outside");
  resolve();
  const ended = await Promise.all(captures);
  const messages = ended.map(({ records }) => records.map(({ message }) => message));
  assertEquals(messages, [["a 1", "a 2"], ["b 1", "b 2"]]);
  assertEquals(printed.map((line) => JSON.parse(line).message), ["outside"]);
  const nested = await captureLog(async () => {
    logger.info("outer");
    return (await captureLog(() => logger.info("inner"))).records.length;
  });
  assertEquals([nested.result, nested.records.length], [1, 1]);
  delete state.write;
});
