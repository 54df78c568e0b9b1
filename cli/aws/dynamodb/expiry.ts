import type { TableEventRecord } from "@mate/core/testing";
import type { Table } from "./definition.ts";
import { TableError } from "./engine.ts";
import type { LastingEngine } from "./lasting_engine.ts";

type Item = NonNullable<TableEventRecord["dynamodb"]["NewImage"]>;

/** The time between two searches for expired items, in milliseconds. */
const PAUSE = 5_000;

/** If the time of an item is longer ago, in seconds, Amazon DynamoDB keeps the item, because the time may be a mistake. */
const FIVE_YEARS = 5 * 365 * 86_400;

/** The number of removed items that are remembered for the streams. */
const MOST = 10_000;

/** Removes the items whose time to live is over. The engine does not do so. */
export class Expiry implements Disposable {
  readonly #engine: LastingEngine;
  readonly #tables: readonly Table[];
  readonly #changed: () => void;
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
    engine: LastingEngine,
    tables: readonly Table[],
    changed: () => void,
    note: (text: string) => void,
  ) {
    this.#engine = engine;
    this.#tables = tables;
    this.#changed = changed;
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
    for (const { name: TableName, key, expires } of this.#tables) {
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
        const { Items, LastEvaluatedKey } = await this.#engine.call<{
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
      await this.#engine.call("DeleteItem", input);
    } catch (error) {
      // The item has a new time, or is gone.
      const isKept = error instanceof TableError &&
        error.type === "ConditionalCheckFailedException";
      if (!isKept) throw error;
      this.#removed.delete(nameOf(table, item));
    }
    this.#changed();
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
