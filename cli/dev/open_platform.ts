import { Buffer } from "node:buffer";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Application } from "../application/types.ts";
import { Clock } from "../aws/clock.ts";
import { createEventBus } from "../aws/events/event_bus.ts";
import { Messaging } from "../sources/messaging.ts";
import { createFunctionUrls } from "../gateway/function_url.ts";
import { createGateway } from "../gateway/gateway.ts";
import type { HttpRequest } from "../gateway/protocol.ts";
import { createInvokeApi } from "../gateway/invoke_api.ts";
import type { FunctionHost } from "../lambda/function_host.ts";
import { countRounds } from "../lambda/loops.ts";
import { detectIsolation } from "../lambda/isolation/isolation.ts";
import { makeOwnedFolder } from "../lambda/isolation/owned_folder.ts";
import type { Log } from "../lambda/log.ts";
import type { Emulators } from "../manifest/local_values.ts";
import { AsyncInvocations, type AsyncOptions } from "../sources/async_invocations.ts";
import { BUCKETS_FOLDER, openBuckets } from "../sources/buckets.ts";
import { pollQueues } from "../sources/queue_poller.ts";
import type { PollOptions } from "../sources/poller.ts";
import { Schedules } from "../sources/schedules.ts";
import type { ApiDocument } from "./api_document.ts";
import { createTriggerEndpoints } from "./endpoints.ts";
import { answer, type Parts } from "./listener.ts";
import { Forwarding, type Login } from "./forwarding.ts";
import { Services } from "./services.ts";
import type { Sockets } from "./sockets.ts";
import { TestMaker, type TestMakerOptions } from "./saved_tests/test_maker.ts";
import { Again } from "./traces/again.ts";
import { RecordedCalls } from "./traces/record_calls.ts";
import { RecordedHost } from "./traces/record_invocations.ts";
import { recordRequests } from "./traces/record_requests.ts";
import type { Traces } from "./traces/traces.ts";

/** The file of the items in the folder of the data. */
export const TABLES_FILE = "tables.db";

/** What a platform is made of. */
export interface OpenOptions {
  readonly application: Application;
  readonly api: ApiDocument;
  readonly sockets: Sockets;
  readonly host: FunctionHost;
  /** The login of the developer for services that are not emulated. */
  readonly login: Login | undefined;
  /** The emulators of the developer for such services. */
  readonly emulators: Emulators;
  readonly log: Log;
  /** The spans. They outlive a version of the application. */
  readonly traces: Traces;
  /** How tests are saved. */
  readonly saving: Pick<TestMakerOptions, "manifestPath" | "startFresh">;
  /** The folder of the data. */
  readonly folder: string;
  /** Whether the items of tables are kept in the folder, and not in memory. */
  readonly keepsItems: boolean;
  readonly retryDelays?: readonly number[] | undefined;
  readonly gatewayTimeout?: number | undefined;
  /** Whether `settled()` waits for due times, or the clock jumps to them. The default is `real`. */
  readonly time?: "real" | "skip" | undefined;
}

/** The platform of one version of an application. */
export interface OpenPlatform extends AsyncDisposable {
  readonly bucketsFolder: string;
  /** Resolves when the engine of the tables runs, if the application has tables. Rejects if it does not start. */
  readonly ready: Promise<unknown>;
  readonly removeExpired: () => Promise<void>;
  readonly flushAuthorizers: () => void;
  readonly settled: () => Promise<void>;
}

/**
 * Opens the platform of one version of an application: it answers at the sockets from now on. Pause the sockets before its
 * disposal. Then its running requests to functions still end, and its calls that read or change data have ended.
 */
