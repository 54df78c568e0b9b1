import { DatabaseSync } from "node:sqlite";

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
  readonly #tables: readonly string[];
  readonly #file: string | undefined;
  readonly #readers = new Set<StreamReader>();
  #writes = 0;

  /** Without a file, the records are in the memory of the engine. */
  constructor(tables: readonly string[], file: string | undefined) {
    this.#tables = tables;
    this.#file = file;
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
    if (this.#file === undefined) return;
    const database = new DatabaseSync(this.#file);
    try {
      database.exec(`PRAGMA busy_timeout = ${PATIENCE}`);
      // The engine numbers the next record after the last one, so that one stays.
      const remove = database.prepare(
        "DELETE FROM _stream_records WHERE table_name = :table AND CAST(sequence_number AS INTEGER) <= :position " +
          "AND id < (SELECT MAX(id) FROM _stream_records WHERE table_name = :table)",
      );
      for (const table of this.#tables) {
        const positions = [...this.#readers].filter((reader) => reader.table === table)
          .map(({ position }) => position);
        remove.run({ table, position: Math.min(Number.MAX_SAFE_INTEGER, ...positions) });
      }
    } finally {
      database.close();
    }
  }
}
