import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { FunctionHost } from "./function_host.ts";
import { createGateway, type Gateway } from "./gateway/gateway.ts";
import { hasManyHosts, isForged, isLocalHost } from "./guard.ts";
import { createInProcessHost } from "./in_process_host.ts";
import { AsyncInvocations } from "./invoke/async_invocations.ts";
import { createInvokeApi } from "./invoke/invoke_api.ts";
import { MAX_REQUEST_BODY, MAX_SYNC_EVENT } from "./limits.ts";
import { Log } from "./log.ts";
import { type Manifest, readManifest } from "../manifest/manifest.ts";
import { OWN_PATHS } from "../manifest/own_paths.ts";
import { createLogStream } from "./page/log_stream.ts";
import { answerPage } from "./page/pages.ts";
import { errorReply, Refusal, type Reply } from "./reply.ts";
import { createSandboxHost } from "./sandbox/host.ts";
import { listen } from "./server.ts";
import { readBody } from "./body.ts";
import { Buckets } from "./triggers/buckets.ts";
import { createTriggerEndpoints } from "./triggers/endpoints.ts";
import { unsupportedParts } from "./unsupported.ts";
import { Schedules } from "./triggers/schedules.ts";

/** How the local platform runs an application. */
export interface PlatformOptions {
  /** The port; 0 for one that the system chooses. The default is 8000. */
  readonly port?: number | undefined;
  /** Whether the functions run in this process rather than each in a sandbox of its own. */
  readonly inProcess?: boolean | undefined;
  /** The folder that modules are relative to, if the manifest is not a path. The default is the current folder. */
  readonly folder?: string | undefined;
  /**
   * What runs the functions, in place of `inProcess`. The caller made it, and disposes of it after the platform.
   * It must write its records to `log`.
   */
  readonly host?: FunctionHost | undefined;
  /** The folder for the objects of the buckets. The default is a new folder, which is removed at the end. */
  readonly data?: string | undefined;
  /** The log. The default is a new one. */
  readonly log?: Log | undefined;
  /** The waits before the retries of an asynchronous invocation, in milliseconds. The default is 1,000 and 2,000. */
  readonly retryDelays?: readonly number[] | undefined;
  /** How long the HTTP gateway waits for a function, in milliseconds. The default is 29,000, as in the cloud. */
  readonly gatewayTimeout?: number | undefined;
}

/** A running local platform. */
export interface Platform extends AsyncDisposable {
  /** The URL of the start page, without a slash at the end. */
  readonly url: string;
  /** The port. */
  readonly port: number;
  /** The folder with a folder for each bucket. A file that is put there is an upload. */
  readonly bucketsFolder: string;
  /** The log of the functions and of the platform. */
  readonly log: Log;
  /** Waits until no asynchronous invocation is under way. */
  settled(): Promise<void>;
}

/**
 * Starts the platform on this machine: the HTTP gateway, the Invoke API, the triggers and a start page, on the loopback
 * interface only.
 *
 * @param app The path of the manifest, or the manifest.
 * @param options How to run it.
 * @returns The platform. Dispose of it to stop it.
 * @throws {PortTakenError} If another program listens on the port.
 * @throws {Error} If the manifest cannot be read, or a function cannot be bundled. The message names each.
 *
 * @example Sending an HTTP request to a function
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { startPlatform } from "@mate/cli/platform";
 *
 * const folder = await Deno.makeTempDir();
 * await Deno.writeTextFile(
 *   `${folder}/hello.ts`,
 *   `export const handler = (event) => ({ body: "Hello " + event.path });`,
 * );
 * await Deno.writeTextFile(
 *   `${folder}/app.json`,
 *   `{
 *     "name": "greeter",
 *     "stage": "v0",
 *     "functions": {
 *       "hello": {
 *         "module": "hello.ts",
 *         "triggers": { "routes": [{ "method": "GET", "path": "/hello/{name}" }] }
 *       }
 *     }
 *   }`,
 * );
 *
 * await using platform = await startPlatform(`${folder}/app.json`, { port: 0, inProcess: true });
 * const response = await fetch(`${platform.url}/v0/hello/ada`);
 *
 * assertEquals(await response.text(), "Hello /hello/ada");
 * ```
 */
