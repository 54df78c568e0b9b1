import { logger } from "../logger/mod.ts";
import type { FnQueueRecord } from "./event.ts";

/** One message of a batch. */
export interface Message<Payload> {
  readonly record: FnQueueRecord<Payload>;
  readonly id: string;
  state: "waiting" | "under way" | "done" | "failed";
}

/**
 * Processes the messages of a batch. Sets the state of each message, and logs the messages that are not done.
 *
 * @param concurrency The number of lanes that run side by side.
 * @param milliseconds The time for the whole batch.
 */
export async function processBatch<Payload>(
  messages: readonly Message<Payload>[],
  work: (record: FnQueueRecord<Payload>) => Promise<void>,
  concurrency: number,
  milliseconds: number,
): Promise<void> {
  const lanes = makeLanes(messages);
  let isOver = milliseconds <= 0;
  const run = async () => {
    for (let lane; (lane = lanes.shift());) {
      for (const message of lane) {
        if (isOver) return;
        message.state = "under way";
        try {
          await work(message.record);
        } catch (error) {
          if (!isOver) fail(message, error, lane);
          break;
        }
        message.state = "done";
      }
    }
  };
  let timer;
  const deadline = new Promise<void>((resolve) => {
    // A timer with a longer time would end at once.
    if (milliseconds < 2 ** 31) timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([
    deadline,
    Promise.all(Array.from({ length: Math.min(concurrency, lanes.length) }, run)),
  ]);
  clearTimeout(timer);
  isOver = true;
  logLate(messages);
}

/** Divides messages into lanes that may run side by side: one lane for each group of a FIFO queue, or for each message. */
function makeLanes<Payload>(messages: readonly Message<Payload>[]): Message<Payload>[][] {
  const lanes = new Map<unknown, Message<Payload>[]>();
  for (const message of messages) {
    try {
      // Fair standard queues have groups too, but no order.
      const isFifo = message.record.queueArn().endsWith(".fifo");
      const key = isFifo ? message.record.groupId() ?? message : message;
      lanes.set(key, [...lanes.get(key) ?? [], message]);
    } catch (error) {
      fail(message, error);
    }
  }
  return [...lanes.values()];
}

/** Marks a message and the untouched rest of its group as failed. */
function fail<Payload>(
  message: Message<Payload>,
  error: unknown,
  lane: readonly Message<Payload>[] = [],
): void {
  message.state = "failed";
  const { id: messageId } = message;
  logger.child({ messageId }).error("Cannot process the message", asError(error));
  const rest = lane.filter(({ state }) => state === "waiting");
  for (const untouched of rest) untouched.state = "failed";
  if (rest.length > 0) logUntouched("Left the rest of the group untouched", rest);
}

/** Logs the messages that the deadline found under way or waiting. */
function logLate(messages: readonly Message<unknown>[]): void {
  for (const { id: messageId, state } of messages) {
    if (state !== "under way") continue;
    logger.child({ messageId }).error("Cannot finish the message before the deadline");
  }
  const waiting = messages.filter(({ state }) => state === "waiting");
  if (waiting.length > 0) logUntouched("Left messages untouched because of the deadline", waiting);
}

function logUntouched(problem: string, messages: readonly Message<unknown>[]): void {
  logger.error(problem, { messageIds: messages.map(({ id }) => id) });
}

/** A thrown value that is not an error may be the body, so only its type is logged. */
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`The work threw a ${typeof thrown}`);
}
