/**
 * Logs what every accessor of a schedule's event gives, and the raw event.
 *
 * Shows a function that the clock invokes. A schedule may have an input of its own in place of the event: the
 * accessors then raise, and the raw event is that input.
 */
import type { FnContext } from "@mate/core/function";
import { logger, withRequestId } from "@mate/core/logger";
import { FnBridgePutEvent } from "@mate/core/scheduler";
import { readEach } from "./_read_each.ts";

export const handler = (rawEvent: unknown, context: FnContext): void =>
  withRequestId(context.awsRequestId, () => {
    const event = new FnBridgePutEvent(rawEvent);
    const accessors = readEach({
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