export async function startPlatform(
  app: string | Manifest,
  options: PlatformOptions = {},
): Promise<Platform> {
  const { log = new Log() } = options;
  const manifest = typeof app === "string" ? await readManifest(app) : app;
  await using stack = new AsyncDisposableStack();
  const data = options.data ?? await Deno.makeTempDir({ prefix: "mate-data-" });
  if (options.data === undefined) stack.defer(() => Deno.remove(data, { recursive: true }));
  const create = options.inProcess ? createInProcessHost : createSandboxHost;
  const host = options.host ?? stack.use(
    await create({
      manifest,
      manifestPath: typeof app === "string" ? app : join(options.folder ?? ".", "app.json"),
      log: (record) => log.write(record),
    }),
  );
  const bucketsFolder = join(data, "buckets");
  const asyncInvocations = stack.use(
    new AsyncInvocations({ host, log, retryDelays: options.retryDelays }),
  );
  const buckets = stack.use(
    await Buckets.open({ manifest, asyncInvocations, log, folder: bucketsFolder }),
  );
  const schedules = stack.use(new Schedules(manifest, asyncInvocations));
  unsupportedParts(manifest).forEach((line) => log.note(line));
  const parts: Parts = {
    manifest,
    log,
    gateway: createGateway({ manifest, host, log, timeout: options.gatewayTimeout }),
    invokeApi: createInvokeApi({ manifest, host, asyncInvocations }),
    endpoints: createTriggerEndpoints({ manifest, asyncInvocations, buckets, schedules }),
  };
  const server = stack.use(
    await listen((request) => answer(request, parts), {
      port: options.port ?? 8_000,
      onError: ({ message }) => log.note(message),
    }),
  );
  const owned = stack.move();
  return {
    url: `http://localhost:${server.port}`,
    port: server.port,
    bucketsFolder,
    log,
    settled: () => asyncInvocations.settled(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The parts of the platform that answer requests. */
interface Parts {
  readonly manifest: Manifest;
  readonly log: Log;
  readonly gateway: Gateway;
  readonly invokeApi: ReturnType<typeof createInvokeApi>;
  readonly endpoints: ReturnType<typeof createTriggerEndpoints>;
}

/** Sends a request to the part of the platform that it is for. */
async function answer(request: IncomingMessage, parts: Parts): Promise<Reply> {
  const method = request.method!;
  const { rawHeaders } = request;
  if (hasManyHosts(rawHeaders)) return errorReply(400, "The request has more than one Host header");
  const { authority = "", path, query } = readTarget(request);
  if (!isLocalHost(authority)) {
    const host = JSON.stringify(authority);
    const message = `The request is for the host ${host}, but this server is only for localhost, ` +
      "127.0.0.1 and [::1]";
    return errorReply(421, message);
  }
  const [, first = ""] = path.split("/", 2);
  if (!OWN_PATHS.includes(first) && path !== "/") {
    const time = new Date();
    return await parts.gateway({
      method,
      path,
      query,
      authority,
      rawHeaders,
      protocol: `HTTP/${request.httpVersion}`,
      sourceIp: request.socket.remoteAddress!,
      port: request.socket.localPort!,
      body: await readBody(request, MAX_REQUEST_BODY),
      time,
    });
  }
  try {
    return guarded(await answerOwn(request, parts, { authority, path, query, first }));
  } catch (error) {
    if (error instanceof Refusal) return guarded(error.reply);
    throw error;
  }
}

/** Answers a request to one of the platform's own paths. */
async function answerOwn(
  request: IncomingMessage,
  parts: Parts,
  { authority, path, query, first }: Record<"authority" | "path" | "query" | "first", string>,
): Promise<Reply> {
  const { headers } = request;
  const method = request.method!;
  if (isForged(method, headers, authority)) {
    throw new Refusal(403, "A page of another origin may not do this");
  }
  if (first === "2015-03-31") {
    const body = await readBody(request, MAX_SYNC_EVENT);
    return await parts.invokeApi({ method, path, query, headers, body });
  }
  if (["", "assets", "favicon.ico"].includes(first)) {
    return answerPage(parts.manifest, method, path, authority);
  }
  if (path === "/log") return createLogStream(parts.log, headers["last-event-id"]?.toString());
  return await parts.endpoints(request, path);
}

/** A response of the platform's own that no page of another origin may use, as a script or otherwise. */
function guarded(reply: Reply): Reply {
  const headers = [
    ...reply.headers,
    ["Cross-Origin-Resource-Policy", "same-origin"],
    ["X-Content-Type-Options", "nosniff"],
  ] as const;
  return { ...reply, headers };
}

/** The parts of a request's target: a path or a URL. The host of a URL takes precedence over Host (RFC 9112 §3.2.2). */
function readTarget({ url = "", headers }: IncomingMessage) {
  const [, authority = headers.host, target = ""] = /^http:\/\/([^/?]*)(.*)$/is.exec(url) ??
    [url, undefined, url];
  const mark = target.indexOf("?");
  const path = (mark < 0 ? target : target.slice(0, mark)) || "/";
  return { authority, path, query: mark < 0 ? "" : target.slice(mark + 1) };
}
