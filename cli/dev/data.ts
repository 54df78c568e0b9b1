import type { Application, Table } from "../application/types.ts";
import type { BucketFolder } from "../aws/s3/bucket_folder.ts";
import type { Tables } from "../aws/dynamodb/tables.ts";
import type { Received } from "../aws/sqs/queue.ts";
import { refusal } from "../lambda/http.ts";
import { parseObject } from "../rules/json_object.ts";
import { readTraceHeader } from "../rules/trace_header.ts";
import type { Messaging } from "../sources/messaging.ts";
import { type Attributes, showItem } from "./table_items.ts";
import type {
  DeadLetter,
  ItemList,
  ObjectList,
  QueueContent,
  QueueMessage,
} from "./traces/answers.ts";
import type { Recording, Traces } from "./traces/traces.ts";

/** The most objects, items and messages of one answer. */
const MOST_OBJECTS = 200;
const MOST = 50;

/** Lists the objects of a bucket: those whose keys begin with `prefix`, after the key `after`. */
export function listObjects(bucket: BucketFolder, query: URLSearchParams): ObjectList {
  const prefix = query.get("prefix") ?? "";
  const after = query.get("after");
  const all = bucket.list().filter(({ key }) => key.startsWith(prefix));
  const start = after === null ? 0 : all.findIndex(({ key }) => key === after) + 1;
  const objects = all.slice(start, start + MOST_OBJECTS)
    .map(({ key, size, etag, modified }) => ({ key, size, etag, modified }));
  const isCut = start + MOST_OBJECTS < all.length;
  return { objects, ...isCut && { next: objects.at(-1)!.key } };
}

/**
 * Lists items of a table, or those with the key that the query names.
 *
 * @throws {Refusal} If the query names an index or a sort key that the table has not, or a place that is none.
 */
export async function listItems(
  tables: Tables,
  name: string,
  table: Table,
  query: URLSearchParams,
  hide: (text: string) => string,
): Promise<ItemList> {
  const after = query.get("after");
  const start = after === null ? undefined : parseObject(after);
  if (after !== null && start === undefined) {
    throw refusal(400, 'Cannot list the items: "after" is not the "next" of an answer');
  }
  const index = query.get("index");
  const condition = conditionOf(name, table, query);
  const { Items, LastEvaluatedKey } = await tables.engine!.call<{
    Items: Attributes[];
    LastEvaluatedKey?: object;
  }>(condition === undefined ? "Scan" : "Query", {
    TableName: table.name,
    Limit: MOST,
    ...index !== null && { IndexName: index },
    ...condition,
    ...start && { ExclusiveStartKey: start },
  });
  const items = Items.map((item) => {
    const { key, text } = showItem(item, table.key);
    return { key, text: hide(text) };
  });
  return { items, ...LastEvaluatedKey && { next: JSON.stringify(LastEvaluatedKey) } };
}

function conditionOf(name: string, table: Table, query: URLSearchParams): object | undefined {
  const index = query.get("index");
  if (index !== null && !Object.hasOwn(table.indexes, index)) {
    const known = Object.keys(table.indexes).join(", ") || "none";
    throw refusal(400, `The table "${name}" has no index "${index}": it has ${known}`);
  }
  const [key, sort] = index === null ? table.key : table.indexes[index]!.key;
  const values = [[key, query.get("key")], [sort, query.get("sort")]] as const;
  if (values[0][1] === null) {
    if (values[1][1] === null) return undefined;
    throw refusal(400, `A value of the sort key needs a value of the partition key: add "key"`);
  }
  if (sort === undefined && values[1][1] !== null) {
    throw refusal(400, `The table "${name}" has no sort key here: leave out "sort"`);
  }
  const given = values.filter(([, value]) => value !== null);
  return {
    KeyConditionExpression: given.map((_, at) => `#k${at} = :v${at}`).join(" AND "),
    ExpressionAttributeNames: Object.fromEntries(given.map(([one], at) => [`#k${at}`, one])),
    ExpressionAttributeValues: Object.fromEntries(
      given.map(([one, value], at) => [`:v${at}`, { [table.attributes[one!]!]: value }]),
    ),
  };
}

