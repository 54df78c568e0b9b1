import type { Manifest } from "../manifest/manifest.ts";

/** What runs functions: the local platform's triggers and its Invoke API know no more of it than this. */
export interface FunctionHost {
  /**
   * Invokes a function and waits for its end.
   *
   * Never rejects because of the function: one that throws, hangs, exits or answers nonsense has an outcome.
   *
   * @param name The function, as in the manifest.
   * @param payload The event: JSON, as bytes.
   * @param options What the caller passes along.
   * @returns How the invocation ended.
   */
  invoke(name: string, payload: Uint8Array, options?: InvokeOptions): Promise<InvokeOutcome>;

  /** Ends what runs; what is under way is given up. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A host that can load the functions anew. */
export interface ReloadingHost extends FunctionHost {
  /**
   * Makes the functions new: invocations from now on run what is on disk.
   *
   * @param manifest The application, if it has changed.
   * @returns The names of the functions that are other than they were.
   */
  reload(manifest?: Manifest): Promise<readonly string[]>;
}

/** What the caller of a function passes along. */
export interface InvokeOptions {
  /** The client context, as JSON text. */
  readonly clientContext?: string | undefined;
  /** The tenant. */
  readonly tenantId?: string | undefined;
  /** The identifier of the invocation; a random UUID without. A retry of an asynchronous one keeps it. */
  readonly requestId?: string | undefined;
  /** The X-Ray trace header. */
  readonly traceId?: string | undefined;
}

/** How an invocation ended. */
export interface InvokeOutcome {
  /** The identifier of the invocation. */
  readonly requestId: string;
  /** What the function answered, JSON as bytes; on failure an object `{ errorType, errorMessage, … }`. */
  readonly payload: Uint8Array;
  /** What went wrong, or `undefined`: the function answered. */
  readonly failure?: "error" | "timeout" | "exit" | "too large" | undefined;
  /** The last 4 KiB of what the invocation logged, the platform's own lines included. */
  readonly logTail: string;
}

/** One record of a function's log, or one line of the platform's own. */
export interface LogRecord {
  /** When it was written. */
  readonly time: Date;
  /** The function that wrote it. */
  readonly functionName: string;
  /** The text, without the line end. */
  readonly text: string;
}
