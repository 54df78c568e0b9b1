import type { TableEventRecord } from "@mate/core/testing";
import { createHash } from "node:crypto";
import { REGION } from "../../application/arn.ts";
import { canonicalItem } from "./canonical.ts";
import { describe } from "./definition.ts";
import { tableArn } from "./operations.ts";
import type { Tables } from "./tables.ts";

/** The most records that one call returns. */
const MOST = 1_000;

/** A reader of the changes of one table. It begins at the latest change. */
export class TableStream {
  readonly #tables: Tables;
  readonly #table: string;
  readonly #arn: string;
  /** The time at which the stream was made is the end of its ARN. */
  readonly arn: string;
  readonly shard: string;
  /** The place of the next record; `undefined` before the first call of {@linkcode read}. */
  #iterator: string;

  private constructor(tables: Tables, table: string, arn: string, shard: string, iterator: string) {
    this.#tables = tables;
    this.#table = table;
    this.#arn = arn;
    this.shard = shard;
    this.#iterator = iterator;
    const seconds = Number(arn.split("/").at(-1));
    this.arn = `${tableArn(table)}/stream/${new Date(seconds * 1_000).toISOString().slice(0, -1)}`;
  }

  static async open(tables: Tables, table: string): Promise<TableStream> {
    const engine = tables.engine!;
    const StreamArn = (await describe(engine, table))!.LatestStreamArn!;
    const { StreamDescription: { Shards: [shard] } } = await engine.call<{
      StreamDescription: { Shards: { ShardId: string }[] };
    }>("DescribeStream", { StreamArn });
    const { ShardId } = shard!;
    const { ShardIterator } = await engine.call<{ ShardIterator: string }>("GetShardIterator", {
      StreamArn,
      ShardId,
      ShardIteratorType: "LATEST",
    });
    return new TableStream(tables, table, StreamArn, ShardId, ShardIterator);
  }

  /** Reads the next changes, as AWS Lambda sends them. If nothing has changed since, the list is empty. */
  async read(): Promise<readonly TableEventRecord[]> {
    const { Records, NextShardIterator } = await this.#tables.engine!.call<{
      Records: TableEventRecord[];
      NextShardIterator: string;
    }>("GetRecords", { ShardIterator: this.#iterator, Limit: MOST });
    this.#iterator = NextShardIterator;
    if (Records.length === 0) return [];
    // Amazon DynamoDB has no record for a write that changes nothing.
    const changes = Records.filter(isChange).map((record) => this.#recordOf(record));
    return changes.length > 0 ? changes : await this.read();
  }

  #recordOf(record: TableEventRecord): TableEventRecord {
    const { SequenceNumber: number, OldImage } = record.dynamodb;
    const isExpiry = record.eventName === "REMOVE" &&
      this.#tables.expiry!.hasRemoved(this.#table, OldImage);
    return {
      ...record,
      eventID: createHash("md5").update(`${this.#arn} ${number}`).digest("hex"),
      awsRegion: REGION,
      dynamodb: { ...record.dynamodb, SequenceNumber: number.padStart(21, "1".padEnd(20, "0")) },
      eventSourceARN: this.arn,
      ...isExpiry && { userIdentity: { type: "Service", principalId: "dynamodb.amazonaws.com" } },
    };
  }
}

/** Tells whether the item is another one after a write. */
function isChange({ eventName, dynamodb: { NewImage, OldImage } }: TableEventRecord): boolean {
  return eventName !== "MODIFY" || canonicalItem(NewImage) !== canonicalItem(OldImage);
}
