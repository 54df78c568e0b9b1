import { queueArn } from "../../rules/arn.ts";
import { notEmulated, type ServiceCall, type ServiceError } from "../service_call.ts";
import { checkSupport } from "../supported.ts";
import { type Input, queueNameOf, readInput, requiredText } from "./input.ts";
import { MESSAGE_OPERATIONS } from "./message_operations.ts";
import { QUEUE_OPERATIONS } from "./queue_operations.ts";
import type { Context, LateAnswer, Operation, Queues } from "./queues.ts";

/** The operations that this machine has. Their actions in policies have the same names, without `Batch`. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...QUEUE_OPERATIONS,
  ...MESSAGE_OPERATIONS,
};

/**
 * Parses a request to Amazon SQS. The name of its queue is read once, so the queue that is checked is the queue that is
 * used.
 */
export function parseSqs(
  queues: Queues,
  headers: Headers,
  body: string,
  context: Omit<Context, "traceHeader">,
): ServiceCall {
  const [service, operation = ""] = (headers.get("x-amz-target") ?? "").split(".");
  if (service !== "AmazonSQS") throw notEmulated("This request to Amazon SQS");
  checkSupport("sqs", operation);
  const input = readInput(body);
  const traceHeader = headers.get("x-amzn-trace-id") ?? undefined;
  return {
    accesses: [{ action: actionOf(operation), resource: resourceOf(operation, input) }],
    run() {
      checkSupport("sqs", operation, input);
      const output = OPERATIONS[operation]!(queues, input, { ...context, traceHeader });
      if (typeof output !== "function") return jsonResponse(output);
      return new Response(streamOf(output as LateAnswer), { headers: HEADERS });
    },
  };
}

/** Returns the action of an operation, as IAM names it. A batch needs the same right as one message. */
export function actionOf(operation: string): string {
  return `sqs:${operation.replace(/Batch$/, "")}`;
}

function resourceOf(operation: string, input: Input): string {
  if (operation === "ListQueues") return "*";
  const hasName = operation === "CreateQueue" || operation === "GetQueueUrl";
  return queueArn(hasName ? requiredText(input, "QueueName") : queueNameOf(input));
}

/** Makes the response for an error, as the clients of the JSON protocol and of the older query protocol know it. */
export function sqsFailure({ code, type, message, status }: ServiceError): Response {
  const fault = status < 500 ? "Sender" : "Receiver";
  const response = jsonResponse({ __type: `com.amazonaws.sqs#${type}`, message }, status);
  response.headers.set("x-amzn-query-error", `${code};${fault}`);
  return response;
}

const HEADERS = { "content-type": "application/x-amz-json-1.0" };

function jsonResponse(content: object, status = 200): Response {
  return new Response(JSON.stringify(content), { status, headers: HEADERS });
}

/**
 * Makes the content of a late answer. A stream knows at once that its client has gone away; a response does not. If the
 * client is gone before the response, nobody reads the stream, so nothing may begin before somebody does.
 */
function streamOf(answer: LateAnswer): ReadableStream<Uint8Array> {
  const gone = new AbortController();
  return new ReadableStream({
    async pull(controller) {
      const output = await answer(gone.signal);
      if (gone.signal.aborted) return;
      controller.enqueue(new TextEncoder().encode(JSON.stringify(output)));
      controller.close();
    },
    cancel: () => gone.abort(),
  }, { highWaterMark: 0 });
}
