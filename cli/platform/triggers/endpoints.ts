import { Buffer } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import type { AsyncInvocations } from "../invoke/async_invocations.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { emptyReply, errorReply, jsonReply, type Reply } from "../reply.ts";
import type { Buckets } from "./buckets.ts";
import {
  checkPublication,
  createMessageEvent,
  createMessageId,
  PublicationError,
} from "./message.ts";
import { createRequestIds } from "./notification.ts";
import { ObjectKeyError } from "./object_key.ts";
import type { Schedules } from "./schedules.ts";

/** What the endpoints of the triggers work with. */
export interface TriggerOptions {
  /** The application. */
  readonly manifest: Manifest;
  /** What takes the events. */
  readonly asyncInvocations: AsyncInvocations;
  /** Its buckets. */
  readonly buckets: Buckets;
  /** Its schedules. */
  readonly schedules: Schedules;
}

/** A request to a trigger. */
export interface TriggerRequest {
  /** The method. */
  readonly method: string;
  /** The path, percent-encoded. */
  readonly path: string;
  /** The headers, with lower-case names. */
  readonly headers: IncomingHttpHeaders;
  /** The IP address of the client. */
  readonly sourceIp: string;
  /** The body, as it arrives. */
  readonly content: AsyncIterable<Uint8Array>;
}

const MAX_PUBLICATION = 1_048_576;

/** An answer that is thrown. */
class Refusal extends Error {
  readonly reply: Reply;
  constructor(status: number, message: string, headers: Reply["headers"] = []) {
    super(message);
    this.reply = errorReply(status, message, headers);
  }
}

/**
 * Makes what answers requests to the triggers: `/buckets/{name}/{key}`, `/topics/{name}` and `/schedules/{function}`.
 *
 * @param options What they work with.
 * @returns What answers a request.
 */
export function createTriggerEndpoints(
  options: TriggerOptions,
): (request: TriggerRequest) => Promise<Reply> {
  return async (request) => {
    const [, kind, name = "", key = ""] = /^\/([^/]*)(?:\/([^/]*))?(?:\/(.*))?$/s
      .exec(request.path) ?? [];
    try {
      if (kind === "buckets") {
        return await answerBucket(options, request, decode(name), decode(key));
      }
      if (kind === "topics") return await answerTopic(options, request, decode(name), key);
      return answerSchedule(options, request, decode(name), key);
    } catch (error) {
      if (error instanceof Refusal) return error.reply;
      if (error instanceof ObjectKeyError || error instanceof PublicationError) {
        return errorReply(400, error.message);
      }
      throw error;
    }
  };
}

async function answerBucket(
  { buckets }: TriggerOptions,
  { method, headers, sourceIp, content }: TriggerRequest,
  name: string,
  key: string,
): Promise<Reply> {
  const bucket = buckets.get(name);
  if (bucket === undefined) throw new Refusal(404, `The application has no bucket "${name}"`);
  if (key === "") {
    allow(method, ["GET", "HEAD"]);
    return jsonReply(200, { objects: bucket.list() }, [["Cache-Control", "no-store"]]);
  }
  allow(method, ["GET", "HEAD", "PUT", "DELETE"]);
  const ids = createRequestIds();
  const common = [["x-amz-request-id", ids.requestId], ["x-amz-id-2", ids.hostId]] as const;
  if (method === "PUT") {
    const encoding = headers["content-encoding"] ?? "";
    if (/aws-chunked/i.test(encoding)) {
      throw new Refusal(415, 'Cannot store the object: the coding "aws-chunked" is not supported');
    }
    const { etag } = await bucket.put(key, content, { sourceIp, ids });
    return emptyReply(200, [["ETag", `"${etag}"`], ...common]);
  }
  if (method === "DELETE") {
    await bucket.delete(key, { sourceIp, ids });
    return emptyReply(204, common);
  }
  const found = await bucket.open(key);
  if (found === undefined) {
    throw new Refusal(404, `The bucket "${name}" has no object ${JSON.stringify(key)}`);
  }
  return {
    status: 200,
    headers: [
      ["Content-Type", "application/octet-stream"],
      // Whatever was uploaded is never a page of the platform's own origin.
      ["Content-Disposition", "attachment"],
      ["Content-Length", String(found.object.size)],
      ["ETag", `"${found.object.etag}"`],
      ["Last-Modified", new Date(found.object.modified).toUTCString()],
      ...common,
    ],
    body: found.content,
  };
}

