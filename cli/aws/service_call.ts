/** One thing that a request does. */
export interface Access {
  /** The action as IAM names it, such as `s3:GetObject`. */
  readonly action: string;
  /** The ARN of the resource. */
  readonly resource: string;
  /** The values of condition keys that only this service has, such as `events:source`. */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
}

/** A request to a service, parsed once: what is checked is what runs. */
export interface ServiceCall {
  /** Everything that the request needs. A function may do it only if its manifest grants all of it. */
  readonly accesses: readonly Access[];
  /** Does what the request asks for, and answers. */
  run(): Response | Promise<Response>;
}

/** An error that a service sends to its client. */
export class ServiceError extends Error {
  /**
   * @param code The code of the error as clients have always known it, such as `MissingParameter`.
   * @param type The name of the error in the AWS SDKs. It is the same in most cases.
   * @param status The status of the response. If it is 500 or more, the fault is not the client's.
   */
  constructor(
    readonly code: string,
    message: string,
    readonly type: string = code,
    readonly status: number = 400,
  ) {
    super(message);
  }
}

/** Makes the error for an operation, a parameter or a value that this machine does not emulate. */
export function notEmulated(name: string): ServiceError {
  const message = `${name} is not emulated locally`;
  return new ServiceError("NotImplemented", message, undefined, 501);
}
