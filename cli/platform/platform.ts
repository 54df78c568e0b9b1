import { Buffer } from "node:buffer";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readLocalManifest } from "../manifest/local_values.ts";
import { LOCAL } from "../application/arn.ts";
import { resolveApplication } from "../application/resolve.ts";
import type { Manifest } from "../manifest/types.ts";
import type { FunctionHost, ReloadingHost } from "../lambda/function_host.ts";
import { makeOwnedFolder } from "../lambda/isolation/owned_folder.ts";
import { createFunctionUrls } from "./gateway/function_url.ts";
import { createGateway } from "./gateway/gateway.ts";
import { createInProcessHost } from "./in_process_host.ts";
import { AsyncInvocations } from "./invoke/async_invocations.ts";
import { createInvokeApi } from "./invoke/invoke_api.ts";
import { answer, originOf, type Parts } from "./listener.ts";
import { Log } from "./log.ts";
import { createSandboxHost, type SandboxHostOptions } from "./sandbox_host/host.ts";
import { listen } from "./server.ts";
import { createEventBus } from "./services/event_bus.ts";
import { Messaging } from "./services/messaging.ts";
import { pollQueues } from "./services/queue_poller.ts";
import { Services } from "./services.ts";
import { createTableEndpoint } from "./tables/endpoint.ts";
import { followTables } from "./tables/followers.ts";
import { Tables } from "./tables/tables.ts";
import { openBuckets } from "./triggers/buckets.ts";
import { createTriggerEndpoints } from "./endpoints.ts";
import { Schedules } from "./triggers/schedules.ts";

/** The file of the items in the folder of the data. */
export const TABLES_FILE = "tables.db";

/** The options of {@linkcode startPlatform}. */
export interface PlatformOptions {
  /** The stage, if a path names the manifest. The default is the stage that the manifest names. */
  readonly stage?: string | undefined;
  /** The port. If it is 0, the system chooses a free port, which is the default. */
  readonly port?: number | undefined;
  /** The port of `servicesUrl`. By default, the system chooses a free port. */
  readonly servicesPort?: number | undefined;
  /** Whether the functions run in this process. By default, each function runs in its own sandbox. */
  readonly inProcess?: boolean | undefined;
  /**
   * The host of the functions, or a function that makes the host. The function gets the manifest with the environment and
   * the permissions of this machine. The host must write its records to `log`. The caller disposes of the host after the
   * platform.
   */
  readonly host?: FunctionHost | ((local: Manifest) => Promise<FunctionHost>) | undefined;
  /**
   * The folder for the objects of the buckets and the items of the tables. By default, the objects are in a temporary folder,
   * and the items are in memory.
   */
  readonly data?: string | undefined;
  /** The log. The default is a new one. */
  readonly log?: Log | undefined;
  /** Ends the bundling of functions early. */
  readonly signal?: AbortSignal | undefined;
  /** The delays before the retries of an asynchronous invocation, in milliseconds. The default is 1,000 and 2,000. */
  readonly retryDelays?: readonly number[] | undefined;
  /** The time limit of the HTTP gateway for a function, in milliseconds. The default is 29,000, as in the cloud. */
  readonly gatewayTimeout?: number | undefined;
}

/** A running local platform. */
export interface Platform extends AsyncDisposable {
  /** The URL of the application, without a slash and the stage at the end. */
  readonly url: string;
  /**
   * The URL of the platform itself, without a slash at the end: the start page, the log, the triggers and the Invoke API. Its
   * origin is another one than that of the application, so that the pages of functions cannot use it.
   */
  readonly controlUrl: string;
  /** The port of both. */
  readonly port: number;
  /** The folder that has a folder for each bucket. A new file in the folder of a bucket is an upload. */
  readonly bucketsFolder: string;
  /** The URL of the local Amazon S3, SNS, SQS, EventBridge and DynamoDB, for `aws --endpoint-url`. */
  readonly servicesUrl: string;
  /** The log of the functions and of the platform. */
  readonly log: Log;
  /**
   * Removes the items of tables whose time to live is over. The platform does so every five seconds, and Amazon DynamoDB
   * within days.
   */
  removeExpired(): Promise<void>;
  /** Waits until no asynchronous invocation runs and the functions have got all messages and changes. */
  settled(): Promise<void>;
  /** Stops the platform, and waits for its end. */
  stop(): Promise<void>;
}

