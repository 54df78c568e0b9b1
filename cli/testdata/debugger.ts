import { SourceMap } from "node:module";
import { within } from "../../testdata/waiting.ts";

/** A message of the inspector. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

/** A script, with the parts that the tests read. */
interface Script {
  readonly url: string;
  readonly sourceMapURL: string;
}

/** A client of the protocol of Chrome DevTools, as a debugger is. */
export class Debugger implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly #messages: Message[] = [];
  #news = Promise.withResolvers<void>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      this.#messages.push(JSON.parse(data));
      this.#news.resolve();
      this.#news = Promise.withResolvers();
    };
  }

  /** Attaches to an address. Rejects if the address refuses. */
  static async attach(url: string): Promise<Debugger> {
    const socket = new WebSocket(url);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error("The inspector has refused the debugger"));
    await within("the inspector", promise);
    return new Debugger(socket);
  }

  /** Resolves when the inspector has closed the connection. */
  get closed(): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    if (this.#socket.readyState === WebSocket.CLOSED) resolve(undefined);
    this.#socket.addEventListener("close", resolve);
    return within("the end of the connection", promise);
  }

  async send(method: string, params: Record<string, unknown> = {}): Promise<Message["result"]> {
    const id = ++this.#last;
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await this.next(method, (message) => message.id === id);
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result;
  }

  /** Takes the next message with a property. */
  async next(name: string, isWanted: (message: Message) => boolean): Promise<Message> {
    const find = async () => {
      for (;;) {
        const index = this.#messages.findIndex(isWanted);
        if (index >= 0) return this.#messages.splice(index, 1)[0]!;
        await this.#news.promise;
      }
    };
    return await within(name, find());
  }

  /** Waits for a pause. Returns the values of the named variables there. */
  async paused(...names: string[]): Promise<unknown[]> {
    const { params } = await this.next("a pause", isPause);
    const [{ callFrameId }] = params!.callFrames as [{ callFrameId: string }];
    return await Promise.all(names.map(async (expression) => {
      const values = { callFrameId, expression, returnByValue: true };
      const { result } = await this.send("Debugger.evaluateOnCallFrame", values) as {
        result: { value: unknown };
      };
      return result.value;
    }));
  }

  /**
   * Sets a breakpoint at the line of a source, as a debugger does: where the source map says.
   *
   * @param isNew Whether the process waits for the debugger. Then the module runs after that.
   */
  async breakAt(source: string, line: number, isNew = true): Promise<void> {
    await this.send("Debugger.enable");
    // The process waits here, before the module runs.
    const stop = await this.send("Debugger.setInstrumentationBreakpoint", {
      instrumentation: "beforeScriptWithSourceMapExecution",
    });
    await this.send("Runtime.enable");
    await this.send("Runtime.runIfWaitingForDebugger");
    const { params } = await this.next(
      "the module of the function",
      ({ method, params }) =>
        method === "Debugger.scriptParsed" && (params as unknown as Script).sourceMapURL !== "",
    );
    const { url, sourceMapURL } = params as unknown as Script;
    const map = await (await fetch(sourceMapURL)).json();
    const [lineNumber, columnNumber] = positionOf(map, source, line);
    await this.send("Debugger.setBreakpointByUrl", { url, lineNumber, columnNumber });
    if (isNew) await this.paused();
    await this.send("Debugger.removeBreakpoint", stop);
    if (isNew) return void await this.send("Debugger.resume");
    // A process that does not wait may have stopped before the module, and may have gone on by itself.
    const pause = this.#messages.findIndex(isPause);
    if (pause < 0) return;
    this.#messages.splice(pause, 1);
    await this.send("Debugger.resume").catch((error: Error) => {
      if (!error.message.includes("Can only perform operation while paused")) throw error;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await this.closed;
  }
}

const isPause = ({ method }: Message) => method === "Debugger.paused";

/** Finds the first position of a line in the generated code. Lines begin with 1 in the source, and with 0 in the result. */
function positionOf(
  payload: ConstructorParameters<typeof SourceMap>[0],
  source: string,
  wanted: number,
): [line: number, column: number] {
  const map = new SourceMap(payload);
  const lines = payload.mappings.split(";").length;
  for (let line = 0; line < lines; line++) {
    for (let column = 0; column < 200; column++) {
      const entry = map.findEntry(line, column);
      if (!("originalLine" in entry) || entry.generatedLine !== line) continue;
      if (entry.originalSource === source && entry.originalLine === wanted - 1) {
        return [line, entry.generatedColumn];
      }
    }
  }
  throw new Error(`The source map has no line ${wanted} of "${source}": ${payload.sources}`);
}
