import type { Host, Socket } from "./host.ts";

/** What is used of Deno here; so the module needs no types that other hosts lack. */
interface DenoLike {
  connect(options: { hostname: string; port: number }): Promise<DenoConnection>;
  env: {
    get(name: string): string | undefined;
    set(name: string, value: string): void;
    delete(name: string): void;
  };
  statSync(path: string): { isFile: boolean };
  exit(code: number): never;
  addSignalListener(signal: "SIGTERM", listener: () => void): void;
  errors: { NotFound: abstract new () => Error; NotADirectory: abstract new () => Error };
}

interface DenoConnection extends Socket {
  setNoDelay(on: boolean): void;
}

/** The host on Deno; `undefined` elsewhere. */
export function denoHost(): Host | undefined {
  const deno = (globalThis as { Deno?: DenoLike }).Deno;
  if (deno === undefined) return undefined;
  return {
    async connect(hostname, port) {
      const connection = await deno.connect({ hostname, port });
      connection.setNoDelay(true); // a chunk of a stream leaves at once
      return connection;
    },
    getEnv: (name) => deno.env.get(name),
    setEnv: (name, value) =>
      value === undefined ? deno.env.delete(name) : deno.env.set(name, value),
    isFile(path) {
      try {
        return deno.statSync(path).isFile; // at a start a thread for it would cost milliseconds
      } catch (error) {
        const { NotFound, NotADirectory } = deno.errors;
        if (error instanceof NotFound || error instanceof NotADirectory) return false;
        throw error;
      }
    },
    exit: (code) => deno.exit(code),
    onUncaught(listener) {
      addEventListener("unhandledrejection", (event) => {
        event.preventDefault(); // it would end the process before the error is posted
        listener(event.reason);
      });
      addEventListener("error", (event) => {
        event.preventDefault();
        listener(event.error);
      });
    },
    onDrained(listener) {
      addEventListener("beforeunload", (event) => {
        event.preventDefault(); // it would end the process before the error is posted
        listener();
      });
    },
    onTerminate: (listener) => deno.addSignalListener("SIGTERM", listener),
  };
}
