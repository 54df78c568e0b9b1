/**
 * An error of the Invoke API.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors
 */
export class InvokeError extends Error {
  static {
    this.prototype.name = "InvokeError";
  }

  /** The status code. */
  readonly status: number;
  /** The name of the exception, as clients know it. */
  readonly type: string;

  /**
   * Makes the error.
   *
   * @param status The status code.
   * @param type The name of the exception.
   * @param message What is wrong, for the caller.
   */
  constructor(status: number, type: string, message: string) {
    super(message);
    this.status = status;
    this.type = type;
  }

  /** The body of the response; clients look for the message under either spelling. */
  toJSON(): Record<string, string> {
    const key = this.type === "ResourceNotFoundException" ? "Message" : "message";
    return { Type: "User", [key]: this.message };
  }
}
