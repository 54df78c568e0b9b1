import { readPattern } from "../../cli/rules/event_pattern.ts";
import { parseManifest, readManifest } from "../../cli/manifest/manifest.ts";
import { type FunctionHost, startPlatform } from "../../cli/dev/mod.ts";
import { ACCOUNT_ID, LOCAL, REGION } from "../../cli/rules/arn.ts";
import { resolveApplication } from "../../cli/application/resolve.ts";
import { rename } from "./account.ts";
import { deliveryOf, makeFolder, writeApplication } from "./application.ts";
import type { Application, Setup } from "./cases.ts";
import { Clients } from "./clients.ts";
import type { Delivery, Place, Stage } from "./place.ts";
import { sendRaw } from "./raw_http.ts";
import { makeResources } from "./setup.ts";

/** The name of the applications of the cases. */
const NAME = "recorded";

const queueUrl = (name: string) => `http://localhost/${ACCOUNT_ID}/${name}`;

/** The folder of all applications. So the module of their functions is bundled once, and kept. */
const FOLDER = makeFolder();
addEventListener("unload", () => Deno.removeSync(FOLDER, { recursive: true }));

/** The host of cases that invoke no function. */
const IDLE: FunctionHost = {
  invoke: () => Promise.reject(new Error("The case invokes a function")),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** The platform of this machine. Each case has its own platform. */
export const local: Place = {
  setUp: async (setup) => {
    const uses = {
      buckets: Object.fromEntries((setup.buckets ?? []).map((name) => [name, "read"])),
    };
    const functions = { unused: { does: { echoes: true }, uses } };
    const stage = await open({ functions } as Application, setup, IDLE);
    return { ...stage, rename: (value) => value };
  },

  run: (application) => open(application, {}),

  matches(pattern, event) {
    // The manifest allows only the keys that events have. The recorded events have other keys, too.
    const { problems, matches } = readPattern(pattern);
    return Promise.resolve(problems.length === 0 ? matches(event) : undefined);
  },

  acceptsSchedule: (expression) =>
    Promise.resolve(accepts({ triggers: { schedules: [expression] } })),
};

/** Tells whether the tool accepts a manifest with such a function. */
function accepts(settings: object): boolean {
  const functions = { one: { module: "one.js", ...settings } };
  try {
    parseManifest(JSON.stringify({ name: NAME, stage: "v1", functions }), "app.json");
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

async function open(
  application: Application,
  setup: Setup,
  host?: FunctionHost,
): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const path = await writeApplication(application, FOLDER, NAME);
  const { functions, buckets, queues, topics } = resolveApplication(
    await readManifest(path),
    LOCAL,
  );
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
    patience: 10, // Events take longer on a busy machine.
    rename: (value) => rename(value, names),
    request(to, request) {
      const name = to.replace(/^url:/, "");
      const host = to === "gateway"
        ? `localhost:${platform.port}`
        : `${name}.localhost:${platform.port}`;
      return sendRaw(Deno.connect({ port: platform.port }), host, request);
    },
    async fire(functionName) {
      const response = await fetch(`${platform.controlUrl}/schedules/${functionName}/0`, {
        method: "POST",
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`Cannot fire the schedule: status ${response.status}`);
    },
    settled: () => platform.settled(),
    deliveries: () => Promise.resolve(deliveries),
    queueUrl: (name, isDeadLetters = false) =>
      queueUrl(isDeadLetters ? queues[name]!.deadLetters.name : queues[name]!.name),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
