import {
  AlbMultiValueHeadersSchema,
  AlbSchema,
  APIGatewayProxyEventSchema,
  APIGatewayProxyEventV2Schema,
  DynamoDBStreamSchema,
  EventBridgeSchema,
  LambdaFunctionUrlSchema,
  S3Schema,
  S3SqsEventNotificationSchema,
  SnsSchema,
  SnsSqsNotificationSchema,
  SqsSchema,
  VpcLatticeV2Schema,
} from "@aws-lambda-powertools/parser/schemas";
import type * as aws from "aws-lambda";
import { assert, assertEquals } from "@std/assert";
import * as z from "zod";
import { proxyHandler } from "../gateway/mod.ts";
import { queueHandler } from "../queue/mod.ts";
import { tableHandler } from "../table/mod.ts";
import {
  call,
  createContext,
  type Gateway,
  type HttpRequest,
  messageEvent,
  notificationEvent,
  proxyEvent,
  type ProxyEventOptions,
  queueEvent,
  scheduledEvent,
  tableEvent,
} from "./mod.ts";

/** Fails if an event does not match the schema that Powertools publishes. */
function check(title: string, schema: z.ZodType, event: unknown): void {
  const result = schema.safeParse(event);
  assert(result.success, `${title}: ${result.error?.message}`);
}

/** The documentation of VPC Lattice shows lists of values. The schema of Powertools expects texts. */
const LISTS = z.record(z.string(), z.array(z.string()).min(1)).optional();
const LATTICE = z.looseObject({ headers: LISTS, queryStringParameters: LISTS })
  .transform((event): unknown => ({ ...event, headers: {}, queryStringParameters: {} }))
  .pipe(VpcLatticeV2Schema);

Deno.test("the HTTP events match the schemas of Powertools", async () => {
  const requests: HttpRequest[] = [
    new Request("https://api.example.com/orders/7?dish=a&dish=b", {
      method: "POST",
      body: '{"item":"tea"}',
      headers: { "content-type": "application/json", cookie: "a=1; b=2", "user-agent": "curl/8" },
    }),
    { url: "/orders/J%C3%B6rg", method: "PUT", body: new Uint8Array([0, 255]) },
  ];
  const route = "ANY /orders/{id}";
  const cases: [Gateway, z.ZodType, ProxyEventOptions][] = [
    ["rest", APIGatewayProxyEventSchema, { stage: "v0", route, claims: { sub: "ada" } }],
    ["rest", APIGatewayProxyEventSchema, { authorizer: { role: "chef", level: 3 } }],
    ["rest", APIGatewayProxyEventSchema, { stageVariables: { mode: "live" } }],
    ["http", APIGatewayProxyEventV2Schema, { stage: "v0", route, claims: { sub: "ada" } }],
    ["http", APIGatewayProxyEventV2Schema, { authorizer: { role: "chef" } }],
    ["url", LambdaFunctionUrlSchema, {}],
    ["alb", AlbSchema, {}],
    ["alb", AlbMultiValueHeadersSchema, { multiValueHeaders: true }],
    ["lattice", LATTICE, {}],
  ];
  for (const [gateway, schema, options] of cases) {
    for (const request of requests) {
      const copy = request instanceof Request ? request.clone() : request;
      check(gateway, schema, await proxyEvent(copy, { ...options, gateway }));
    }
  }
});

Deno.test("the events of the other services match the schemas of Powertools", () => {
  const messageAttributes = {
    kind: { Type: "String", Value: "order" },
    weight: { Type: "Number", Value: 5 },
    digest: { Type: "Binary", Value: new Uint8Array([1, 2]) },
  } as const;
  check("schedule", EventBridgeSchema, scheduledEvent());
  check("detail", EventBridgeSchema, scheduledEvent({ detail: { id: 1 }, resources: [] }));
  check("object", S3Schema, notificationEvent());
  check("removal", S3Schema, notificationEvent([{ eventName: "ObjectRemoved:Delete" }]));
  check("message", SnsSchema, messageEvent());
  check("attributes", SnsSchema, messageEvent([{ subject: "Order", messageAttributes }]));
  check("queue", SqsSchema, queueEvent([{ body: "a" }, { messageAttributes }]));
  check("FIFO queue", SqsSchema, queueEvent([{}, {}], { fifo: true }));
  const [message, notification] = queueEvent([{ message: {} }, { notification: [{}] }]).Records;
  const item = {
    id: 1n,
    tags: new Set(["a"]),
    digest: new Uint8Array([1, 2]),
    lines: [{ a: null }],
  };
  check("change", DynamoDBStreamSchema, tableEvent([{}, { newImage: item, oldImage: item }]));
  check("expiry", DynamoDBStreamSchema, tableEvent([{ isExpiry: true, viewType: "KEYS_ONLY" }]));
  check("message in a queue", SnsSqsNotificationSchema, JSON.parse(message!.body));
  check("object in a queue", S3SqsEventNotificationSchema, { Records: [notification] });
});

Deno.test("the events and the handlers have the types of @types/aws-lambda", async () => {
  const request = { url: "/" };
  await proxyEvent(request) satisfies aws.APIGatewayProxyEvent;
  await proxyEvent(request, { gateway: "http" }) satisfies aws.APIGatewayProxyEventV2;
  await proxyEvent(request, { gateway: "url" }) satisfies aws.LambdaFunctionURLEvent;
  await proxyEvent(request, { gateway: "alb" }) satisfies aws.ALBEvent;
  scheduledEvent() satisfies aws.ScheduledEvent;
  scheduledEvent({ detailType: "Order" }) satisfies aws.EventBridgeEvent<string, { id: number }>;
  notificationEvent() satisfies aws.S3Event;
  messageEvent() satisfies aws.SNSEvent;
  queueEvent() satisfies aws.SQSEvent;
  tableEvent() satisfies aws.DynamoDBStreamEvent;
  createContext() satisfies Pick<aws.Context, "awsRequestId" | "getRemainingTimeInMillis">;
  proxyHandler(() => 1) satisfies aws.APIGatewayProxyHandler & aws.ALBHandler;
  queueHandler(() => {}) satisfies aws.SQSHandler;
  tableHandler(() => {}) satisfies aws.DynamoDBStreamHandler;
});

Deno.test("call() takes handlers of any types", async () => {
  const handlers: Parameters<typeof call>[0][] = [
    (event: aws.APIGatewayProxyEvent) => ({ statusCode: 200, body: event.path }),
    (_event: unknown, context: aws.Context) => ({ statusCode: 200, body: context.functionName }),
    ((_event) => Promise.resolve({ statusCode: 200, body: "" })) as aws.APIGatewayProxyHandler,
  ];
  for (const handler of handlers) assertEquals((await call(handler, { url: "/" })).status, 200);
});