async function answerTopic(
  { manifest, asyncInvocations }: TriggerOptions,
  { method, headers, content }: TriggerRequest,
  name: string,
  rest: string,
): Promise<Reply> {
  const subscribers = Object.entries(manifest.functions)
    .filter(([, { triggers }]) => triggers.topic?.name === name)
    .map(([functionName]) => functionName);
  if (subscribers.length === 0 || rest !== "") {
    throw new Refusal(
      404,
      `The application has no topic "${[name, rest].join("/").replace(/\/$/, "")}"`,
    );
  }
  allow(method, ["POST"]);
  const publication = checkPublication(readPublication(headers, await readText(content)));
  const messageId = createMessageId();
  const time = new Date();
  for (const functionName of subscribers) {
    const event = createMessageEvent(name, functionName, publication, messageId, time);
    asyncInvocations.start(functionName, Buffer.from(JSON.stringify(event)));
  }
  return jsonReply(200, { MessageId: messageId });
}

function answerSchedule(
  { schedules }: TriggerOptions,
  { method }: TriggerRequest,
  name: string,
  rest: string,
): Reply {
  if (!schedules.has(name) || rest !== "") {
    throw new Refusal(404, `The application has no schedule "${name}"`);
  }
  allow(method, ["POST"]);
  return jsonReply(202, { RequestId: schedules.fire(name) });
}

/** The message in a body that is JSON, a form, or the message itself. */
function readPublication(headers: IncomingHttpHeaders, text: string): unknown {
  const type = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  if (type === "application/json") return parseJson(text);
  if (type === "text/plain") return { message: text };
  if (type !== "application/x-www-form-urlencoded") {
    throw new Refusal(
      415,
      `Cannot publish a message of the type "${type}": expected application/json, ` +
        "application/x-www-form-urlencoded or text/plain",
    );
  }
  const form = new URLSearchParams(text);
  const attributes = form.getAll("attribute").map((attribute) => {
    const [name = "", Type = "", ...value] = attribute.split(":");
    return [name, { Type, Value: value.join(":") }] as const;
  });
  const others = [...form].filter(([name]) => name !== "attribute");
  return {
    ...collect(others, "the field"),
    attributes: collect(attributes, "the attribute"),
  };
}

/** An object of fields, each of which is there once. */
function collect<T>(fields: readonly (readonly [string, T])[], kind: string): Record<string, T> {
  const names = new Set<string>();
  for (const [name] of fields) {
    if (names.has(name)) {
      throw new PublicationError(`${kind} ${JSON.stringify(name)} is there twice`);
    }
    names.add(name);
  }
  return Object.fromEntries(fields);
}

async function readText(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > MAX_PUBLICATION) {
      throw new Refusal(413, "Cannot publish the message: it has over 262,144 bytes");
    }
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new PublicationError("its body is not UTF-8", { cause: error });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PublicationError((error as Error).message, { cause: error });
  }
}

function allow(method: string, methods: readonly string[]): void {
  if (methods.includes(method)) return;
  const list = methods.join(", ");
  throw new Refusal(405, `The method ${method} is not allowed here: use ${list}`, [[
    "Allow",
    list,
  ]]);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refusal(
      400,
      `Cannot read the path: ${JSON.stringify(text)} is not percent-encoded UTF-8`,
    );
  }
}
