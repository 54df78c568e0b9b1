/** Code of a consumer in TypeScript. It is compiled and never run. */
import type { FnProxyEvent as FromFrontDoor } from "@mate/core";
import { createClient } from "@mate/core/client";
import {
  CloudEventSpecificationError,
  type FnContext,
  type FnHandler,
  type JsonValue,
} from "@mate/core/function";
import {
  type ApiDescription,
  buildHttpResponse,
  type CustomTransformers,
  type DescribedSchema,
  FnProxyEvent,
  HttpNotFoundError,
  type HttpResponse,
  implement,
  openApi,
  type Preference,
  proxyHandler,
  reply as replyWith,
  routes,
} from "@mate/core/gateway";
import { type IdempotencyStore, idempotent, tableStore } from "@mate/core/idempotency";
import { type Logger, logger, withRequestId } from "@mate/core/logger";
import { type QueueHandler, queueHandler } from "@mate/core/queue";
import { httpStream, run, serve } from "@mate/core/runtime";
import { FnBridgePutEvent } from "@mate/core/scheduler";
import { FnNotificationEvent } from "@mate/core/storage";
import { FnTableEvent, tableHandler, type TableItem } from "@mate/core/table";
import { call, tableEvent } from "@mate/core/testing";
import { type FetchFunction, listen, toFetch, type WebServer } from "@mate/core/web";
import { FnMessageEvent, type MessageAttributes } from "@mate/core/topic";

const transformers: CustomTransformers<unknown> = {
  "text/plain": (payload) => [JSON.stringify(payload), "text/plain; charset=utf-8"],
};

export const handler: FnHandler = proxyHandler((event: FromFrontDoor, context) => {
  const preferences: readonly Preference[] = event.headerPreferences("accept");
  if (preferences.length === 0) throw new HttpNotFoundError();
  return { id: context?.awsRequestId ?? "", values: preferences.map(({ value }) => value) };
}, { customTransformers: transformers });

export function read(raw: unknown): JsonValue | string {
  try {
    const attributes: MessageAttributes = new FnMessageEvent(raw).messageAttributes();
    const keys: string[] = new FnNotificationEvent(raw).records().map((record) =>
      record.objectKey()
    );
    const time: Date = new FnBridgePutEvent(raw).time();
    return [time.toISOString(), Object.keys(attributes).length, ...keys];
  } catch (error) {
    if (error instanceof CloudEventSpecificationError) return error.path;
    throw error;
  }
}

export function reply(raw: unknown, { awsRequestId }: FnContext): HttpResponse {
  const log: Logger = logger;
  return withRequestId(awsRequestId, () => {
    log.info("Asked", new FnProxyEvent(raw).queryPath());
    return buildHttpResponse(200, { ok: true }, { event: new FnProxyEvent(raw) });
  });
}

async function* rows(): AsyncGenerator<string> {
  yield await Promise.resolve("row\n");
}

export function start(): void {
  serve(() => httpStream({ statusCode: 201 }, rows()), { onShutdown: () => {} });
}

export async function loop(): Promise<void> {
  await run((event: { name: string }) => event.name, { api: "127.0.0.1:9001" });
}

export const jobs: QueueHandler = queueHandler((record) => record.body());

declare const documents: Parameters<typeof tableStore>[0]["documents"];
const store: IdempotencyStore = tableStore({ table: "done", documents });
export const once = idempotent((id: string) => id.length, { store, key: (id) => id });

export const changes = tableHandler((record) => {
  const item: TableItem | null = record.newImage();
  return item;
});

export async function test(): Promise<number> {
  const [record] = new FnTableEvent(tableEvent([{ keys: { id: 1n } }])).records();
  return (await call(handler, { url: `/${record?.eventName()}` })).status;
}

interface Schema<Value> extends DescribedSchema {
  readonly "~standard": DescribedSchema["~standard"] & {
    readonly types?: { readonly input: Value; readonly output: Value };
  };
}
declare const order: Schema<{ id: string; at: Date }>;
const api = {
  "POST /orders/{id}": { body: order, responses: { 201: order } },
} as const satisfies ApiDescription;

export const described = proxyHandler(routes({
  ...implement(api, { "POST /orders/{id}": (event) => replyWith(201, event.queryPayload()) }),
  "GET /openapi.json": () => openApi(api, { title: "Orders", version: "1" }),
}));

export const answer: FetchFunction = toFetch(described, { proxies: 1 });
export const open = (): Promise<WebServer> => listen(described, { port: 0 });

export async function place(): Promise<string> {
  const client = createClient<typeof api>("/v1");
  const body = { id: "7", at: new Date() };
  const placed = await client("POST /orders/{id}", { path: { id: 7 }, body });
  return placed.ok ? placed.body.at : `${placed.status}`;
}

// @ts-expect-error The status is not described.
implement(api, { "POST /orders/{id}": (event) => replyWith(200, event.queryPayload()) });
// @ts-expect-error A status is a number.
buildHttpResponse("200", {});
// @ts-expect-error The raw event is not to be changed.
new FnProxyEvent({}).rawEvent.path = "/";
// @ts-expect-error Records have a message.
logger.info();
