import type { Manifest } from "../manifest/manifest.ts";

/** Runs functions. The triggers and the Invoke API of the local platform use nothing else of it. */
export interface FunctionHost extends AsyncDisposable {
  /**
   * Invokes a function and waits for its end.
   *
   * A function that throws, hangs, exits or returns nonsense has an outcome: the promise does not reject because of it.
   *
   * @param name The function, as in the manifest.
   * @param payload The event: JSON, as bytes.
   * @param options Further facts of the invocation.
   * @returns How the invocation ended.
   */
  invoke(name: string, payload: Uint8Array, options?: InvokeOptions): Promise<InvokeOutcome>;
}

/** A host that can load the functions anew. */
export interface ReloadingHost extends FunctionHost {
  /**
   * Loads the functions anew: later invocations run the files as they are now.
   *
   * @param manifest The application, if it has changed.
   * @returns The names of the functions that have changed.
   */
  reload(manifest?: Manifest): Promise<readonly string[]>;
}

/** The facts of an invocation besides its event. */
export interface InvokeOptions {
  /** The client context, as JSON text. */
  readonly clientContext?: string | undefined;
  /** The tenant. */
  readonly tenantId?: string | undefined;
  /** The identifier of the invocation. The default is a random UUID. A retry of an asynchronous invocation keeps it. */
  readonly requestId?: string | undefined;
  /** The X-Ray trace header. */
  readonly traceId?: string | undefined;
  /**
   * Is called if the function streams its result, with the media type of it. The result is written to the stream as it
   * comes, and is not in the outcome. Without this option a streamed result is collected.
   */
  readonly stream?: ((contentType: string) => WritableStream<Uint8Array>) | undefined;
}

/** How an invocation ended. */
export interface InvokeOutcome {
  /** The identifier of the invocation. */
  readonly requestId: string;
  /** The result of the function, JSON as bytes; after a failure an object `{ errorType, errorMessage, … }`. */
  readonly payload: Uint8Array;
  /** What went wrong; `undefined` if the function returned a result. */
  readonly failure?: "error" | "timeout" | "exit" | "too large" | undefined;
  /** Whether the function streamed its result, which is collected in the payload. */
  readonly isStream?: boolean | undefined;
  /** The last 4 KiB of the log of the invocation, with the lines of the platform. */
  readonly logTail: string;
}

/** One record of a function's log, or one line of the platform's own. */
export interface LogRecord {
  /** When it was written. */
  readonly time: Date;
  /** The function that wrote it; empty for a line of the platform's own. */
  readonly functionName: string;
  /** The text, without the line end. */
  readonly text: string;
}
