import type { Host, Socket } from "./host.ts";

/** What is used of Node.js and Bun here. */
interface ProcessLike {
  env: Record<string, string | undefined>;
  exit(code: number): never;
  on(event: string, listener: (value: unknown) => void): unknown;
}

/** What is used of `node:net` here. */
interface NodeSocket {
  on(event: "readable" | "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  once(event: "connect", listener: () => void): unknown;
  read(): Uint8Array | null;
  write(bytes: Uint8Array, callback: (error?: Error | null) => void): boolean;
  setNoDelay(on: boolean): unknown;
  ref(): unknown;
  unref(): unknown;
  destroy(): unknown;
}

/** The host on Node.js and what is like it. */
export function nodeHost(): Host {
  const { process } = globalThis as unknown as { process: ProcessLike };
  return {
    connect,
    getEnv: (name) => process.env[name],
    setEnv(name, value) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    },
    async isFile(path) {
      const { statSync } = await import("node:fs");
      return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
    },
    exit: (code) => process.exit(code),
    onUncaught(listener) {
      process.on("uncaughtException", listener);
      process.on("unhandledRejection", listener);
    },
    onDrained: (listener) => void process.on("beforeExit", () => listener()),
    onTerminate: (listener) => void process.on("SIGTERM", () => listener()),
  };
}

async function connect(host: string, port: number): Promise<Socket> {
  const net = await import("node:net");
  const socket = net.connect({ host, port }) as unknown as NodeSocket;
  return await new Promise((resolve, reject) => {
    socket.on("error", reject); // later errors reject what is pending, in NodeConnection
    socket.once("connect", () => resolve(new NodeConnection(socket)));
  });
}

/** A socket of `node:net` with the reading and writing of {@linkcode Socket}. */
class NodeConnection implements Socket {
  #socket: NodeSocket;
  #rest: Uint8Array | undefined; // what came unasked, or a read had no room for
  #wake: (() => void) | undefined; // ends the pending read's wait
  #error: Error | undefined;
  #ended = false;
  #keepsAlive = true;

  constructor(socket: NodeSocket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.unref(); // an idle connection keeps no process alive; a pending read does
    socket.on("readable", () => {
      this.#rest ??= socket.read() ?? undefined; // the end only shows to who reads
      this.#wake?.();
    });
    socket.on("error", (error) => {
      this.#error = error;
      this.#wake?.();
    });
    for (const event of ["end", "close"] as const) {
      socket.on(event, () => {
        this.#ended = true;
        this.#wake?.();
      });
    }
  }

  async read(buffer: Uint8Array): Promise<number | null> {
    for (;;) {
      const bytes = this.#rest ?? this.#socket.read();
      if (bytes !== null) {
        const part = bytes.subarray(0, buffer.length);
        buffer.set(part);
        this.#rest = part.length < bytes.length ? bytes.subarray(part.length) : undefined;
        return part.length;
      }
      if (this.#error) throw this.#error;
      if (this.#ended) return null;
      if (this.#keepsAlive) this.#socket.ref();
      await new Promise<void>((resolve) => this.#wake = resolve);
      this.#wake = undefined;
      this.#socket.unref();
    }
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
    if (this.#wake) this.#socket.ref();
  }

  unref(): void {
    this.#keepsAlive = false;
    this.#socket.unref();
  }
}
