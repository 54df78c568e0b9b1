/** What a runtime posted for an invocation. */
export type Answer =
  | {
    /** The handler's result. */
    readonly kind: "response";
    /** The result, as posted. */
    readonly body: Uint8Array;
    /** Its media type; `application/vnd.awslambda.http-integration-response` for a stream with an HTTP prelude. */
    readonly contentType: string;
    /** Whether it was streamed. */
    readonly isStream: boolean;
  }
  | {
    /** An error: the handler's, or the platform's about what the handler answered. */
    readonly kind: "error" | "too large";
    /** The type of the error, in the form `Function.X` or `Runtime.X`. */
    readonly errorType: string;
    /** The error as JSON. */
    readonly body: Uint8Array;
  };

/** The largest result: 6 MiB and 100 bytes. */
export const MAX_RESPONSE = 6 * 1024 * 1024 + 100;

/** The largest result that is streamed: 200 MiB. */
export const MAX_STREAM = 200 * 1024 * 1024;

/**
 * The error of the platform in the form of the runtimes'.
 *
 * @param errorType The type, such as `Runtime.ExitError`.
 * @param errorMessage The message.
 * @returns The error as JSON.
 */
export function errorBody(errorType: string, errorMessage: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify({ errorType, errorMessage }));
}

/** The answer to a result that is too large. */
export function tooLarge(size: number): Answer {
  const errorType = "Function.ResponseSizeTooLarge";
  const message =
    `Response payload size (${size} bytes) exceeded maximum allowed payload size (${MAX_RESPONSE} bytes).`;
  return { kind: "too large", errorType, body: errorBody(errorType, message) };
}

/**
 * The answer that an error post makes.
 *
 * @param type The header `Lambda-Runtime-Function-Error-Type`; in another form than `Function.X` or `Runtime.X` it is
 * recorded as `Runtime.Unknown`, or `Function.Unknown` where that is its beginning.
 * @param body The body; without one the type makes the error.
 * @returns The answer.
 */
export function postedError(type: string | undefined, body: Uint8Array): Answer {
  const errorType = errorTypeOf(type);
  if (body.length > 0) return { kind: "error", errorType, body };
  return { kind: "error", errorType, body: errorBody(errorType, "") };
}

function errorTypeOf(header: string | undefined): string {
  if (header !== undefined && /^(Runtime|Function)\.[A-Z][a-zA-Z]+$/.test(header)) return header;
  return header?.startsWith("Function.") ? "Function.Unknown" : "Runtime.Unknown";
}
