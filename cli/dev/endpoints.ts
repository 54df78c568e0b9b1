import type { IncomingMessage } from "node:http";
import type { Application } from "../application/types.ts";
import { allow, jsonReply, readBody, refusal, type Reply, reply } from "../lambda/http.ts";
import { TableError } from "../aws/dynamodb/table_error.ts";
import type { Tables } from "../aws/dynamodb/tables.ts";
import { isObject } from "../rules/json_object.ts";
import { MAX_PUBLICATION } from "../rules/limits.ts";
import { withRoot } from "../rules/trace_header.ts";
import type { EventBus } from "../aws/events/event_bus.ts";
import type { Messaging } from "../sources/messaging.ts";
import { isIdentifier } from "../aws/sqs/input.ts";
import type { Buckets } from "../sources/buckets.ts";
import { ObjectKeyError } from "../aws/s3/object_store.ts";
import type { Schedules } from "../sources/schedules.ts";
import { readPublication } from "./publication_form.ts";
import { listItems, listObjects, WaitingMessages } from "./data.ts";
import { readItem } from "./table_items.ts";
import type { Traces } from "./traces/traces.ts";

export interface TriggerOptions {
  readonly application: Application;
  readonly buckets: Buckets;
  readonly schedules: Schedules;
  readonly messaging: Messaging;
  readonly eventBus: EventBus;
  readonly tables: () => Promise<Tables>;
  readonly traces: Traces;
}

/** The largest body of a request. An encoded message may have more bytes than the message, and an item has at most 400 KB. */
const MAX_REQUEST = 4 * MAX_PUBLICATION;

const NO_STORE = [["Cache-Control", "no-store"]] as const;

const parametersOf = ({ url }: IncomingMessage) => new URL(url!, "http://localhost").searchParams;

/**
 * Answers requests to the triggers and the data: `/buckets/{name}/{key}`, `/topics/{name}`, `/queues/{name}/{message}`,
 * `/dead-letters/{message}`, `/tables/{name}`, `/events` and `/schedules/{function}/{number}`, as `traces/answers.ts` says. Returns `undefined` for other paths.
 */
