/**
 * The second argument of a handler: what the platform says about the invocation under way, in the shape of
 * the managed Node.js runtime.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-context.html
 */
export interface FnContext {
  /** The identifier of the invocation; the same in every retry of an asynchronous one. */
  readonly awsRequestId: string;
  /** The name of the function. */
  readonly functionName: string;
  /** The version of the function, such as `$LATEST` or `7`. */
  readonly functionVersion: string;
  /** The ARN the caller used; it tells whether that was a version or an alias. */
  readonly invokedFunctionArn: string;
  /** The memory allotted to the function, in MiB, as a decimal string. */
  readonly memoryLimitInMB: string;
  /** The log group of the function. */
  readonly logGroupName: string;
  /** The log stream of this instance of the function. */
  readonly logStreamName: string;
  /** How many milliseconds are left before the platform times the invocation out. */
  getRemainingTimeInMillis(): number;
  /** The Cognito identity of a mobile application that made the call. */
  readonly identity?: FnIdentity | undefined;
  /** What a mobile application, or another caller of the Invoke API, passed about itself. */
  readonly clientContext?: FnClientContext | undefined;
  /** The tenant, where the function isolates its tenants. */
  readonly tenantId?: string | undefined;
}

/** The Cognito identity of a mobile application. */
export interface FnIdentity {
  /** The identity. */
  readonly cognitoIdentityId: string;
  /** The identity pool that authorized the call. */
  readonly cognitoIdentityPoolId: string;
}

/** What a caller passed about itself; the platform checks nothing of it. */
export interface FnClientContext {
  /** The application: its title, version and the like. */
  readonly client?: unknown;
  /** What the application added. */
  readonly custom?: unknown;
  /** The device: its platform, model and the like. */
  readonly env?: unknown;
}

/**
 * A function as the platform calls it: with an event and a context, for a value or a promise of one.
 *
 * @typeParam Event What the trigger sends; wrap it in the accessor class of its kind.
 * @typeParam Result What the trigger takes back.
 */
export type FnHandler<Event = unknown, Result = unknown> = (
  event: Event,
  context: FnContext,
) => Result | Promise<Result>;
