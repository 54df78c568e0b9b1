import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { resolveApplication } from "../application/resolve.ts";
import type { Application } from "../application/types.ts";
import { LOCAL, REGION } from "../rules/arn.ts";
import type {
  FunctionHost,
  InvokeOptions,
  InvokeOutcome,
  Payload,
} from "../lambda/function_host.ts";
import { Log } from "../lambda/log.ts";
import { Stopwatch } from "../lambda/stopwatch.ts";
import { type Manifest, parseManifest } from "../manifest/manifest.ts";
import { type Platform, type PlatformOptions, startPlatform } from "../dev/platform.ts";
import { SECRET } from "../aws/credentials.ts";
import { within } from "../../testdata/waiting.ts";

/** An invocation that a test saw. */
export interface Call {
  readonly name: string;
  // deno-lint-ignore no-explicit-any -- tests look into events of every kind
  readonly event: any;
  readonly options: InvokeOptions;
}

/** The outcome of a test's function. A string is the payload. */
type Answer = (
  call: Call,
) => string | Partial<InvokeOutcome> | Promise<string | Partial<InvokeOutcome>>;

/** A host whose functions are functions of the test. */
export class TestHost implements FunctionHost {
  readonly calls: Call[] = [];
  /** The time that counts for all functions. */
  readonly time = new Stopwatch();
  answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }

  async invoke(name: string, payload: Payload, options: InvokeOptions = {}) {
    const bytes = typeof payload === "function" ? payload() : payload;
    const call = { name, event: JSON.parse(new TextDecoder().decode(bytes)), options };
    this.calls.push(call);
    const answer = await this.answer(call);
    const outcome = typeof answer === "string" ? { payload: Buffer.from(answer) } : answer;
    const requestId = options.requestId ?? randomUUID();
    return { requestId, payload: Buffer.from("null"), logTail: "", ...outcome };
  }

  timeOf() {
    return this.time;
  }

  async [Symbol.asyncDispose]() {}
}

/** A host with one sandbox. As in a pool, an invocation that waits has not begun. */
export class OneSandbox extends TestHost {
  #turn: Promise<unknown> = Promise.resolve();

  override invoke(...parameters: Parameters<TestHost["invoke"]>) {
    const done = this.#turn.then(() => super.invoke(...parameters));
    this.#turn = done.catch(() => {});
    return done;
  }
}

/** The manifest of the application `app` with the stage `v0`. */
export function manifestWith(
  functions: Record<string, unknown>,
  queues = {},
  tables = {},
): Manifest {
  const manifest = { name: "app", stage: "v0", functions, queues, tables };
  return parseManifest(JSON.stringify(manifest), "app.json");
}

/** Resolves a manifest for this machine. */
export function resolved(manifest: Manifest): Application {
  return resolveApplication(manifest, LOCAL);
}

/** The name of the bucket `files` of such a manifest. */
export const FILES = "app-files-000000000000-us-east-1";

/** An application with a function for every kind of trigger. */
export const MANIFEST: Manifest = manifestWith({
  echo: {
    module: "echo.ts",
    triggers: {
      routes: [
        { method: "ANY", path: "/echo" },
        { method: "ANY", path: "/echo/{proxy+}" },
        { method: "GET", path: "/items/{id}" },
      ],
    },
  },
  clock: { module: "clock.ts", triggers: { schedules: ["rate(1 minute)"] } },
  created: {
    module: "created.ts",
    triggers: { buckets: [{ name: "files", events: ["s3:ObjectCreated:*"] }] },
  },
  removed: {
    module: "removed.ts",
    triggers: { buckets: [{ name: "files", events: ["s3:ObjectRemoved:*"] }] },
  },
  reader: { module: "reader.ts", triggers: { topics: [{ name: "news" }] } },
  worker: { module: "worker.ts", triggers: { queues: [{ name: "jobs" }] } },
  listener: {
    module: "listener.ts",
    triggers: {
      url: { auth: "none", stream: true },
      events: [{ pattern: { source: ["shop"], detail: { kind: ["order", "offer"] } } }],
    },
  },
  plain: { module: "plain.ts" },
}, { jobs: {} });

/** A platform, and the parts that tests look at. */
export interface TestPlatform extends AsyncDisposable {
  readonly platform: Platform;
  readonly host: TestHost;
  readonly log: Log;
  readonly send: (request: TestRequest) => Promise<TestResponse>;
  readonly environmentOf: (functionName: string) => Readonly<Record<string, string>>;
  /** Makes the settings of a client of the AWS SDK, with the credentials of a function or of the developer. */
  readonly clientConfig: (functionName?: string) => ClientConfig;
}