/** The messages that wait in the queues, and the dead letters. */
export class WaitingMessages {
  constructor(
    private readonly application: Application,
    private readonly messaging: Messaging,
    private readonly traces: Traces,
  ) {}

  contentOf(name: string): QueueContent {
    const { name: queue, deadLetters } = this.application.queues[name]!;
    const { queues } = this.messaging;
    const dead = queues.find(deadLetters.name).count();
    return {
      ...queues.find(queue).count(),
      deadLetters: dead.visible + dead.invisible + dead.delayed,
      messages: queues.find(queue).list(MOST).map((message) => this.#show(message)),
    };
  }

  /** Deletes a message of a queue. */
  delete(name: string, id: string): void {
    const queue = this.messaging.queues.find(this.application.queues[name]!.name);
    if (queue.remove(id) === undefined) {
      throw refusal(404, `The queue "${name}" has no message ${JSON.stringify(id)}: it is gone`);
    }
  }

  /** Lists the dead letters, each with the error of its last attempt, as far as the traces know it. */
  deadLetters(): readonly DeadLetter[] {
    return this.#deadQueues().flatMap(({ queue, of }) =>
      this.messaging.queues.find(queue).list(MOST).map((message) => {
        const last = this.#lastAttemptOf(message, of.type);
        return {
          ...this.#show(message),
          of,
          reason: last?.span.error &&
            this.traces.hider.json(last.span.error) as DeadLetter["reason"],
          spanId: last?.span.id,
          redrive: of.type === "queue" ||
            "It has only the place of the change: send the event of its last attempt again",
        };
      })
    );
  }

  /** Puts a dead letter into its queue again, as a new message. */
  redrive(id: string): void {
    const { of, queue } = this.#find(id);
    if (of.type === "table") {
      throw refusal(
        409,
        "A change of a table cannot be delivered again: send its last attempt again",
      );
    }
    const message = this.messaging.queues.find(queue).remove(id)!;
    const { body, attributes, groupId, traceHeader, shownTrace } = message;
    const target = this.messaging.queues.find(this.application.queues[of.name]!.name);
    // The former identifier would make it a repetition.
    const deduplicationId = target.isFifo ? crypto.randomUUID() : undefined;
    const facts = { groupId, deduplicationId, traceHeader, shownTrace };
    target.send({ body, attributes, ...facts, delay: 0 });
  }

  /** Deletes a dead letter. */
  deleteDeadLetter(id: string): void {
    this.messaging.queues.find(this.#find(id).queue).remove(id);
  }

  #find(id: string) {
    const found = this.#deadQueues().find(({ queue }) =>
      this.messaging.queues.find(queue).list(Infinity).some((message) => message.id === id)
    );
    if (found !== undefined) return found;
    throw refusal(404, `There is no dead letter ${JSON.stringify(id)}: it is gone`);
  }

  #deadQueues(): readonly { readonly queue: string; readonly of: DeadLetter["of"] }[] {
    const { queues, tables } = this.application;
    return [
      ...Object.entries(queues).map(([name, { deadLetters }]) => ({
        queue: deadLetters.name,
        of: { type: "queue", name } as const,
      })),
      ...Object.entries(tables).flatMap(([name, { listeners }]) =>
        listeners.map(({ function: owner, deadLetters }) => ({
          queue: deadLetters.name,
          of: { type: "table", name, function: owner } as const,
        }))
      ),
    ];
  }

  /** Finds the last attempt. The description of a change names its request; a batch has the identifiers of its messages. */
  #lastAttemptOf({ id, body }: Received, type: "queue" | "table"): Recording | undefined {
    if (type === "queue") {
      return this.traces.list().findLast(({ span }) =>
        span.attributes["mate.messages"]?.includes(id)
      );
    }
    const { requestId } = Object(parseObject(body)?.requestContext);
    return typeof requestId === "string" ? this.traces.findInvocation(requestId) : undefined;
  }

  #show({ id, body, attributes, groupId, ...message }: Received): QueueMessage {
    return {
      id,
      body: this.traces.hider.text(body),
      attributes: this.traces.hider.json(attributes) as QueueMessage["attributes"],
      group: groupId,
      sent: message.sentTime,
      visible: message.visibleTime,
      receiveCount: message.receiveCount,
      traceId: readTraceHeader(message.traceHeader).traceId,
    };
  }
}
