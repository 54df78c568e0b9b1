import type { Case, Step } from "./cases.ts";
import type { Answer } from "./clients.ts";
import { differences } from "./compare.ts";
import { acceptsSchedule, matchPattern, open, setUp, type Stage } from "./local.ts";
import { fill, memberOf } from "./setup.ts";

/** How much longer than the case says events may take, in seconds, because the machine may be busy. */
const PATIENCE = 10;

/** The result of a case: for each operation that it checks, how the answer differs. */
export interface Result {
  readonly case: Case;
  readonly operations: ReadonlyMap<string, readonly string[]>;
}

/** Runs a case. A failure of the runner is a difference, too. */
async function runCase(one: Case): Promise<Result> {
  const operations = new Map<string, string[]>();
  const check = (operation: string, found: Iterable<string>) => {
    operations.set(operation, [...operations.get(operation) ?? [], ...found]);
  };
  try {
    if (one.pattern !== undefined) {
      const { refused, matches } = one.expected ?? {};
      const got = matchPattern(one.pattern, one.event);
      check("event pattern", differences(refused ? "<absent>" : matches, got));
    } else if (one.expression !== undefined) {
      const accepted = acceptsSchedule(one.expression);
      check("schedule expression", differences(one.expected?.accepted === true, accepted));
    } else if (one.policy !== undefined) {
      check("filter policy", differences(...await filter(one)));
    } else {
      await using stage = one.application === undefined
        ? await setUp(one.setup ?? {})
        : await open(one.application);
      for (const step of one.steps ?? []) await runStep(step, stage, check);
    }
  } catch (error) {
    check("the case", [error instanceof Error ? error.stack ?? error.message : String(error)]);
  }
  return { case: one, operations };
}

/** Subscribes a queue with a filter policy, and publishes a message. Returns the recorded result and the result. */
async function filter(one: Case): Promise<[recorded: string, got: string]> {
  await using stage = await setUp({ topics: { t: {} }, queues: { q: {} } });
  const { clients, variables } = stage;
  const subscribed = await clients.call("sns.Subscribe", {
    TopicArn: variables.t,
    Protocol: "sqs",
    Endpoint: variables["q.arn"],
    Attributes: { FilterPolicy: JSON.stringify(one.policy), FilterPolicyScope: one.scope },
  });
  const recorded = one.expected?.refused
    ? "refused"
    : one.publish === undefined
    ? "accepted"
    : one.expected?.delivered
    ? "delivered"
    : "not delivered";
  if ("error" in subscribed) {
    const { codes, status, message } = subscribed.error;
    const isRefusal = status === 400 && codes.some((code) => code.startsWith("InvalidParameter"));
    return [recorded, isRefusal ? "refused" : `${codes} ${status}: ${message}`];
  }
  if (one.publish === undefined) return [recorded, "accepted"];
  const message = fill(one.publish, variables) as Record<string, unknown>;
  const published = await clients.call("sns.Publish", { TopicArn: variables.t, ...message });
  if ("error" in published) return [recorded, published.error.message];
  const input = { QueueUrl: variables.q, WaitTimeSeconds: recorded === "delivered" ? 3 : 0 };
  const received = await clients.call("sqs.ReceiveMessage", input);
  const isDelivered = "output" in received && received.output.Messages !== undefined;
  return [recorded, isDelivered ? "delivered" : "not delivered"];
}

async function runStep(
  step: Step,
  stage: Stage,
  check: (operation: string, found: Iterable<string>) => void,
): Promise<void> {
  const { clients, variables } = stage;
  if (step.call !== undefined) {
    const input = stage.rename(fill(step.input ?? {}, variables)) as Record<string, unknown>;
    const answer = await clients.call(step.call, input, step.headers);
    for (const [variable, path] of Object.entries(step.save ?? {})) {
      const value = "output" in answer ? memberOf(answer.output, path) : undefined;
      if (value === undefined) check(step.call, [`${path}: the answer has none`]);
      else variables[variable] = String(value);
    }
    const recorded = fill(step.expected, variables);
    if (recorded !== undefined) check(step.call, compareAnswer(recorded as Recorded, answer));
    else if ("error" in answer) {
      check(step.call, [`unexpected error ${answer.error.codes}: ${answer.error.message}`]);
    }
    return;
  }
  const expected = fill(step.expected, variables);
  const recorded = stage.rename(expected);
  if (step.http !== undefined) {
    const operation = step.http.to === "gateway" ? "HTTP request" : "function URL";
    check(operation, differences(expected, await stage.request(step.http)));
  } else if (step.wait !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, step.wait! * 1_000));
  } else if (step.fire !== undefined) {
    await stage.fire(step.fire);
  } else if (step.delivered !== undefined) {
    check("delivered events", await waitForEvents(recorded, step, stage));
  } else if (step.requestIds !== undefined) {
    const { allAre, atLeast } = recorded as { allAre: string; atLeast: number };
    const found = await poll(0, stage, () => {
      const ids = deliveriesTo(step.requestIds!, stage).map(({ requestId }) => requestId);
      const isEqual = ids.length >= atLeast && ids.every((id) => id === allAre);
      return isEqual ? [] : [`expected ${atLeast} times ${allAre}, got ${ids}`];
    });
    check("retries", found);
  } else if (step.deadLetters !== undefined) {
    check("dead letters", await waitForDeadLetters(recorded, step, stage));
  } else if (step.queueEmpty !== undefined) {
    await stage.settled();
    const answer = await clients.call("sqs.GetQueueAttributes", {
      QueueUrl: stage.queueUrl(step.queueEmpty),
      AttributeNames: ["All"],
    });
    const output = {
      Attributes: {
        ApproximateNumberOfMessages: "0",
        ApproximateNumberOfMessagesDelayed: "0",
        ApproximateNumberOfMessagesNotVisible: "0",
      },
    };
    check("empty queue", compareAnswer({ output }, answer));
  } else {
    throw new TypeError(`Unknown step: ${JSON.stringify(step)}`);
  }
}