export function createTriggerEndpoints(
  { application, buckets, schedules, messaging, eventBus, traces, ...options }: TriggerOptions,
): (request: IncomingMessage, path: string) => Promise<Reply | undefined> {
  const messages = new WaitingMessages(application, messaging, traces);

  async function answerBucket(request: IncomingMessage, name: string, key: string): Promise<Reply> {
    const method = request.method!;
    const bucket = buckets.get(name);
    if (bucket === undefined) throw refusal(404, `The application has no bucket "${name}"`);
    if (key === "") {
      allow(method, "GET", "HEAD");
      return jsonReply(200, listObjects(bucket, parametersOf(request)), NO_STORE);
    }
    allow(method, "GET", "HEAD", "PUT", "DELETE");
    const client = { sourceIp: request.socket.remoteAddress!, traceHeader: traceOf(request) };
    if (method === "PUT") {
      if (/aws-chunked/i.test(request.headers["content-encoding"] ?? "")) {
        throw refusal(415, 'Cannot store the object: the coding "aws-chunked" is not supported');
      }
      const { etag } = await bucket.put(key, request.iterator({ destroyOnReturn: false }), client);
      return reply(200, [["ETag", `"${etag}"`]]);
    }
    if (method === "DELETE") {
      await bucket.delete(key, client);
      return reply(204);
    }
    const found = await bucket.open(key);
    if (found === undefined) {
      throw refusal(404, `The bucket "${name}" has no object ${JSON.stringify(key)}`);
    }
    return {
      status: 200,
      headers: [
        ["Content-Type", "application/octet-stream"],
        ["Content-Disposition", "attachment"], // No browser shows an upload as a page.
        ["Content-Length", String(found.object.size)],
        ["ETag", `"${found.object.etag}"`],
        ["Last-Modified", new Date(found.object.modified).toUTCString()],
      ],
      body: found.content,
    };
  }

  async function answerTopic(request: IncomingMessage, name: string): Promise<Reply> {
    const topic = Object.hasOwn(application.topics, name) ? application.topics[name] : undefined;
    if (topic === undefined) throw refusal(404, `The application has no topic "${name}"`);
    allow(request.method!, "POST");
    const publication = readPublication(
      request.headers,
      await readText(request, "publish the message"),
    );
    const message = { ...publication, traceHeader: traceOf(request) };
    return jsonReply(200, { MessageId: messaging.topics.publish(topic.arn, message) });
  }

  async function answerQueue(request: IncomingMessage, name: string, id: string): Promise<Reply> {
    const queue = Object.hasOwn(application.queues, name) ? application.queues[name] : undefined;
    if (queue === undefined) throw refusal(404, `The application has no queue "${name}"`);
    if (id !== "") {
      allow(request.method!, "DELETE");
      messages.delete(name, id);
      return reply(204);
    }
    allow(request.method!, "GET", "HEAD", "POST");
    if (request.method === "POST") {
      const body = await readText(request, "send the message");
      if (body === "") throw refusal(400, "Cannot send the message: it is empty");
      const group = parametersOf(request).get("group");
      const isFifo = queue.fifo;
      if (group !== null && !isFifo) throw refusal(400, `The queue "${name}" has no groups`);
      if (group !== null && !isIdentifier(group)) {
        const shown = JSON.stringify(group);
        throw refusal(
          400,
          `Invalid group ${shown}: expected 1 to 128 ASCII letters, digits and signs`,
        );
      }
      // If the developer sends a message twice, both must arrive. So each has its own identifier.
      const place = isFifo
        ? { groupId: group ?? "start-page", deduplicationId: crypto.randomUUID() }
        : {};
      const message = { body, ...place, traceHeader: traceOf(request) };
      const MessageId = messaging.send(queue.name, message);
      return jsonReply(200, { MessageId });
    }
    return jsonReply(200, messages.contentOf(name), NO_STORE);
  }

  function answerDeadLetters({ method }: IncomingMessage, id: string, action: string): Reply {
    if (id === "") {
      allow(method!, "GET", "HEAD");
      return jsonReply(200, { deadLetters: messages.deadLetters() }, NO_STORE);
    }
    if (action !== "" && action !== "redrive") {
      throw refusal(404, `A dead letter has no ${JSON.stringify(action)}: expected "redrive"`);
    }
    allow(method!, action === "" ? "DELETE" : "POST");
    if (action === "") messages.deleteDeadLetter(id);
    else messages.redrive(id);
    return reply(204);
  }

  /**
   * Answers `/tables/{name}`: GET lists the first items, POST puts an item (JSON), and DELETE removes the item with the key in the
   * body (attribute values, as GET returns them).
   */
  async function answerTable(request: IncomingMessage, name: string): Promise<Reply> {
    const table = Object.hasOwn(application.tables, name) ? application.tables[name] : undefined;
    if (!table) throw refusal(404, `The application has no table "${name}"`);
    const tables = await options.tables();
    if (!tables.engine) throw refusal(501, tables.problem);
    allow(request.method!, "GET", "HEAD", "POST", "DELETE");
    const TableName = table.name;
    if (request.method === "POST") {
      const Item = readItem(await readObject(request, `put an item into "${name}"`));
      await tables.write("PutItem", { TableName, Item }, traceOf(request));
    } else if (request.method === "DELETE") {
      const Key = await readObject(request, `delete an item of "${name}"`);
      await tables.write("DeleteItem", { TableName, Key }, traceOf(request));
    } else {
      const hide = (text: string) => traces.hider.text(text);
      const list = await listItems(tables, name, table, parametersOf(request), hide);
      return jsonReply(200, list, NO_STORE);
    }
    return reply(204);
  }

  /** Puts one event, in the form that the console of Amazon EventBridge shows. */
  async function answerEvents(request: IncomingMessage): Promise<Reply> {
    allow(request.method!, "POST");
    const event = await readJson(request, "put the event");
    const { source, "detail-type": DetailType, detail, bus = "default" } = Object(event);
    const Detail = JSON.stringify(detail);
    const entry = { Source: source, DetailType, Detail, EventBusName: bus };
    const result = eventBus.put(entry, traceOf(request));
    return jsonReply("ErrorCode" in result ? 400 : 200, result);
  }

  function answerSchedule(request: IncomingMessage, name: string, number: string): Reply {
    const all = schedules.of(name);
    if (all === undefined) throw refusal(404, `The application has no function "${name}"`);
    const schedule = all[Number(number)];
    if (schedule === undefined) {
      const detail = all.length > 0 ? "the numbers begin with 0" : "it has none";
      throw refusal(404, `The function "${name}" has no schedule ${number || 0}: ${detail}`);
    }
    allow(request.method!, "POST");
    return jsonReply(202, { RequestId: schedules.fire(schedule, undefined, traceOf(request)) });
  }

  return async (request, path) => {
    const [, kind, name = "", key = ""] = /^\/([^/]*)(?:\/([^/]*))?(?:\/(.*))?$/s.exec(path) ?? [];
    try {
      switch (kind) {
        case "buckets":
          return await answerBucket(request, decode(name), decode(key));
        case "topics":
          return await answerTopic(request, path.slice("/topics/".length));
        case "queues":
          return await answerQueue(request, name, key);
        case "dead-letters":
          return answerDeadLetters(request, name, key);
        case "tables":
          return await answerTable(request, decode(name));
        case "events":
          return await answerEvents(request);
        case "schedules":
          return answerSchedule(request, decode(name), key);
        default:
          return undefined;
      }
    } catch (error) {
      if (error instanceof ObjectKeyError || error instanceof TableError) {
        throw refusal(400, error.message);
      }
      throw error;
    }
  };
}

const traceOf = ({ headers }: IncomingMessage) => withRoot(headers["x-amzn-trace-id"]?.toString());

/** Reads the body of a request. The action stands in the message of an error. */
async function readText(request: IncomingMessage, action: string): Promise<string> {
  const body = await readBody(request, MAX_REQUEST);
  if (body.length > MAX_REQUEST) {
    throw refusal(413, `Cannot ${action}: the request has over ${MAX_REQUEST} bytes`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw refusal(400, `Cannot ${action}: its body is not UTF-8`);
  }
}

async function readJson(request: IncomingMessage, action: string): Promise<unknown> {
  const text = await readText(request, action);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refusal(400, `Cannot ${action}: ${(error as Error).message}`);
  }
}

async function readObject(request: IncomingMessage, action: string) {
  const value = await readJson(request, action);
  if (isObject(value)) return value;
  throw refusal(400, `Cannot ${action}: expected a JSON object`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    const shown = JSON.stringify(text);
    throw refusal(400, `Cannot read the path: ${shown} is not percent-encoded UTF-8`);
  }
}
