/** A TCP connection, with the methods that Deno's connections have. */
export interface Socket {
  /** Reads bytes into the buffer. Resolves to their number, or to `null` at the end. */
  read(buffer: Uint8Array): Promise<number | null>;
  /** Writes bytes. Resolves to the number of bytes that were taken. */
  write(bytes: Uint8Array): Promise<number>;
  /** Closes both directions. Pending reads and writes fail. */
  close(): void;
  /** Makes a pending read keep the process alive, which is the default. */
  ref(): void;
  /** Lets the process end although a read is pending. */
  unref(): void;
}

/** The parts of Deno or Node.js that the runtime needs. */
export interface Host {
  /** Opens a TCP connection. */
  connect(hostname: string, port: number): Promise<Socket>;
  /** Reads an environment variable. */
  getEnv(name: string): string | undefined;
  /** Sets an environment variable, or deletes it. */
  setEnv(name: string, value: string | undefined): void;
  /** Tells whether the path is a file. */
  isFile(path: string): boolean;
  /** Reads a text file at once. Returns `undefined` if the file cannot be read. */
  readText(path: string): string | undefined;
  /** Ends the process. */
  exit(code: number): void;
  /** Calls the listener for each uncaught error and each unhandled rejection. */
  onUncaught(listener: (error: unknown) => void): void;
  /** Calls the listener when the process has nothing left to wait for. Work that the listener starts still runs. */
  onDrained(listener: () => void): void;
  /** Calls the listener for each SIGTERM, which then no longer ends the process. */
  onTerminate(listener: () => void): void;
}

/** The part of `Deno` that is used. It is declared here so that the module needs no types of Deno. */
interface DenoLike {
  connect(
    options: { hostname: string; port: number },
  ): Promise<Socket & { setNoDelay(on: boolean): void }>;
  env: {
    get(name: string): string | undefined;
    set(name: string, value: string): void;
    delete(name: string): void;
  };
  statSync(path: string): { isFile: boolean };
  readTextFileSync(path: string): string;
  exit(code: number): never;
  addSignalListener(signal: "SIGTERM", listener: () => void): void;
}

/** The part of `process` that is used. */
interface ProcessLike {
  env: Record<string, string | undefined>;
  exit(code: number): never;
  on(event: string, listener: (value: unknown) => void): unknown;
  getBuiltinModule(name: "node:fs"): {
    statSync(path: string): { isFile(): boolean };
    readFileSync(path: string, encoding: "utf8"): string;
  };
}

/** The part of a socket of `node:net` that is used. */
interface NodeSocket extends AsyncIterable<Uint8Array> {
  on(event: "error", listener: (error: Error) => void): unknown;
  once(event: "connect", listener: () => void): unknown;
  write(bytes: Uint8Array, callback: (error?: Error | null) => void): boolean;
  setNoDelay(on: boolean): unknown;
  ref(): unknown;
  unref(): unknown;
  destroy(): unknown;
}

/** Returns the host of this process: Deno, or else Node.js or Bun. */
export function currentHost(): Host {
  const { Deno: deno } = globalThis as { Deno?: DenoLike };
  return deno ? denoHost(deno) : nodeHost();
}

function denoHost(deno: DenoLike): Host {
  return {
    async connect(hostname, port) {
      const connection = await deno.connect({ hostname, port });
      connection.setNoDelay(true); // each chunk of a stream leaves at once
      return connection;
    },
    getEnv: (name) => deno.env.get(name),
    setEnv: (name, value) =>
      value === undefined ? deno.env.delete(name) : deno.env.set(name, value),
    // An asynchronous call would cost milliseconds at a cold start.
    isFile: (path) => isFile(() => deno.statSync(path).isFile),
    readText: (path) => attempt(() => deno.readTextFileSync(path)),
    exit: (code) => deno.exit(code),
    onUncaught(listener) {
      addEventListener("unhandledrejection", (event) => {
        event.preventDefault(); // otherwise the process ends before the error is reported
        listener(event.reason);
      });
      addEventListener("error", (event) => {
        event.preventDefault();
        listener(event.error);
      });
    },
    onDrained(listener) {
      addEventListener("beforeunload", (event) => {
        event.preventDefault();
        listener();
      });
    },
    onTerminate: (listener) => deno.addSignalListener("SIGTERM", listener),
  };
}

/** Makes the host of Node.js and Bun. */
export function nodeHost(): Host {
  const { process } = globalThis as unknown as { process: ProcessLike };
  const fs = () => process.getBuiltinModule("node:fs");
  return {
    async connect(host, port) {
      const net = await import("node:net");
      const socket = net.connect({ host, port }) as unknown as NodeSocket;
      return await new Promise((resolve, reject) => {
        socket.on("error", reject); // the pending read reports later errors
        socket.once("connect", () => resolve(new NodeConnection(socket)));
      });
    },
    getEnv: (name) => process.env[name],
    setEnv(name, value) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    },
    isFile: (path) => isFile(() => fs().statSync(path).isFile()),
    readText: (path) => attempt(() => fs().readFileSync(path, "utf8")),
    exit: (code) => process.exit(code),
    onUncaught(listener) {
      process.on("uncaughtException", listener);
      process.on("unhandledRejection", listener);
    },
    onDrained: (listener) => void process.on("beforeExit", () => listener()),
    onTerminate: (listener) => void process.on("SIGTERM", () => listener()),
  };
}

function attempt<T>(fn: () => T): T | undefined {
  try {
    return fn();
  } catch {
    return undefined;
  }
}

/** Tells whether a path is a file. Throws what the system says about the path, except that nothing is there. */
function isFile(look: () => boolean): boolean {
  try {
    return look();
  } catch (error) {
    const { code = "ENOENT" } = error as { code?: string }; // Deno without a permission to read gives no code
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}

/** Gives a socket of `node:net` the methods of {@linkcode Socket}. */
class NodeConnection implements Socket {
  #socket: NodeSocket;
  #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0); // the end of a chunk that was longer than the buffer
  #isReading = false;
  #keepsAlive = true;

  constructor(socket: NodeSocket) {
    this.#socket = socket;
    this.#chunks = socket[Symbol.asyncIterator]();
    socket.setNoDelay(true);
    socket.unref(); // only a pending read keeps the process alive
  }

  async read(buffer: Uint8Array): Promise<number | null> {
    if (this.#rest.length === 0) {
      this.#isReading = true;
      if (this.#keepsAlive) this.#socket.ref();
      const { done, value } = await this.#chunks.next();
      this.#isReading = false;
      this.#socket.unref();
      if (done) return null;
      this.#rest = value;
    }
    const part = this.#rest.subarray(0, buffer.length);
    buffer.set(part);
    this.#rest = this.#rest.subarray(part.length);
    return part.length;
  }

  write(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (error) => error ? reject(error) : resolve(bytes.length));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  ref(): void {
    this.#keepsAlive = true;
    if (this.#isReading) this.#socket.ref();
  }

  unref(): void {
    this.#keepsAlive = false;
    this.#socket.unref();
  }
}
