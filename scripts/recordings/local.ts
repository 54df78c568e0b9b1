import { readPattern } from "../../cli/rules/event_pattern.ts";
import { readManifest } from "../../cli/manifest/manifest.ts";
import { type FunctionHost, startPlatform } from "../../cli/dev/mod.ts";
import { ACCOUNT_ID, REGION } from "../../cli/rules/arn.ts";
import { type Delivery, deliveryOf, writeApplication } from "./application.ts";
import { manifestWith, resolved, send } from "../../cli/testdata/platform.ts";
import type { Application, HttpRequest, Setup } from "./cases.ts";
import { Clients } from "./clients.ts";
import { makeResources } from "./setup.ts";

const queueUrl = (name: string) => `http://localhost/${ACCOUNT_ID}/${name}`;

/** The host of cases that invoke no function. */
const IDLE: FunctionHost = {
  invoke: () => Promise.reject(new Error("The case invokes a function")),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** The platform and the resources of one case. */
export type Stage = Awaited<ReturnType<typeof open>>;

/** Makes the queues, topics, subscriptions and buckets of a case. */
export async function setUp(setup: Setup): Promise<Stage> {
  const uses = { buckets: Object.fromEntries((setup.buckets ?? []).map((name) => [name, "read"])) };
  const functions = { unused: { does: { echoes: true }, uses } };
  const stage = await open({ functions } as Application, setup, IDLE);
  return { ...stage, rename: (value: unknown) => value };
}

/** Tells whether a pattern matches an event. Returns `undefined` if the pattern is refused. */
export function matchPattern(pattern: unknown, event: unknown): boolean | undefined {
  // The manifest allows only the keys that events have. The recorded events have other keys, too.
  const { problems, matches } = readPattern(pattern);
  return problems.length === 0 ? matches(event) : undefined;
}

/** Tells whether the tool accepts a schedule. */
export function acceptsSchedule(expression: string): boolean {
  try {
    manifestWith({ one: { module: "one.js", triggers: { schedules: [expression] } } });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** Runs the application of a case. */
export async function open(application: Application, setup: Setup = {}, host?: FunctionHost) {
  await using stack = new AsyncDisposableStack();
  const path = await writeApplication(application);
  const { functions, buckets, queues, topics } = resolved(await readManifest(path));
  const platform = stack.use(
    await startPlatform(path, { host, retryDelays: [10, 20] }),
  );
  const deliveries: Delivery[] = [];
  platform.log.follow(({ functionName, text }) => {
    const delivery = deliveryOf(functionName, text);
    if (delivery !== undefined) deliveries.push(delivery);
  });
  const clients = stack.use(
    new Clients({
      endpoint: platform.servicesUrl,
      region: REGION,
      credentials: { accessKeyId: "developer", secretAccessKey: "local" },
      forcePathStyle: true,
    }),
  );
  const unique = `u${crypto.randomUUID().slice(0, 8)}`;
  const variables = await makeResources(setup, clients, unique);
  for (const [key, { name }] of Object.entries(buckets)) variables[key] = name;
  for (const [key, { name, arn }] of Object.entries(queues)) {
    variables[`queue:${key}`] = queueUrl(name);
    variables[`queue:${key}.arn`] = arn;
  }
  for (const [key, { arn }] of Object.entries(topics)) variables[`topic:${key}`] = arn;
  const names = Object.fromEntries(
    Object.entries({ ...functions, ...buckets }).map(([key, { name }]) => [key, name]),
  );
  const owned = stack.move();
  return {
    clients,
    variables,
    /** Replaces the names of the manifest in an input or in an answer by the names of the resources. */
    rename: (value: unknown) => rename(value, names),
    /** Sends a request to the gateway, or to a function URL. The path is sent unchanged. */
    async request({ to, headers, ...request }: HttpRequest) {
      const name = to === "gateway" ? "" : `${to.replace(/^url:/, "")}.`;
      const fields = { Host: `${name}localhost:${platform.port}`, ...headers };
      const answer = await send(platform.port, { ...request, headers: Object.entries(fields) });
      const { status, text: body } = answer;
      const list = answer.headers.map(([name, value]): [string, string] => [name, value]);
      return { status, headers: Object.fromEntries(new Headers(list)), body };
    },
    /** Fires the first schedule of a function. */
    async fire(functionName: string) {
      const response = await fetch(`${platform.controlUrl}/schedules/${functionName}/0`, {
        method: "POST",
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`Cannot fire the schedule: status ${response.status}`);
    },
    settled: () => platform.settled(),
    deliveries,
    /** Returns the URL of a queue of the manifest, or of its dead-letter queue. */
    queueUrl: (name: string, isDeadLetters = false) =>
      queueUrl(isDeadLetters ? queues[name]!.deadLetters.name : queues[name]!.name),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Replaces names of the manifest: whole texts, and the name at the start of a path or the end of an ARN. */
export function rename(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string") {
    const [, start = "", name = "", rest = ""] =
      /^((?:arn:aws:s3:::)?)([\w-]+)((?:\/.*)?)$/s.exec(value) ?? [];
    return Object.hasOwn(names, name) ? `${start}${names[name]}${rest}` : value;
  }
  if (Array.isArray(value)) return value.map((item) => rename(item, names));
  const isPlain = typeof value === "object" && value !== null &&
    Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, rename(member, names)]),
  );
}