/** An answer as it was recorded. */
interface Recorded {
  readonly status?: number;
  readonly output?: unknown;
  readonly error?: {
    readonly code?: string;
    readonly type?: string;
    readonly status?: number;
    readonly exact?: boolean;
  };
}

function* compareAnswer({ status, output, error }: Recorded, answer: Answer): Generator<string> {
  if (error === undefined) {
    if ("error" in answer) {
      const { codes, message } = answer.error;
      yield `expected no error, got ${answer.error.status} ${codes}: ${message}`;
      return;
    }
    if (status !== undefined) yield* differences(status, answer.status, "status");
    yield* differences(output ?? {}, answer.output);
    return;
  }
  const { code, type, exact } = error;
  const wanted = `${error.status ?? ""} ${code ?? ""}`;
  if (!("error" in answer)) {
    yield `expected the error ${wanted}, got ${JSON.stringify(answer.output)?.slice(0, 200)}`;
    return;
  }
  const { codes, message, status: got } = answer.error;
  const names = exact ? [code] : [code, type];
  const isNamed = code === undefined || names.some((name) => name && codes.includes(name));
  const isEqual = isNamed && (error.status === undefined || error.status === got);
  if (!isEqual) yield `expected the error ${wanted}, got ${got} ${codes}: ${message}`;
}

function deliveriesTo(functionName: string, { deliveries }: Stage) {
  return deliveries.filter((delivery) => delivery.functionName === functionName);
}

/** Waits until nothing differs, or until the time is over. Returns the last differences. */
async function poll(
  within: number,
  stage: Stage,
  look: () => readonly string[] | Promise<readonly string[]>,
): Promise<readonly string[]> {
  const end = Date.now() + (within + PATIENCE) * 1_000;
  if (within === 0) await stage.settled();
  for (;;) {
    const found = await look();
    if (found.length === 0 || Date.now() >= end) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function waitForEvents(recorded: unknown, step: Step, stage: Stage): Promise<readonly string[]> {
  return poll(step.within ?? 0, stage, () => {
    const events = deliveriesTo(step.delivered!, stage).map(({ event }) => event);
    return [...differences(recorded, events)];
  });
}

function waitForDeadLetters(
  recorded: unknown,
  step: Step,
  stage: Stage,
): Promise<readonly string[]> {
  const messages: unknown[] = [];
  return poll(step.within ?? 0, stage, async () => {
    const answer = await stage.clients.call("sqs.ReceiveMessage", {
      QueueUrl: stage.queueUrl(step.deadLetters!, true),
      WaitTimeSeconds: 1,
      MaxNumberOfMessages: 10,
    });
    if ("error" in answer) return [answer.error.message];
    messages.push(...answer.output.Messages as unknown[] ?? []);
    return [...differences(recorded, messages)];
  });
}

/** The number of cases at a time. Most of them wait. */
const CONCURRENCY = 8;

/**
 * Runs the cases. The results have the order of the cases. A case that differs runs up to three times more, with no other
 * case beside it: on a busy machine, a second of a recorded case can pass before its function has answered.
 */
export async function runAll(cases: readonly Case[]): Promise<readonly Result[]> {
  const results: Result[] = [];
  const rest = cases.entries();
  const work = async () => {
    for (const [index, one] of rest) results[index] = await runCase(one);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  const differs = (result: Result) => isClaimed(result) && !isEqual(result);
  for (const [index, one] of cases.entries()) {
    for (let count = 0; count < 3 && differs(results[index]!); count++) {
      results[index] = await runCase(one);
    }
  }
  return results;
}

/** Tells whether the docs promise that the answers of a case are equal. */
export function isClaimed(result: Result): boolean {
  return result.case.notClaimed === undefined;
}

export function isEqual({ operations }: Result): boolean {
  return [...operations.values()].every((found) => found.length === 0);
}
