/** Logs a record of each kind: what it writes is checked from outside. */
import { logger, logInternalError, withRequestId } from "@mate/core/logger";

withRequestId("id-1", () => {
  logger.debug("Not to be seen");
  logger.info("Ordered", { item: "tea", count: 3 });
  logger.warn("Two\nlines");
});
await Promise.all(["id-2", "id-3"].map((id) =>
  withRequestId(id, async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    logger.error("Overlapping", id);
  })
));
const circle: unknown[] = [1n];
circle.push(circle);
logger.critical("Odd", circle, new Map([["k", new Set([1])]]));
logInternalError(new Error("No tea", { cause: new RangeError("No water") }), "The order failed");
