import type { TableEventRecord } from "@mate/core/testing";
import { createHash } from "node:crypto";
import { REGION } from "../../rules/arn.ts";
import { Clock } from "../clock.ts";
import { describe } from "./definition.ts";
import type { LastingEngine } from "./lasting_engine.ts";
import { canonicalItem } from "./removal.ts";
import { tableArn, type Tables } from "./tables.ts";

/** The most records that one call returns. */
const MOST = 1_000;

/** A reader of the changes of one table. It begins at the latest change. */
export class TableStream {
  readonly #arn: string;
  /** The time at which the stream was made is the end of its ARN. */
  readonly arn: string;
  readonly shard: string;
  /** The place of the next record. */
  #iterator: string;
  /** How often the engine had been started again when the iterator was made. */
  #restarts: number;
  /** The number of the last record that was read. */
  position = 0;

  private constructor(
    private readonly tables: Tables,
    readonly table: string,
    { arn, shard, iterator }: Place,
    private readonly clock: Clock,
  ) {
    this.#restarts = tables.engine!.restarts;
    this.#arn = arn;
    this.shard = shard;
    this.#iterator = iterator;
    const seconds = Number(arn.split("/").at(-1));
    this.arn = `${tableArn(table)}/stream/${new Date(seconds * 1_000).toISOString().slice(0, -1)}`;
  }

  static async open(
    tables: Tables,
    table: string,
    clock: Clock = new Clock(),
  ): Promise<TableStream> {
    const place = await findPlace(tables.engine!, table, "LATEST");
    const stream = new TableStream(tables, table, place, clock);
    tables.streams.add(stream);
    return stream;
  }

  /** Reads the next changes, as AWS Lambda sends them. If nothing has changed since, the list is empty. */
  async read(): Promise<readonly TableEventRecord[]> {
    const engine = this.tables.engine!;
    if (!engine.keepsItems && engine.restarts > this.#restarts) {
      // The table is a new one, and its stream begins again.
      this.#restarts = engine.restarts;
      this.#iterator = (await findPlace(engine, this.table, "TRIM_HORIZON")).iterator;
    }
    const { Records, NextShardIterator } = await engine.call<{
      Records: TableEventRecord[];
      NextShardIterator: string;
    }>("GetRecords", { ShardIterator: this.#iterator, Limit: MOST });
    this.#iterator = NextShardIterator;
    if (Records.length === 0) return [];
    this.position = Number(Records.at(-1)!.dynamodb.SequenceNumber);
    // Amazon DynamoDB has no record for a write that changes nothing.
    const changes = Records.filter(isChange).map((record) => this.#recordOf(record));
    return changes.length > 0 ? changes : await this.read();
  }

  /** Lists the trace headers of the last writes of what has changed. */
  headersOf(records: readonly TableEventRecord[]): readonly string[] {
    // Nobody has written what removed an item because its time was over.
    const headers = records.filter(({ userIdentity }) => userIdentity === undefined)
      .flatMap(({ dynamodb }) => this.tables.writes.headerOf(this.table, dynamodb.Keys) ?? []);
    return [...new Set(headers)];
  }

  #recordOf(record: TableEventRecord): TableEventRecord {
    const { SequenceNumber: number, OldImage, ApproximateCreationDateTime: time } = record.dynamodb;
    const isExpiry = record.eventName === "REMOVE" &&
      this.tables.expiry!.hasRemoved(this.table, OldImage);
    return {
      ...record,
      eventID: createHash("md5").update(`${this.#arn} ${number}`).digest("hex"),
      awsRegion: REGION,
      dynamodb: {
        ...record.dynamodb,
        ApproximateCreationDateTime: this.clock.date(time * 1_000).getTime() / 1_000,
        SequenceNumber: number.padStart(21, "1".padEnd(20, "0")),
      },
      eventSourceARN: this.arn,
      ...isExpiry && { userIdentity: { type: "Service", principalId: "dynamodb.amazonaws.com" } },
    };
  }
}

/** A place in the stream of a table. */
interface Place {
  readonly arn: string;
  readonly shard: string;
  readonly iterator: string;
}

/** Finds a place in the stream of a table. */
async function findPlace(
  engine: LastingEngine,
  table: string,
  ShardIteratorType: "LATEST" | "TRIM_HORIZON",
): Promise<Place> {
  const StreamArn = (await describe(engine, table))!.LatestStreamArn!;
  const { StreamDescription: { Shards: [shard] } } = await engine.call<{
    StreamDescription: { Shards: { ShardId: string }[] };
  }>("DescribeStream", { StreamArn });
  const { ShardId } = shard!;
  const place = { StreamArn, ShardId, ShardIteratorType };
  const { ShardIterator } = await engine.call<{ ShardIterator: string }>("GetShardIterator", place);
  return { arn: StreamArn, shard: ShardId, iterator: ShardIterator };
}

/** Tells whether the item is another one after a write. */
function isChange({ eventName, dynamodb: { NewImage, OldImage } }: TableEventRecord): boolean {
  return eventName !== "MODIFY" || canonicalItem(NewImage) !== canonicalItem(OldImage);
}
