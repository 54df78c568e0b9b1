import { tmpdir } from "node:os";
import { dirname } from "node:path";
import type { FunctionHost } from "../lambda/function_host.ts";
import { makeOwnedFolder } from "../lambda/isolation/owned_folder.ts";
import { Log } from "../lambda/log.ts";
import type { SecretValues } from "../manifest/local_values.ts";
import type { Manifest } from "../manifest/types.ts";
import { ignorePrograms, noProxyHere } from "../programs/find_program.ts";
import { openDataFolder } from "./data_folder.ts";
import { readLocally } from "./resolve_locally.ts";
import { SandboxHost } from "./sandbox_host/host.ts";
import { Session } from "./session.ts";
import { showSpan } from "./traces/detail.ts";
import type { Span } from "./traces/span.ts";

/** The options of {@linkcode startPlatform}. */
export interface PlatformOptions {
  /** The stage, if a path names the manifest. The default is the stage that the manifest names. */
  readonly stage?: string | undefined;
  /**
   * The values of secrets, by name. They count before those of the file `.env` beside the manifest and, if the variable `CI` is
   * set, those of the environment. The log names each secret without a value, and its variable is absent.
   */
  readonly secrets?: SecretValues | undefined;
  /** The profile of the AWS tools for services that are not emulated. The default is the keys in the file `.env`. */
  readonly profile?: string | undefined;
  /** The port. If it is 0, the system chooses a free port, which is the default. */
  readonly port?: number | undefined;
  /**
   * The function that debuggers inspect. The standard error says how to attach a debugger. The function has one sandbox at a
   * time, and no time-out while a debugger is attached.
   */
  readonly inspect?: string | undefined;
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
  /**
   * When functions are bundled. By default, all are bundled before the platform starts, which fails if one cannot be bundled.
   * With `"when invoked"`, only those that are invoked are bundled.
   */
  readonly bundling?: "first" | "when invoked" | undefined;
  /** Ends the bundling of functions early. */
  readonly signal?: AbortSignal | undefined;
  /** The delays before the retries of an asynchronous invocation, in milliseconds. The default is 1,000 and 2,000. */
  readonly retryDelays?: readonly number[] | undefined;
  /** The time limit of the HTTP gateway for a function, in milliseconds. The default is 29,000, as in the cloud. */
  readonly gatewayTimeout?: number | undefined;
  /**
   * With `"skip"`, `settled()` does not wait: whenever nothing runs, the clock of the platform jumps to the next retry,
   * visibility, delay or batch window. The dates in events follow this clock. Time limits, schedules, signatures and the time
   * to live do not. The default is `"real"`.
   */
  readonly time?: "real" | "skip" | undefined;
}

/** A running local platform. */
export interface Platform extends AsyncDisposable {
  /** The URL of the application, without a slash and the stage at the end. */
  readonly url: string;
  /**
   * The URL of the platform itself, without a slash at the end: the start page, the log, the triggers and the Invoke API. Its
   * origin is another one than that of the application, so that the pages of functions cannot use it. Its path is a secret of
   * this start, so that no function can use it.
   */
  readonly controlUrl: string;
  /** The port of both. */
  readonly port: number;
  /** The folder that has a folder for each bucket. A new file in the folder of a bucket is an upload. */
  readonly bucketsFolder: string;
  /** The URL of the local Amazon S3, SNS, SQS, EventBridge and DynamoDB, with a secret of this start, for `aws --endpoint-url`. */
  readonly servicesUrl: string;
  /** The address for a debugger, with a secret of this start, if the option `inspect` names a function. */
  readonly inspectorUrl?: string | undefined;
  /** The log of the functions and of the platform. */
  readonly log: Log;
  /**
   * Lists the spans: each request, each invocation, and each call of a service. Secrets are hidden.
   *
   * @param traceId The identifier of a trace, which is the digits of `Root` in the trace header. By default, all spans are listed,
   * those of the oldest trace first.
   */
  traces(traceId?: string): Promise<readonly Span[]>;
  /**
   * Removes the items of tables whose time to live is over. The platform does so every five seconds, and Amazon DynamoDB
   * within days.
   */
  removeExpired(): Promise<void>;
  /** Waits until no asynchronous invocation runs and the functions have got all messages and changes. */
  settled(): Promise<void>;
  /** Forgets the policies of authorizers with a `ttl`, as `aws apigateway flush-stage-authorizers-cache` does. */
  flushAuthorizers(): void;
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
 * @throws {Error} If another platform holds the folder of the data. The message names its process.
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
 * await using platform = await startPlatform(`${folder}/app.json`);
 * const response = await fetch(`${platform.url}/v0/hello/ada`);
 *
 * assertEquals(await response.text(), "Hello /hello/ada");
 * ```
 */
export async function startPlatform(
  app: string | Manifest = "app.json",
  options: PlatformOptions = {},
): Promise<Platform> {
  const { log = new Log(), stage, secrets, data, host: own, inspect } = options;
  if (own !== undefined && inspect !== undefined) {
    throw new TypeError('Cannot use "inspect" with a "host" of your own: inspect with that host');
  }
  const [manifestPath, given] = typeof app === "string" ? [app] : ["app.json", app];
  ignorePrograms(dirname(manifestPath));
  Deno.env.set("NO_PROXY", noProxyHere()); // The requests of a test to the platform are of this process, too.
  const local = await readLocally(manifestPath, { stage, secrets }, given);
  await using stack = new AsyncDisposableStack();
  const session = stack.use(
    await Session.open(local.name, {
      ...options,
      manifestPath,
      log,
      port: options.port ?? 0,
      saving: {
        manifestPath: given === undefined ? manifestPath : undefined,
        startFresh: startFresh.bind(undefined, manifestPath, stage),
      },
      keepsItems: data !== undefined,
      openData: async (_name, former) =>
        former ?? await (data === undefined ? makeOwnedFolder(tmpdir()) : openDataFolder(data)),
    }),
  );
  const version = await session.read(local);
  const host = typeof own === "function"
    ? await own(version.toManifest())
    : own ?? session.owned.use(
      await SandboxHost.open({
        application: version.application,
        manifestPath,
        log: (record) => log.write(record),
        bundling: options.bundling,
        signal: options.signal,
        inspect,
      }),
    );
  if (host.inspector !== undefined) console.error(`Inspector ${host.inspector.line}`);
  const { ready, ...platform } = await session.start(version, host);
  await ready;
  stack.move();
  const stop = () => session[Symbol.asyncDispose]();
  const { urls, traces } = session;
  return {
    ...platform,
    ...urls,
    port: session.sockets.port,
    inspectorUrl: host.inspector?.url,
    log,
    traces: (traceId) =>
      Promise.resolve(traces.list(traceId).map((one) => showSpan(one, traces.hider))),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Starts a platform for one run of a test that is being made. */
export function startFresh(
  path: string,
  stage: string | undefined,
  secrets: SecretValues,
): Promise<Platform> {
  return startPlatform(path, { stage, secrets, time: "skip", bundling: "when invoked" });
}
