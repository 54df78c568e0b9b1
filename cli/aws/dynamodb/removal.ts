/**
 * Removes what the engine would keep for ever: items whose time to live is over, and records of streams that every reader
 * has read.
 *
 * @module
 */
import type { TableEventRecord } from "@mate/core/testing";
import { DatabaseSync } from "node:sqlite";
import type { Table } from "./definition.ts";
import type { LastingEngine } from "./lasting_engine.ts";
import { TableError } from "./table_error.ts";

type Item = NonNullable<TableEventRecord["dynamodb"]["NewImage"]>;

/** The time between two searches for expired items, in milliseconds. */
const PAUSE = 5_000;

/** If the time of an item is longer ago, in seconds, Amazon DynamoDB keeps the item, because the time may be a mistake. */
const FIVE_YEARS = 5 * 365 * 86_400;

/** The number of removed items that are remembered for the streams. */
const MOST = 10_000;

/** Removes the items whose time to live is over. The engine does not do so. */
export class Expiry implements Disposable {
  readonly #timer: ReturnType<typeof setInterval>;
  /** The items that were removed here, each with its table. */
  readonly #removed = new Set<string>();
  #sweeping: Promise<void> | undefined;

  /**
   * @param tables The tables with an attribute for the time to live.
   * @param changed Is called after items were removed.
   * @param note Takes an error.
   */
  constructor(
    private readonly engine: LastingEngine,
    private readonly tables: readonly Table[],
    private readonly changed: () => void,
    note: (text: string) => void,
  ) {
    this.#timer = setInterval(() => {
      this.sweep().catch((error) => note(`Cannot remove expired items: ${error.message}`));
    }, PAUSE);
    Deno.unrefTimer(this.#timer as unknown as number);
  }

  /** Removes all expired items. */
  sweep(): Promise<void> {
    return this.#sweeping ??= this.#sweep().finally(() => this.#sweeping = undefined);
  }

  async #sweep(): Promise<void> {
    const now = Math.floor(Date.now() / 1_000);
    for (const { name: TableName, key, expires } of this.tables) {
      const condition = {
        ExpressionAttributeNames: { "#expires": expires },
        ExpressionAttributeValues: {
          ":now": { N: String(now) },
          ":old": { N: String(now - FIVE_YEARS) },
        },
      };
      const expression = "#expires <= :now AND #expires > :old";
      let start: Item | undefined;
      do {
        const { Items, LastEvaluatedKey } = await this.engine.call<{
          Items: Item[];
          LastEvaluatedKey?: Item;
        }>("Scan", {
          TableName,
          FilterExpression: expression,
          ...condition,
          ...start && { ExclusiveStartKey: start },
        });
        for (const item of Items) {
          const Key = Object.fromEntries(key.map((part) => [part, item[part]]));
          await this.#remove(TableName, item, {
            TableName,
            Key,
            ConditionExpression: expression,
            ...condition,
          });
        }
        start = LastEvaluatedKey;
      } while (start);
    }
  }

  async #remove(table: string, item: Item, input: object): Promise<void> {
    this.#remember(nameOf(table, item));
    try {
      await this.engine.call("DeleteItem", input);
    } catch (error) {
      // The item has a new time, or is gone.
      const isKept = error instanceof TableError &&
        error.type === "ConditionalCheckFailedException";
      if (!isKept) throw error;
      this.#removed.delete(nameOf(table, item));
    }
    this.changed();
  }

  #remember(name: string): void {
    this.#removed.add(name);
    const [oldest] = this.#removed;
    if (this.#removed.size > MOST) this.#removed.delete(oldest!);
  }

  /** Tells whether an item was removed because its time was over. */
  hasRemoved(table: string, item: Item | undefined): boolean {
    return item !== undefined && this.#removed.has(nameOf(table, item));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

const nameOf = (table: string, item: Item) => `${table} ${canonicalItem(item)}`;

/** Writes attribute values as text. Equal items give equal texts, whatever the order of attributes and of sets. */
export function canonicalItem(item: unknown): string {
  return JSON.stringify(
    item,
    (key, value) =>
      /^[SNB]S$/.test(key) && Array.isArray(value)
        ? value.toSorted()
        : typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1))
        : value,
  );
}

/** The number of writes between two removals. */
const PERIOD = 200;

/** The longest wait for the engine to end a write, in milliseconds. */
const PATIENCE = 2_000;

/** Somebody who reads the records of a table. */
export interface StreamReader {
  readonly table: string;
  /** The number of the last record that was read. */
  readonly position: number;
}

/**
 * Removes the records of streams that every reader has read. Amazon DynamoDB keeps them for a day, and the engine for ever,
 * with both images of the item. So its file would grow with every write.
 */
export class StreamTrimmer {
  readonly #readers = new Set<StreamReader>();
  #writes = 0;

  /** Without a file, the records are in the memory of the engine. */
  constructor(
    private readonly tables: readonly string[],
    private readonly file: string | undefined,
  ) {
    if (tables.length > 0) this.#trim(); // Readers begin at the latest record.
  }

  /** Keeps the records that a reader has not read. */
  add(reader: StreamReader): void {
    this.#readers.add(reader);
  }

  /** Says that items have changed. */
  changed(): void {
    if (++this.#writes % PERIOD === 0) this.#trim();
  }

  #trim(): void {
    if (this.file === undefined) return;
    const database = new DatabaseSync(this.file);
    try {
      database.exec(`PRAGMA busy_timeout = ${PATIENCE}`);
      // The engine numbers the next record after the last one, so that one stays.
      const remove = database.prepare(
        "DELETE FROM _stream_records WHERE table_name = :table AND CAST(sequence_number AS INTEGER) <= :position " +
          "AND id < (SELECT MAX(id) FROM _stream_records WHERE table_name = :table)",
      );
      for (const table of this.tables) {
        const positions = [...this.#readers].filter((reader) => reader.table === table)
          .map(({ position }) => position);
        remove.run({ table, position: Math.min(Number.MAX_SAFE_INTEGER, ...positions) });
      }
    } finally {
      database.close();
    }
  }
}
