/** A TCP connection, as much of it as the client uses: the shape of Deno's. */
export interface Socket {
  /** Reads into the buffer; how many bytes, or `null` at the end. */
  read(buffer: Uint8Array): Promise<number | null>;
  /** Writes; how many bytes of the buffer it took. */
  write(bytes: Uint8Array): Promise<number>;
  /** Closes both ways; what is pending fails. */
  close(): void;
  /** Lets a pending read keep the process alive, which is the rule. */
  ref(): void;
  /** Lets the process end although a read is pending. */
  unref(): void;
}

/** What differs between the programs that can run the loop. */
export interface Host {
  /** Opens a TCP connection. */
  connect(hostname: string, port: number): Promise<Socket>;
  /** An environment variable. */
  getEnv(name: string): string | undefined;
  /** Sets an environment variable, or deletes it. */
  setEnv(name: string, value: string | undefined): void;
  /** Whether there is a file of that path. */
  isFile(path: string): boolean | Promise<boolean>;
  /** Ends the process. */
  exit(code: number): void;
  /** Calls back for each error that nobody caught and each rejection that nobody handled. */
  onUncaught(listener: (error: unknown) => void): void;
  /** Calls back when nothing is left that could ever happen; what the listener starts still runs. */
  onDrained(listener: () => void): void;
  /** Calls back for SIGTERM, which then no longer ends the process. */
  onTerminate(listener: () => void): void;
}
