import { setTimeout as pause } from "node:timers/promises";
import { ServiceError } from "../service_call.ts";
import { Engine, EngineClient } from "./engine.ts";
import type { OwnNetwork } from "./own_network.ts";

/** The operations that may change items. */
export const WRITES = /^(PutItem|UpdateItem|DeleteItem|BatchWriteItem|TransactWriteItems)$/;

/** The shortest time from one start of the engine to the next, in milliseconds. */
const SHORTEST = 1_000;

/** The options of {@linkcode LastingEngine}. */
interface LastingOptions {
  /** The file that keeps the items. Without a file, the items are in memory. */
  readonly file: string | undefined;
  readonly program: string;
  /** The network of the engine; by default the best that this machine has. */
  readonly network?: OwnNetwork;
  /** Makes or changes the tables after each start. */
  readonly prepare: (engine: Engine) => Promise<void>;
  /** Takes a line for the log. */
  readonly note: (text: string) => void;
}

/** An engine that is started again if its process ends. Calls wait meanwhile. */
export class LastingEngine extends EngineClient implements AsyncDisposable {
  #current: Promise<Engine>;
  #isDisposed = false;
  /** How often the engine was started again. */
  restarts = 0;

  private constructor(private readonly options: LastingOptions, engine: Engine) {
    super();
    this.#current = Promise.resolve(engine);
    this.#watch(engine);
  }

  /** Starts the engine, and makes the tables. */
  static async start(options: LastingOptions): Promise<LastingEngine> {
    return new LastingEngine(options, await startOnce(options));
  }

  /** Whether the items are kept if the engine ends. */
  get keepsItems(): boolean {
    return this.options.file !== undefined;
  }

  /** Sends a request as {@linkcode Engine.send} does. If the engine ends meanwhile, a read is sent again. */
  override async send(operation: string, body: string): ReturnType<Engine["send"]> {
    const engine = await this.#current;
    try {
      return await engine.send(operation, body);
    } catch (error) {
      if (!await engine.isGone()) throw error;
      if (!WRITES.test(operation) && !this.#isDisposed) return await this.send(operation, body);
      const message = "The engine of the tables has ended; the write may be done or not";
      throw new ServiceError("InternalServerError", message, undefined, 500);
    }
  }

  #watch(engine: Engine): void {
    const start = Date.now();
    void engine.ended.then((reason) => {
      if (this.#isDisposed) return;
      const { file, note } = this.options;
      note(
        `ERROR The engine of the tables has ended (${reason}): it is started again` +
          (file === undefined ? ", without the items, which were in memory" : ""),
      );
      this.#current = this.#restart(start + SHORTEST);
      this.#current.catch((error) => note(`ERROR ${error.message}`)); // The callers get it too.
    });
  }

  async #restart(earliest: number): Promise<Engine> {
    await pause(Math.max(0, earliest - Date.now()));
    const engine = await startOnce(this.options);
    this.restarts++;
    this.#watch(engine);
    if (this.#isDisposed) await engine[Symbol.asyncDispose]();
    return engine;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    const engine = await this.#current.catch(() => undefined); // The log has the reason.
    await engine?.[Symbol.asyncDispose]();
  }
}

async function startOnce({ file, program, network, prepare }: LastingOptions): Promise<Engine> {
  await using stack = new AsyncDisposableStack();
  const engine = stack.use(await Engine.start(file, program, network));
  await prepare(engine);
  stack.move();
  return engine;
}
