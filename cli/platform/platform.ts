import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { FunctionHost } from "./function_host.ts";
import { createGateway } from "./gateway/gateway.ts";
import { hasManyHosts, isForged, isLocalHost } from "./guard.ts";
import { AsyncInvocations } from "./invoke/async_invocations.ts";
import { createInvokeApi } from "./invoke/invoke_api.ts";
import { MAX_REQUEST_BODY, MAX_SYNC_EVENT } from "./limits.ts";
import { Log } from "./log.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { OWN_PATHS } from "../manifest/own_paths.ts";
import { createLogStream } from "./page/log_stream.ts";
import { createPages } from "./page/pages.ts";
import { errorReply, type Reply } from "./reply.ts";
import { listen, readBody } from "./server.ts";
import { Buckets } from "./triggers/buckets.ts";
import { createTriggerEndpoints } from "./triggers/endpoints.ts";
import { Schedules } from "./triggers/schedules.ts";

/** What the local platform is to run, and how. */
export interface PlatformOptions {
  /** The application. */
  readonly manifest: Manifest;
  /** What runs its functions. It is the caller's: the platform does not end it. */
  readonly host: FunctionHost;
  /** The port; 0 for one that the system chooses. 8000 without. */
  readonly port?: number | undefined;
  /** The folder for the objects of the buckets: `.mate/` and the application's name without. */
  readonly data?: string | undefined;
  /** The log, which the start page shows; to it the host should write as well. A new one without. */
  readonly log?: Log | undefined;
  /** The waits before an asynchronous invocation that failed is tried again, in milliseconds: 1,000 and 2,000 without. */
  readonly retryDelays?: readonly number[] | undefined;
  /** How long the HTTP gateway waits for a function, in milliseconds: 29,000 without, which is the real one's limit. */
  readonly gatewayTimeout?: number | undefined;
}

/** A running local platform. */
export interface Platform extends AsyncDisposable {
  /** The URL of the start page, without a slash at the end. */
  readonly url: string;
  /** The port. */
  readonly port: number;
  /** The folder with a folder for each bucket; what is put there is uploaded. */
  readonly bucketsFolder: string;
  /** Waits until no asynchronous invocation is under way. */
  settled(): Promise<void>;
}

/**
 * Starts the platform on this machine: the HTTP gateway, the Invoke API, the triggers and a start page, on the loopback
 * interface only.
 *
 * @param options What to run, and how.
 * @returns The platform; dispose of it to stop it.
 * @throws {PortTakenError} If the port is in use.
 * @throws {TypeError} If the stage of the manifest has the name of one of the platform's own paths.
 *
 * @example Sending an HTTP request to a function
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { type FunctionHost, parseManifest, startPlatform } from "@mate/cli/platform";
 *
 * const manifest = parseManifest(
 *   `{
 *     "name": "greeter",
 *     "stage": "v0",
 *     "functions": {
 *       "hello": {
 *         "module": "hello.ts",
 *         "triggers": { "routes": [{ "method": "GET", "path": "/hello" }] }
 *       }
 *     }
 *   }`,
 *   "greeter.json",
 * );
 * const host: FunctionHost = {
 *   invoke(_name, _event, options) {
 *     const payload = new TextEncoder().encode(`{ "body": "Hello" }`);
 *     const requestId = options?.requestId ?? crypto.randomUUID();
 *     return Promise.resolve({ requestId, payload, logTail: "" });
 *   },
 *   async [Symbol.asyncDispose]() {},
 * };
 * const data = await Deno.makeTempDir();
 *
 * await using platform = await startPlatform({ manifest, host, port: 0, data });
 * const response = await fetch(`${platform.url}/v0/hello`);
 *
 * assertEquals(await response.text(), "Hello");
 * ```
 */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { manifest, host, log = new Log() } = options;
  if (OWN_PATHS.includes(manifest.stage)) {
    throw new TypeError(
      `Cannot use the stage "${manifest.stage}": it is one of the platform's own paths`,
    );
  }
  const bucketsFolder = join(options.data ?? join(".mate", manifest.name), "buckets");
  await using stack = new AsyncDisposableStack();
  const asyncInvocations = stack.use(
    new AsyncInvocations({ host, log, retryDelays: options.retryDelays }),
  );
  const buckets = stack.use(
    await Buckets.open({ manifest, asyncInvocations, log, folder: bucketsFolder }),
  );
  const schedules = stack.use(new Schedules(manifest, asyncInvocations));
  const answer = await createListener(options, log, { asyncInvocations, buckets, schedules });
  const onError = ({ message }: Error) => log.note(message);
  const server = stack.use(await listen(options.port ?? 8_000, answer, onError));
  const owned = stack.move();
  return {
    url: `http://localhost:${server.port}`,
    port: server.port,
    bucketsFolder,
    settled: () => asyncInvocations.settled(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Sends each request to the part of the platform that it is for. */
async function createListener(
  { manifest, host, gatewayTimeout }: PlatformOptions,
  log: Log,
  triggers: { asyncInvocations: AsyncInvocations; buckets: Buckets; schedules: Schedules },
): Promise<(request: IncomingMessage) => Promise<Reply>> {
  const gateway = createGateway({ manifest, host, log, timeout: gatewayTimeout });
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