export async function openPlatform(options: OpenOptions): Promise<OpenPlatform> {
  const { application, log, sockets, folder, traces, host: functions } = options;
  const note = (text: string) => log.note(text);
  await using stack = new AsyncDisposableStack();
  let followed: ReturnType<typeof followTables> | undefined;
  stack.defer(async () => {
    const open = await followed?.catch(() => {}); // Who needs the tables gets the error.
    await open?.[Symbol.asyncDispose]();
  });
  const clock = new Clock();
  const recordedHost = new RecordedHost({
    async invoke(name, ...invocation) {
      const outcome = await clock.during(functions.invoke(name, ...invocation));
      if (outcome.failure === "timeout") {
        const { timeout } = application.functions[name]!;
        const limit = `the "timeout" that the manifest gives it: ${timeout} s`;
        log.note(`The function "${name}" ran into ${limit}`);
      }
      return outcome;
    },
    timeOf: functions.timeOf?.bind(functions),
    async [Symbol.asyncDispose]() {},
  }, traces);
  const host = countRounds(recordedHost);
  const asyncInvocations = stack.use(
    new AsyncInvocations(host, log, options.retryDelays, clock),
  );
  const invokeAsync = (name: string, event: unknown, options: AsyncOptions) =>
    void asyncInvocations.start(name, Buffer.from(JSON.stringify(event)), options);
  const buckets = stack.use(
    await openBuckets({ application, asyncInvocations, clock, log, data: folder }),
  );
  const schedules = stack.use(new Schedules(application, asyncInvocations, clock));
  const messages = stack.use(await makeOwnedFolder(tmpdir()));
  const messaging = stack.use(new Messaging(application, messages.path, invokeAsync, clock));
  const invokeRule: Parameters<typeof createEventBus>[1] = (name, event, traceId) => {
    const trigger = { type: "events", name: `${event["detail-type"]} of ${event.source}` } as const;
    invokeAsync(name, event, { traceId, facts: { trigger } });
  };
  const eventBus = createEventBus(application.rules, invokeRule, note, clock);
  const invokeApi = createInvokeApi(application, host, asyncInvocations);
  const { keys, port, functionsUrl, servicesUrl } = sockets;
  const ownPorts = [port, ...[functionsUrl, servicesUrl].map((url) => Number(new URL(url).port))];
  const forwarding = new Forwarding(application.functions, { ...options, ownPorts });
  const callerOf = recordedHost.callerOf.bind(recordedHost);
  const recorded = new RecordedCalls(application, traces, callerOf);
  const sources = { application, host, messaging, log, clock };
  const polling = new AbortController();
  const { signal } = polling;
  const follow = () => followed ??= followTables(sources, options, signal);
  const tables = async () => (await follow()).tables;
  const data = { application, buckets, messaging, eventBus, tables };
  const services = stack.use(
    new Services({ ...data, keys, forwarding, recorded, invokeApi, note }),
  );
  void pollQueues(sources, signal);
  const settled = async () => {
    while (
      asyncInvocations.isBusy ||
      !signal.aborted && (messaging.hasMessages() || (await followed)?.isBusy)
    ) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (options.time === "skip") clock.skip(); // Whatever can go on has begun to run.
    }
  };
  const endpoints = createTriggerEndpoints({ ...data, schedules, traces });
  const functionUrls = createFunctionUrls(application, host, log, services);
  const gateway = createGateway(application, host, log, options.gatewayTimeout);
  const answerUrl = (name: string, request: HttpRequest) => {
    const facts = { "mate.gateway": "url", "faas.name": name } as const;
    return recordRequests(functionUrls.answer.bind(null, name), traces, facts)(request);
  };
  const kind = application.gateway?.kind ?? "rest";
  const answerRequest = recordRequests(gateway.answer, traces, { "mate.gateway": kind });
  const answers = { gateway: answerRequest, functionUrl: answerUrl };
  const again = new Again({ application, host, ...answers, date: () => clock.date(), note });
  const tests = new TestMaker({ application, traces, buckets, ...options.saving });
  traces.hider.setSecrets(secretsOf(application));
  stack.defer(log.follow((entry) => traces.addLine(entry)));
  const parts: Parts = {
    async page(...request) {
      const { answerPage } = await import("./page/pages.ts"); // A start needs none of its files.
      return await answerPage(application, () => options.api.read(), ...request);
    },
    log,
    secret: sockets.secret,
    clock,
    settled,
    functionUrls: { find: (host) => functionUrls.find(host), answer: answerUrl },
    gateway: answerRequest,
    serves: gateway.serves,
    isConfined: functions.isConfined === true,
    name: application.name,
    traces: { application: application.name, traces, again, tests },
    invokeApi,
    endpoints: (...request) => services.calls.run(endpoints(...request)),
  };
  sockets.serve({
    http: (request) => answer(request, parts),
    service: (request, door) => services.answer(request, door),
  });
  stack.defer(async () => {
    polling.abort();
    messaging[Symbol.dispose](); // Who waits for messages gets none.
    await services.calls.ended();
  });
  const owned = stack.move();
  return {
    bucketsFolder: join(folder, BUCKETS_FOLDER),
    ready: Object.keys(application.tables).length > 0 ? follow() : Promise.resolve(),
    removeExpired: async () => await (await tables()).expiry?.sweep(),
    flushAuthorizers: () => gateway.flushAuthorizers(),
    settled,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Opens the tables of an application. Their engine is loaded and started while the platform answers already. */
async function followTables(
  sources: PollOptions,
  { application, folder, keepsItems }: OpenOptions,
  signal: AbortSignal,
) {
  const { openTables } = await import("../sources/table_followers.ts");
  const unlimited = Object.entries(application.functions) // Deno limits the connections of its functions.
    .filter(([, { runtime }]) => runtime !== "deno").map(([name]) => name);
  const seeFolders = async () => (await detectIsolation()).kind === "plain folders";
  const file = keepsItems ? join(folder, TABLES_FILE) : undefined;
  return await openTables(sources, { file, unlimited, seeFolders }, signal);
}

/** Lists the values of the secrets of an application, and what its functions sign with. */
function secretsOf({ functions }: Application): readonly string[] {
  return Object.values(functions).flatMap(({ environment, code }) =>
    [...Object.keys(code.secrets), "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]
      .flatMap((name) => environment[name] ?? [])
  );
}
