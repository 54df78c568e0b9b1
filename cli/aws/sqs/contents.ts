import { rmSync } from "node:fs";
import { join } from "node:path";
import { type MessageAttributes, sizeOf } from "../message_attributes.ts";

/** The bytes of messages that stay in memory. */
const MEMORY = 33_554_432;

/** What the sender of a message wrote. */
export interface Content {
  readonly body: string;
  readonly attributes: MessageAttributes;
}

/** The content of a message that is in memory or in a file. */
export interface Kept {
  readonly size: number;
  read(): Content;
  /** Forgets the content. */
  drop(): void;
}

/** The contents of the messages of all queues. What does not fit into the memory is in files. */
export class Contents {
  readonly #folder: string;
  /** The bytes that the memory can still take. */
  #free: number;
  #files = 0;

  /** The folder must exist. Whoever made the folder removes it. */
  constructor(folder: string, memory = MEMORY) {
    this.#folder = folder;
    this.#free = memory;
  }

  /** Keeps a content until the call of `drop`. */
  keep(content: Content): Kept {
    const size = sizeOf(content.body, content.attributes);
    if (size <= this.#free) {
      this.#free -= size;
      return { size, read: () => content, drop: () => void (this.#free += size) };
    }
    const file = join(this.#folder, String(this.#files++));
    try {
      Deno.writeTextFileSync(file, JSON.stringify(content), { createNew: true, mode: 0o600 });
    } catch (error) {
      rmSync(file, { force: true }); // A full disk may have taken a part.
      throw new Error(`Cannot keep a message: ${(error as Error).message}`, { cause: error });
    }
    return keptIn(file, size);
  }
}

/** A function of its own, because functions that are made in one function keep all of its values in memory. */
function keptIn(file: string, size: number): Kept {
  return {
    size,
    read: () => JSON.parse(Deno.readTextFileSync(file)),
    drop: () => Deno.removeSync(file),
  };
}
