/**
 * The second argument of a handler: the facts that AWS Lambda tells about the invocation. It has the shape of the
 * managed Node.js runtime.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-context.html
 */
export interface FnContext {
  /** The identifier of the invocation. All retries of an asynchronous invocation have the same identifier. */
  readonly awsRequestId: string;
  /** The name of the function. */
  readonly functionName: string;
  /** The version of the function, such as `$LATEST` or `7`. */
  readonly functionVersion: string;
  /** The ARN that the caller used. It tells whether the caller named a version or an alias. */
  readonly invokedFunctionArn: string;
  /** The memory of the function in MiB, as a decimal string. */
  readonly memoryLimitInMB: string;
  /** The log group of the function. */
  readonly logGroupName: string;
  /** The log stream of this instance of the function. */
  readonly logStreamName: string;
  /** Returns the number of milliseconds that are left before AWS Lambda ends the invocation. */
  getRemainingTimeInMillis(): number;
  /** The Amazon Cognito identity of the mobile application that made the call. */
  readonly identity?: FnIdentity | undefined;
  /** The data that a mobile application, or another caller of the Invoke API, passed about itself. */
  readonly clientContext?: FnClientContext | undefined;
  /** The tenant, if the function isolates its tenants. */
  readonly tenantId?: string | undefined;
}

/** The Amazon Cognito identity of a mobile application. */
export interface FnIdentity {
  /** The identity. */
  readonly cognitoIdentityId: string;
  /** The identity pool that authorized the call. */
  readonly cognitoIdentityPoolId: string;
}

/** The data that a caller passed about itself. AWS Lambda does not check this data. */
export interface FnClientContext {
  /** The application: its title, version and the like. */
  readonly client?: unknown;
  /** The data that the application added. */
  readonly custom?: unknown;
  /** The device: its platform, model and the like. */
  readonly env?: unknown;
}

/**
 * A function as AWS Lambda calls it, with an event and a context. It returns a value or a promise.
 *
 * @typeParam Event The event of the trigger. Wrap it in the class for this kind of event.
 * @typeParam Result The value that the trigger expects.
 */
export type FnHandler<Event = unknown, Result = unknown> = (
  event: Event,
  context: FnContext,
) => Result | Promise<Result>;
