/** Checks at compile time that the events have the types of `@types/aws-lambda`. */
import type * as aws from "aws-lambda";
import { assertEquals } from "@std/assert";
import {
  call,
  createContext,
  messageEvent,
  notificationEvent,
  proxyEvent,
  queueEvent,
  scheduledEvent,
} from "./mod.ts";

Deno.test("the events have the types of @types/aws-lambda", async () => {
  const request = { url: "/" };
  const rest: aws.APIGatewayProxyEvent = await proxyEvent(request);
  const http: aws.APIGatewayProxyEventV2 = await proxyEvent(request, { gateway: "http" });
  const url: aws.LambdaFunctionURLEvent = await proxyEvent(request, { gateway: "url" });
  const alb: aws.ALBEvent = await proxyEvent(request, { gateway: "alb" });
  const scheduled: aws.ScheduledEvent = scheduledEvent();
  const bridge: aws.EventBridgeEvent<string, { id: number }> = scheduledEvent({
    detailType: "Order",
  });
  const notification: aws.S3Event = notificationEvent();
  const message: aws.SNSEvent = messageEvent();
  const queue: aws.SQSEvent = queueEvent();
  const context: Pick<aws.Context, "awsRequestId" | "functionName" | "getRemainingTimeInMillis"> =
    createContext();
  const all = [rest, http, url, alb, scheduled, bridge, notification, message, queue, context];
  assertEquals(all.length, 10);
});

Deno.test("call() takes handlers of any types", async () => {
  const handlers: Parameters<typeof call>[0][] = [
    (event: aws.APIGatewayProxyEvent) => ({ statusCode: 200, body: event.path }),
    (_event: unknown, context: aws.Context) => ({ statusCode: 200, body: context.functionName }),
    ((_event) => Promise.resolve({ statusCode: 200, body: "" })) as aws.APIGatewayProxyHandler,
  ];
  for (const handler of handlers) assertEquals((await call(handler, { url: "/" })).status, 200);
});
