import type { IncomingMessage } from "node:http";
import type { Application } from "../application/types.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { allow, jsonReply, readBody, refusal, type Reply, reply } from "../lambda/http.ts";
import { MAX_PUBLICATION } from "../application/limits.ts";
import type { EventBus } from "./services/event_bus.ts";
import type { Messaging } from "./services/messaging.ts";
import { isIdentifier } from "./services/sqs/input.ts";
import type { Buckets } from "./triggers/buckets.ts";
import { publicationRefusal, readPublication } from "./message.ts";
import { ObjectKeyError } from "./triggers/object_key.ts";
import type { Schedules } from "./triggers/schedules.ts";

export interface TriggerOptions {
  readonly manifest: Manifest;
  readonly application: Application;
  readonly buckets: Buckets;
  readonly schedules: Schedules;
  readonly messaging: Messaging;
  readonly eventBus: EventBus;
  /** Answers `/tables/{name}`. */
  readonly table: (request: IncomingMessage, name: string) => Promise<Reply>;
}

/** The largest body of a request. An encoded message may have more bytes than the message. */
const MAX_REQUEST = 4 * MAX_PUBLICATION;

/**
 * Answers requests to the triggers: `/buckets/{name}/{key}`, `/topics/{name}`, `/queues/{name}`, `/tables/{name}`, `/events` and
 * `/schedules/{function}/{number}`. Returns `undefined` for other paths.
 */
export function createTriggerEndpoints(
  { manifest, application, buckets, schedules, messaging, eventBus, table }: TriggerOptions,
): (request: IncomingMessage, path: string) => Promise<Reply | undefined> {
  const { functions } = manifest;

  async function answerBucket(request: IncomingMessage, name: string, key: string): Promise<Reply> {
    const method = request.method!;
    const bucket = buckets.get(name);
    if (bucket === undefined) throw refusal(404, `The application has no bucket "${name}"`);
    if (key === "") {
      allow(method, "GET", "HEAD");
      return jsonReply(200, { objects: bucket.list() }, [["Cache-Control", "no-store"]]);
    }
    allow(method, "GET", "HEAD", "PUT", "DELETE");
    const client = { sourceIp: request.socket.remoteAddress! };
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
    const text = await readText(request);
    const publication = readPublication(request.headers, text);
    return jsonReply(200, { MessageId: messaging.publish(topic.arn, publication) });
  }

  async function answerQueue(request: IncomingMessage, name: string): Promise<Reply> {
    const queue = Object.hasOwn(application.queues, name) ? application.queues[name] : undefined;
    if (queue === undefined) throw refusal(404, `The application has no queue "${name}"`);
    allow(request.method!, "GET", "HEAD", "POST");
    if (request.method === "POST") {
      const body = await readText(request);
      if (body === "") throw refusal(400, "Cannot send the message: it is empty");
      const group = new URL(request.url!, "http://localhost").searchParams.get("group");
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
      const MessageId = messaging.send(queue.name, { body, ...place });
      return jsonReply(200, { MessageId });
    }
    const deadLetters = messaging.count(queue.deadLetters.name);
    return jsonReply(200, {
      ...messaging.count(queue.name),
      deadLetters: deadLetters.visible + deadLetters.invisible,
    }, [["Cache-Control", "no-store"]]);
  }

  /** Puts one event, in the form that the console of Amazon EventBridge shows. */
  async function answerEvents(request: IncomingMessage): Promise<Reply> {
    allow(request.method!, "POST");
    const text = await readText(request);
    const event = parseJson(text, "put the event") as Record<string, unknown> | null;
    const { source, "detail-type": DetailType, detail, bus = "default" } = event ?? {};
    const Detail = JSON.stringify(detail);
    const result = eventBus.put({ Source: source, DetailType, Detail, EventBusName: bus });
    return jsonReply("ErrorCode" in result ? 400 : 200, result);
  }

  function answerSchedule(request: IncomingMessage, name: string, number: string): Reply {
    if (!Object.hasOwn(functions, name)) {
      throw refusal(404, `The application has no function "${name}"`);
    }
    const schedule = schedules.find(name, Number(number));
    if (schedule === undefined) {
      const hasAny = functions[name]!.triggers.schedules.length > 0;
      const detail = hasAny ? "the numbers begin with 0" : "it has none";
      throw refusal(404, `The function "${name}" has no schedule ${number || 0}: ${detail}`);
    }
    allow(request.method!, "POST");
    return jsonReply(202, { RequestId: schedules.fire(schedule) });
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
          return await answerQueue(request, path.slice("/queues/".length));
        case "tables":
          return await table(request, decode(name));
        case "events":
          return await answerEvents(request);
        case "schedules":
          return answerSchedule(request, decode(name), key);
        default:
          return undefined;
      }
    } catch (error) {
      if (error instanceof ObjectKeyError) throw refusal(400, error.message);
      throw error;
    }
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const body = await readBody(request, MAX_REQUEST);
  if (body.length > MAX_REQUEST) {
    throw refusal(413, `Cannot publish the message: the request has over ${MAX_REQUEST} bytes`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw publicationRefusal("its body is not UTF-8");
  }
}

function parseJson(text: string, action: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refusal(400, `Cannot ${action}: ${(error as Error).message}`);
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    const shown = JSON.stringify(text);
    throw refusal(400, `Cannot read the path: ${shown} is not percent-encoded UTF-8`);
  }
}
