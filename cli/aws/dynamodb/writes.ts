import type { Table } from "./definition.ts";
import { canonicalItem } from "./removal.ts";

/** The number of keys whose last write is remembered. */
const MOST = 10_000;

type Item = Readonly<Record<string, unknown>>;

/** One item that a request writes or removes. */
interface Write {
  readonly table: unknown;
  /** The item, or its key. */
  readonly item: unknown;
}

/** Remembers the trace header of the last write of each key, because the records of a stream have none. */
export class Writes {
  readonly #keys: ReadonlyMap<string, readonly string[]>;
  readonly #headers = new Map<string, string>();

  constructor(tables: readonly Pick<Table, "name" | "key">[]) {
    this.#keys = new Map(tables.map(({ name, key }) => [name, key]));
  }

  /**
   * Remembers a request before it is sent, because a reader may see the change at once.
   *
   * @returns A function that takes it back, for a request that has failed.
   */
  add(operation: string, input: Item, header: string | undefined): () => void {
    const names = header === undefined
      ? []
      : writesIn(operation, input).flatMap(({ table, item }) => this.#nameOf(table, item) ?? []);
    const former = names.map((name) => [name, this.#headers.get(name)] as const);
    for (const name of names) this.#set(name, header);
    return () => {
      for (const [name, before] of former) {
        if (this.#headers.get(name) === header) this.#set(name, before);
      }
    };
  }

  /** Returns the trace header of the last write of a key, if it is known. */
  headerOf(table: string, key: unknown): string | undefined {
    return this.#headers.get(this.#nameOf(table, key) ?? "");
  }

  #set(name: string, header: string | undefined): void {
    this.#headers.delete(name); // The last write is the last one in the map.
    if (header !== undefined) this.#headers.set(name, header);
    const [oldest] = this.#headers.keys();
    if (this.#headers.size > MOST) this.#headers.delete(oldest!);
  }

  #nameOf(table: unknown, item: unknown): string | undefined {
    const key = this.#keys.get(String(table));
    if (key === undefined) return undefined;
    const values = key.map((name) => Object(item)[name]);
    return `${table} ${canonicalItem(values)}`;
  }
}

/** Lists what a request writes. A malformed request writes nothing. */
function writesIn(operation: string, input: Item): readonly Write[] {
  const parts = operation === "TransactWriteItems"
    ? Object.values(Object(input.TransactItems)).flatMap((part) => Object.values(Object(part)))
    : operation === "BatchWriteItem"
    ? Object.entries(Object(input.RequestItems)).flatMap(([TableName, requests]) =>
      Object.values(Object(requests)).flatMap((request) =>
        Object.values(Object(request)).map((one) => ({ ...Object(one), TableName }))
      )
    )
    : [input];
  return parts.map((part) => {
    const { TableName, Item, Key } = Object(part);
    return { table: TableName, item: Item ?? Key };
  });
}
