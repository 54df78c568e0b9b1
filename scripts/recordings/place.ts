import type { Application, Setup } from "./cases.ts";
import type { Clients } from "./clients.ts";
import type { HttpAnswer, HttpRequest } from "./raw_http.ts";
import type { Variables } from "./setup.ts";

/** An event that a function got. */
export interface Delivery {
  readonly functionName: string;
  readonly requestId: string;
  readonly event: unknown;
}

/** The resources of one case. They are removed when the stage is disposed of. */
export interface Stage extends AsyncDisposable {
  readonly clients: Clients;
  readonly variables: Variables;
  /** How much longer than the case says events may take to arrive, in seconds. */
  readonly patience: number;
  /** Replaces the names of the manifest in an input or in an answer by the names of the resources at this place. */
  rename(value: unknown): unknown;
  /** Sends a request to the gateway, or to a function URL. The path is sent unchanged. */
  request(to: string, request: HttpRequest): Promise<HttpAnswer>;
  /** Fires the first schedule of a function. */
  fire(functionName: string): Promise<void>;
  /** Waits until the functions are done, if the place knows that. */
  settled(): Promise<void>;
  deliveries(): Promise<readonly Delivery[]>;
  /** Returns the URL of a queue of the manifest, or of its dead-letter queue. */
  queueUrl(name: string, isDeadLetters?: boolean): string;
}

/** Where cases run: on the platform of this machine, or in an account. */
export interface Place {
  /** Makes the queues, topics, subscriptions and buckets of a case. */
  setUp(setup: Setup): Promise<Stage>;
  /** Runs the application of a case. */
  run(application: Application): Promise<Stage>;
  /** Tells whether a pattern matches an event. Returns `undefined` if the pattern is refused. */
  matches(pattern: unknown, event: unknown): Promise<boolean | undefined>;
  /** Tells whether a schedule is accepted. */
  acceptsSchedule(expression: string): Promise<boolean>;
}