/**
 * Starts the platform on this machine: the HTTP gateway, the Invoke API, the triggers and a start page, on the loopback
 * interface only.
 *
 * @param app The path of the manifest, or the manifest; `app.json` by default. The modules of such a manifest are relative to the current folder.
 * The values of the file `.env` beside a manifest replace values of `environment`.
 * @param options Where and how to run the application.
 * @returns The platform. Dispose of the platform to stop it.
 * @throws {PortTakenError} If another program listens on the port.
 * @throws {Error} If the manifest cannot be read, or if functions cannot be bundled. The message names each of them.
 *
 * @example Sending an HTTP request to a function
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { startPlatform } from "@mate/cli/platform";
 *
 * const folder = await Deno.makeTempDir();
 * const code = `export const handler = (event) => ({ body: "Hello " + event.path });`;
 * await Deno.writeTextFile(`${folder}/hello.ts`, code);
 * const triggers = { routes: [{ method: "GET", path: "/hello/{name}" }] };
 * const functions = { hello: { module: "hello.ts", triggers } };
 * const manifest = JSON.stringify({ name: "greeter", stage: "v0", functions });
 * await Deno.writeTextFile(`${folder}/app.json`, manifest);
 *
 * await using platform = await startPlatform(`${folder}/app.json`, { inProcess: true });
 * const response = await fetch(`${platform.url}/v0/hello/ada`);
 *
 * assertEquals(await response.text(), "Hello /hello/ada");
 * ```
 */
export async function startPlatform(
  app: string | Manifest = "app.json",
  options: PlatformOptions = {},
): Promise<Platform> {
  const { log = new Log() } = options;
  const manifest = typeof app === "string" ? await readLocalManifest(app, options.stage) : app;
  await using stack = new AsyncDisposableStack();
  const data = options.data ?? stack.use(await makeOwnedFolder(tmpdir())).path;
  const application = resolveApplication(manifest, LOCAL);
  const services = stack.use(new Services(manifest, application, options.servicesPort));
  const local = services.localManifest(options.inProcess);
  const host = typeof options.host === "function"
    ? await options.host(local)
    : options.host ?? stack.use(
      await createHost(options.inProcess, {
        manifest: local,
        manifestPath: typeof app === "string" ? app : "app.json",
        log: (record) => log.write(record),
        signal: options.signal,
      }),
    );
  const asyncInvocations = stack.use(new AsyncInvocations(host, log, options.retryDelays));
  const invokeAsync = (name: string, event: unknown) =>
    void asyncInvocations.start(name, Buffer.from(JSON.stringify(event)));
  const bucketsFolder = join(data, "buckets");
  const buckets = stack.use(
    await openBuckets({ application, asyncInvocations, log, folder: bucketsFolder }),
  );
  const schedules = stack.use(new Schedules({ manifest, application, asyncInvocations }));
  const messaging = stack.use(new Messaging(application, invokeAsync));
  const note = (text: string) => log.note(text);
  const eventBus = createEventBus(application, invokeAsync, note);
  const invokeApi = createInvokeApi(application, host, asyncInvocations);
  const tables = stack.use(
    await Tables.open(application, options.data && join(data, TABLES_FILE), note),
  );
  services.attach({ buckets, messaging, eventBus, invokeApi, tables, note });
  const followers = stack.use(
    await followTables({ application, tables, host, messaging, log }),
  );
  const polling = new AbortController();
  const { signal } = polling;
  void pollQueues({ application, messaging, host, log, signal });
  stack.defer(() => polling.abort());
  const settled = async () => {
    await asyncInvocations.settled();
    while (
      !signal.aborted && (messaging.hasMessages() || followers.isBusy || asyncInvocations.isBusy)
    ) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await asyncInvocations.settled();
    }
  };
  const parts: Parts = {
    manifest,
    log,
    settled,
    functionUrls: createFunctionUrls(application, host, log, services),
    gateway: createGateway(application, host, log, options.gatewayTimeout),
    invokeApi,
    endpoints: createTriggerEndpoints({
      manifest,
      application,
      buckets,
      schedules,
      messaging,
      eventBus,
      table: createTableEndpoint(application, tables),
    }),
  };
  const server = stack.use(
    await listen((request) => answer(request, parts), {
      port: options.port ?? 0,
      onError: ({ message }) => log.note(message),
    }),
  );
  const owned = stack.move();
  const stop = () => owned.disposeAsync();
  return {
    url: originOf("application", server.port),
    controlUrl: originOf("platform", server.port),
    port: server.port,
    bucketsFolder,
    servicesUrl: services.url,
    log,
    removeExpired: async () => await tables.expiry?.sweep(),
    settled,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Makes the host of the functions: in this process, or with a sandbox for each function. */
export function createHost(
  isInProcess = false,
  options: SandboxHostOptions,
): Promise<ReloadingHost> {
  return (isInProcess ? createInProcessHost : createSandboxHost)(options);
}