interface ClientConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  readonly maxAttempts: number;
}

/** Starts a platform on its own port, with its own folder. */
export async function startTestPlatform(
  answer: Answer = () => "{}",
  options: PlatformOptions & { readonly manifest?: Manifest } = {},
): Promise<TestPlatform> {
  const host = new TestHost(answer);
  const log = new Log();
  let local = MANIFEST;
  const started = await startPlatform(options.manifest ?? MANIFEST, {
    host(manifest) {
      local = manifest;
      return Promise.resolve(host);
    },
    log,
    retryDelays: [1, 1],
    ...options,
  });
  const texts = () => log.after(0).map(({ text }) => text).join("\n");
  const settled = () => within("the end of all work", started.settled(), texts);
  const platform = { ...started, settled };
  const environmentOf = (name: string) => local.functions[name]!.environment;
  return {
    platform,
    host,
    log,
    environmentOf,
    clientConfig(functionName) {
      const environment = functionName === undefined ? {} : environmentOf(functionName);
      const {
        AWS_ACCESS_KEY_ID: accessKeyId = "developer",
        AWS_SECRET_ACCESS_KEY: secretAccessKey = SECRET,
        AWS_SESSION_TOKEN: sessionToken,
        AWS_ENDPOINT_URL: endpoint = platform.servicesUrl,
      } = environment;
      return {
        endpoint,
        region: REGION,
        credentials: { accessKeyId, secretAccessKey, ...sessionToken && { sessionToken } },
        maxAttempts: 1,
        logger: QUIET,
      };
    },
    send: (request) => {
      const [, host = "127.0.0.1"] = request.headers?.find(([name]) => /^host$/i.test(name)) ?? [];
      const isOwn = /^(?:127\.0\.0\.1|\[::1\])(?::|$)/.test(host) &&
        /^\/(?!v\d)/.test(request.path);
      const { pathname } = new URL(platform.controlUrl);
      const needsSecret = isOwn && !request.path.startsWith(pathname);
      return send(
        platform.port,
        needsSecret ? { ...request, path: pathname + request.path } : request,
      );
    },
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}

/** A logger for clients of the AWS SDK. Without one, they print advice to the console. */
export const QUIET = { trace() {}, debug() {}, info() {}, warn() {}, error() {} } as const;

/** A request that is sent unchanged. */
export interface TestRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array;
}

/** A response that is read unchanged. */
export interface TestResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The first value of a header. */
  readonly header: (name: string) => string | undefined;
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** Sends a request as `curl --path-as-is` does, without normalising it. */
export async function send(
  port: number,
  { method = "GET", path, headers = [], body = "" }: TestRequest,
  hostname = "127.0.0.1",
): Promise<TestResponse> {
  const content = Buffer.from(body as string);
  const lines = [`${method} ${path} HTTP/1.1`];
  const has = (name: string) => headers.some(([key]) => key.toLowerCase() === name);
  // The routes have another origin than the platform itself. Every test has a stage such as v0.
  const host = /^\/v\d/.test(path) ? "localhost" : "127.0.0.1";
  if (!has("host")) lines.push(`Host: ${host}:${port}`);
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  const isSized = has("content-length") || has("transfer-encoding");
  if (content.length > 0 && !isSized) lines.push(`Content-Length: ${content.length}`);
  lines.push("Connection: close", "", "");
  using connection = await Deno.connect({ port, hostname });
  const writing = writeAll(connection, Buffer.concat([Buffer.from(lines.join("\r\n")), content]));
  const chunks: Uint8Array[] = [];
  const read = async () => {
    const buffer = new Uint8Array(65_536);
    for (let length; (length = await connection.read(buffer)) !== null;) {
      chunks.push(buffer.slice(0, length));
    }
  };
  const exchange = read().finally(() => writing);
  await within(`the response to ${method} ${path}`, exchange, () => `${Buffer.concat(chunks)}`);
  return parse(Buffer.concat(chunks));
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  try {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  } catch (error) {
    // The platform may answer and hang up before it has read the whole request.
    const isHungUp = error instanceof Deno.errors.BrokenPipe ||
      error instanceof Deno.errors.ConnectionReset;
    if (!isHungUp) throw error;
  }
}

function parse(bytes: Buffer): TestResponse {
  const end = bytes.indexOf("\r\n\r\n");
  const [first, ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]);
  const content = bytes.subarray(end + 4);
  return {
    status: Number(first!.split(" ")[1]),
    headers,
    header: (name) => headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1],
    bytes: content,
    text: content.toString(),
  };
}
