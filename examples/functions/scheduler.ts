/**
 * Logs the result of every accessor of an Amazon EventBridge event, and the raw event.
 *
 * Shows a function that a schedule invokes. If the schedule has an `input`, the raw event is the input, and the accessors
 * raise errors.
 */
import type { FnContext } from "@mate/core/function";
import { logger, withRequestId } from "@mate/core/logger";
import { FnBridgePutEvent } from "@mate/core/scheduler";
import { readEach } from "./read_each.ts";

export const handler = (rawEvent: unknown, context: FnContext): Promise<void> =>
  withRequestId(context.awsRequestId, async () => {
    const event = new FnBridgePutEvent(rawEvent);
    const accessors = await readEach({
      "source()": () => event.source(),
      "detailType()": () => event.detailType(),
      "detail()": () => event.detail(),
      "id()": () => event.id(),
      "account()": () => event.account(),
      "region()": () => event.region(),
      "resources()": () => event.resources(),
      "time()": () => event.time(),
      "version()": () => event.version(),
    });
    logger.info("Event of the schedule", { accessors, rawEvent });
  });
