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
import { createPages } from "./page/pages.ts";
import { errorReply, type Reply } from "./reply.ts";
import { createSandboxHost } from "./sandbox/mod.ts";
import { listen, readBody } from "./server.ts";
import { Buckets } from "./triggers/buckets.ts";
import { createTriggerEndpoints } from "./triggers/endpoints.ts";
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
  const gateway = createGateway({ manifest, host, log, timeout: options.gatewayTimeout });
  const answer = await createListener({ manifest, host, log, gateway }, {
    asyncInvocations,
    buckets,
    schedules,
  });
  const onError = ({ message }: Error) => log.note(message);
  const server = stack.use(await listen(options.port ?? 8_000, answer, onError));
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

/** Sends each request to the part of the platform that it is for. */
async function createListener(
  { manifest, host, log, gateway }: {
    manifest: Manifest;
    host: FunctionHost;
    log: Log;
    gateway: Gateway;
  },
  triggers: { asyncInvocations: AsyncInvocations; buckets: Buckets; schedules: Schedules },
): Promise<(request: IncomingMessage) => Promise<Reply>> {
  const invokeApi = createInvokeApi({ manifest, host, ...triggers });
  const endpoints = createTriggerEndpoints({ manifest, ...triggers });
  const pages = await createPages(manifest);

  async function answer(request: IncomingMessage): Promise<Reply> {
    const method = request.method!;
    const { headers, rawHeaders } = request;
    if (hasManyHosts(rawHeaders)) return errorReply(400, "The request has more than one Host");
    const { authority, path, query } = readTarget(request);
    if (!isLocalHost(authority)) {
      return errorReply(
        421,
        `The request is for the host ${
          JSON.stringify(authority ?? "")
        }, and this server is only for localhost, 127.0.0.1 and [::1]`,
      );
    }
    const [, first = ""] = path.split("/", 2);
    const sourceIp = request.socket.remoteAddress!;
    if (!OWN_PATHS.includes(first) && path !== "/") {
      const protocol = `HTTP/${request.httpVersion}`;
      const time = new Date();
      const body = await readBody(request, MAX_REQUEST_BODY);
      const port = request.socket.localPort!;
      return await gateway({
        method,
        path,
        query,
        authority: authority!,
        rawHeaders,
        protocol,
        sourceIp,
        port,
        body,
        time,
      });
    }
    if (isForged(method, headers, authority!)) {
      return errorReply(403, "A page of another origin may not do this");
    }
    if (first === "2015-03-31") {
      const body = await readBody(request, MAX_SYNC_EVENT);
      return await invokeApi({ method, path, query, headers, body });
    }
    if (["", "assets", "favicon.ico"].includes(first)) return pages(method, path, authority!);
    if (path === "/log") return createLogStream(log, headers["last-event-id"]?.toString());
    const content = request.iterator({ destroyOnReturn: false }); // whoever reads no further still answers
    return await endpoints({ method, path, headers, sourceIp, content });
  }

  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      log.note(`${request.method} ${request.url}: ${(error as Error).message}`);
      return errorReply(500, "The local platform failed; its log says why");
    }
  };
}

/** The parts of a request's target, which may be a path or a URL; the host of a URL goes before Host (RFC 9112 §3.2.2). */
function readTarget({ url = "", headers }: IncomingMessage) {
  const [, authority = headers.host, target = ""] = /^http:\/\/([^/?]*)(.*)$/is.exec(url) ??
    [url, undefined, url];
  const mark = target.indexOf("?");
  const path = (mark < 0 ? target : target.slice(0, mark)) || "/";
  return { authority, path, query: mark < 0 ? "" : target.slice(mark + 1) };
}
