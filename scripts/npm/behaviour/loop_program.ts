/** A function on the custom runtime: it serves the invocations of the Runtime API that its environment names. */
import type { FnContext } from "@mate/core/function";
import { proxyHandler } from "@mate/core/gateway";
import { logger } from "@mate/core/logger";
import { httpStream, serve } from "@mate/core/runtime";

const web = proxyHandler((event) => {
  logger.info("Asked for", event.queryPath());
  return { method: event.httpMethod() };
});

async function* count(): AsyncGenerator<string> {
  for (let i = 1; i <= 3; i++) yield await Promise.resolve(`${i}\n`);
}

serve(async (event: { kind?: string }, context: FnContext) => {
  switch (event.kind) {
    case "context":
      return {
        id: context.awsRequestId,
        arn: context.invokedFunctionArn,
        tenant: context.tenantId,
        hasTime: context.getRemainingTimeInMillis() > 0,
      };
    case "failure":
      throw new RangeError("There is no tea");
    case "stream":
      return httpStream({ statusCode: 201, headers: { "Content-Type": "text/plain" } }, count());
    default:
      return await web(event, context);
  }
});
