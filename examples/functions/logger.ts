/**
 * Logs a record of every level from INFO to CRITICAL, then crashes. The event does not matter.
 *
 * Shows the logger: data beside the message, an error with its causes, the request id in every record. The function logs
 * the crash in full and throws the error again, so that Lambda also counts the invocation as failed.
 */
import type { FnContext } from "@mate/core/function";
import { logger, logInternalError, withRequestId } from "@mate/core/logger";

export const handler = (_event: unknown, context: FnContext): void =>
  withRequestId(context.awsRequestId, () => {
    logger.debug("Not logged unless AWS_LAMBDA_LOG_LEVEL is DEBUG", { cached: true });
    logger.info("The order is complete", { order: 4711, items: 3 });
    logger.warn("The warehouse answers slowly", { milliseconds: 2950 });
    logger.error("The invoice was not sent", new Error("mailbox full"));
    logger.critical("The orders cannot be reached");
    try {
      crash();
    } catch (error) {
      logInternalError(error, "Simulated crash");
      throw error;
    }
  });

function crash(): never {
  throw new Error("Cannot write the order", { cause: new RangeError("the disk is full") });
}
