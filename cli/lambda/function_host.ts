import type { Application } from "../application/types.ts";
import type { Stopwatch } from "./stopwatch.ts";

/** An event as bytes of JSON, or a function that makes the event. */
export type Payload = Uint8Array | (() => Uint8Array);

/** Runs functions. The triggers and the Invoke API of the local platform use only this interface. */
export interface FunctionHost extends AsyncDisposable {
  /**
   * Invokes a function and waits for its end.
   *
   * If the function throws, hangs, exits or returns nonsense, the outcome says so. The promise rejects only if the
   * invocation cannot begin.
   *
   * @param name The name of the function in the manifest.
   * @param payload The event: JSON, as bytes. A function makes the event when a sandbox is free. If that function throws,
   * nothing is invoked, and the promise rejects with its error.
   * @param options Further facts of the invocation.
   * @returns The outcome of the invocation.
   */
  invoke(name: string, payload: Payload, options?: InvokeOptions): Promise<InvokeOutcome>;

  /** Where debuggers attach, and what the developer does to attach one, if the host inspects a function. */
  readonly inspector?: { readonly url: string; readonly line: string } | undefined;

  /**
   * Whether functions have process namespaces of their own, so that the system tells them from other programs. The default is
   * no.
   */
  readonly isConfined?: boolean | undefined;

  /**
   * Returns the time that counts for the limits of a function: that of the gateway, too.
   *
   * @param name The name of the function in the manifest.
   */
  readonly timeOf?: ((name: string) => Stopwatch) | undefined;
}

/** A host that can load the functions of an application again. */
export interface ApplicationHost extends FunctionHost {
  /** The folders outside of the manifest's folder from which functions import files that a reload reads again. */
  readonly foldersElsewhere?: ReadonlySet<string>;

  /**
   * Loads the functions again.
   *
   * @param application The application. The default is the application in use.
   * @param onReady Is called and awaited before the new functions replace the old ones, which answer until then.
   * @returns The names of the functions that have changed.
   */
  reload(application?: Application, onReady?: () => Promise<void>): Promise<readonly string[]>;
}

/** The facts of an invocation besides its event. */
export interface InvokeOptions {
  /** The client context, as JSON text. */
  readonly clientContext?: string | undefined;
  /** The tenant. */
  readonly tenantId?: string | undefined;
  /** The identifier of the invocation. The default is a random UUID. Retries of an invocation have the same identifier. */
  readonly requestId?: string | undefined;
  /** The X-Ray trace header. A host reads it after it has made the event. */
  readonly traceId?: string | undefined;
  /** What a trace says about the invocation. A host need not read it. */
  readonly facts?: InvocationFacts | undefined;
  /** Is called when a sandbox begins to run the invocation, with the `AWS_SESSION_TOKEN` of the sandbox. */
  readonly onSandbox?: ((sessionToken: string) => void) | undefined;
  /**
   * Opens a stream for the result, if the function streams. The argument is the media type of the result. The result is
   * then not in the outcome. Without this option, the outcome has the whole result.
   */
  readonly stream?: ((contentType: string) => WritableStream<Uint8Array>) | undefined;
}

/** What the caller of a function knows about an invocation. */
export interface InvocationFacts {
  /** What invokes the function: a kind such as `queue`, and a name such as `jobs`. */
  readonly trigger: { readonly type: TriggerType; readonly name: string };
  /** Which attempt this is, and which one is the last. */
  readonly attempt?: { readonly number: number; readonly last: number } | undefined;
  /** The trace headers of further causes. */
  readonly causes?: readonly string[] | undefined;
  /** The identifiers of the records of a batch. */
  readonly records?: readonly string[] | undefined;
  /** Says what becomes of what was not done. The outcome is `undefined` if the invocation could not begin. */
  readonly rest?: ((outcome: InvokeOutcome | undefined) => Rest) | undefined;
}

/** What invokes functions. */
export type TriggerType =
  | "route"
  | "url"
  | "authorizer"
  | "schedule"
  | "events"
  | "bucket"
  | "topic"
  | "queue"
  | "table"
  | "invoke";

/** How many events or records come again, go to the dead letters, or are given up. */
export type Rest = Partial<Record<"retried" | "deadLetters" | "dropped", number>>;

/** The outcome of an invocation. */
export interface InvokeOutcome {
  /** The identifier of the invocation. */
  readonly requestId: string;
  /** The result of the function: JSON, as bytes. After a failure, it is an object `{ errorType, errorMessage, … }`. */
  readonly payload: Uint8Array;
  /** The kind of the failure, or `undefined` if the function returned a result. */
  readonly failure?: "error" | "timeout" | "exit" | "too large" | undefined;
  /** Whether the function streamed the result. */
  readonly isStream?: boolean | undefined;
  /** Present if the function contains this library's module for gateways. */
  readonly hasLibrary?: true | undefined;
  /** The last 4 KiB of the log of the invocation, with the lines of the platform. */
  readonly logTail: string;
  /** The duration in milliseconds, without the init phase. */
  readonly duration?: number | undefined;
  /** The duration of the init phase in milliseconds, if the invocation has waited for one. */
  readonly initDuration?: number | undefined;
  /** The largest use of memory, in bytes. */
  readonly peakMemory?: number | undefined;
}

/** A record of the log of a function, or a line of the platform. */
export interface LogRecord {
  /** The time of the record. */
  readonly time: Date;
  /** The name of the function, or an empty text for a line of the platform. */
  readonly functionName: string;
  /** The text, without the line end. */
  readonly text: string;
  /** The identifier of the invocation that has written it. */
  readonly requestId?: string | undefined;
}
