import type { Application } from "../application/types.ts";
import { calledFunction, type createInvokeApi } from "../gateway/invoke_api.ts";
import { MAX_SYNC_EVENT } from "../rules/limits.ts";
import type { BucketFolder } from "../aws/s3/bucket_folder.ts";
import { denied, Rights } from "../aws/iam/policy.ts";
import type { EventBus } from "../aws/events/event_bus.ts";
import { type AccessKeys, isForm, readCredential, readToken } from "../aws/credentials.ts";
import type { Forwarding } from "./forwarding.ts";
import type { Messaging } from "../sources/messaging.ts";
import { MultipartUploads } from "../aws/s3/multipart.ts";
import { jsonFailure, s3Failure, type ServiceCall, ServiceError } from "../aws/service_call.ts";
import { createS3 } from "../aws/s3/s3.ts";
import { answerPreflight, checkPresigned, grantPage } from "../aws/s3/pages.ts";
import { MAX_TABLE_REQUEST, type Tables } from "../aws/dynamodb/tables.ts";
import { parseSns } from "../aws/sns/operations.ts";
import { snsFailure } from "../aws/sns/publication.ts";
import type { Door } from "./sockets.ts";
import type { Call, RecordedCalls } from "./traces/record_calls.ts";
import { parseSqs, sqsFailure } from "../aws/sqs/sqs.ts";

/** What the services need. */
export interface ServicesOptions {
  readonly application: Application;
  readonly keys: AccessKeys;
  readonly buckets: ReadonlyMap<string, BucketFolder>;
  readonly messaging: Messaging;
  readonly eventBus: EventBus;
  readonly invokeApi: InvokeApi;
  readonly tables: Tables;
  readonly forwarding: Forwarding;
  /** Records the calls. */
  readonly recorded: RecordedCalls;
  /** Writes a line to the log. */
  readonly note: (text: string) => void;
}

type InvokeApi = ReturnType<typeof createInvokeApi>;

/** The longest wait for calls under way, in milliseconds. A slow client must not stop a restart. */
const PATIENCE = 5_000;

class Calls {
  readonly #running = new Set<Promise<unknown>>();

  /** Counts a call until its end. */
  async run<T>(call: Promise<T>): Promise<T> {
    this.#running.add(call);
    try {
      return await call;
    } finally {
      this.#running.delete(call);
    }
  }

  /** Waits until the calls have ended, for some seconds at most. */
  async ended(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, PATIENCE);
    await Promise.race([Promise.allSettled(this.#running), late]);
    clearTimeout(timer);
  }
}

/** A service: how it reads requests, and how it says errors. */
interface Backend {
  /** Parses a request. Amazon S3 reads the body from the request, so `body` is empty. */
  parse(request: Request, body: string, sourceIp: string): ServiceCall | Promise<ServiceCall>;
  fail(error: ServiceError): Response;
}

/** A request to a service. */
interface Sent {
  readonly backend: Backend;
  readonly service: string;
  /** The function that sends it; `undefined` for the developer. */
  readonly owner: string | undefined;
  readonly request: Request;
  readonly body?: string;
}

/**
 * Amazon S3, SNS, SQS, EventBridge, DynamoDB and the Invoke API of AWS Lambda, for the AWS SDKs and the AWS CLI. Through the
 * port for functions, a function can do only what the manifest grants to its access key. Through the developer's port,
 * everything is allowed. Requests to other services are forwarded, if their hosts are granted.
 */
export class Services implements AsyncDisposable {
  readonly #options: ServicesOptions;
  readonly #rights: Rights;
  readonly #uploads = new MultipartUploads();
  readonly #backends: Readonly<Record<string, Backend>>;
  /** The calls under way that read or change data, also those of other parts of the platform. */
  readonly calls: Calls = new Calls();

  constructor(options: ServicesOptions) {
    const { application, buckets, eventBus, invokeApi, tables } = options;
    const { queues, topics, signal } = options.messaging;
    this.#options = options;
    this.#rights = new Rights(application.functions);
    const named = Object.entries(application.buckets)
      .map(([key, { name }]) => [name, buckets.get(key)!] as const);
    const s3 = createS3(new Map(named), this.#uploads);
    this.#backends = {
      dynamodb: { parse: ({ headers }, body) => tables.parse(headers, body), fail: jsonFailure },
      events: { parse: ({ headers }, body) => eventBus.parse(headers, body), fail: jsonFailure },
      lambda: {
        parse: (request, body) => ({
          accesses: [{
            action: "lambda:InvokeFunction",
            resource: calledFunction(application, new URL(request.url).pathname),
          }],
          operation: "Invoke",
          run: () => invokeFunction(invokeApi, request, body),
        }),
        fail: jsonFailure,
      },
      s3: {
        parse: (request, _body, sourceIp) =>
          s3(request, {
            sourceIp,
            traceHeader: request.headers.get("x-amzn-trace-id") ?? undefined,
          }),
        fail: s3Failure,
      },
      sns: { parse: ({ headers }, body) => parseSns(topics, headers, body), fail: snsFailure },
      sqs: {
        parse: ({ headers, url }, body) =>
          parseSqs(queues, headers, body, { endpoint: new URL(url).origin, signal }),
        fail: sqsFailure,
      },
    };
  }

  /** Returns the function of the application that has an access key; `undefined` if none has. */
  #ownerOf(key: string): string | undefined {
    const owner = this.#options.keys.ownerOf(key);
    return owner !== undefined && Object.hasOwn(this.#options.application.functions, owner)
      ? owner
      : undefined;
  }

  /** Tells whether an access key may invoke the URL of a function. A key that no function has belongs to the developer. */
  mayInvokeUrl(accessKey: string, functionName: string): boolean {
    const owner = this.#ownerOf(accessKey);
    return owner === undefined || this.#rights.allows(owner, {
      action: "lambda:InvokeFunctionUrl",
      resource: this.#options.application.functions[functionName]!.arn,
      context: { "lambda:FunctionUrlAuthType": "AWS_IAM" },
    });
  }

  /** Answers a request. Never rejects. */
  async answer(request: Request, { isForFunctions, port, sourceIp }: Door): Promise<Response> {
    const { headers } = request;
    const host = headers.get("host") ?? new URL(request.url).host; // HTTP/2 has no such header.
    if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) {
      return new Response(`The request is for another host: ${host}`, { status: 421 });
    }
    const { service, key } = readCredential(request);
    const owner = isForFunctions ? this.#ownerOf(key) : undefined;
    if (owner !== undefined && !this.#options.keys.hasToken(owner, readToken(request))) {
      return this.#backends[service]?.fail(wrongToken()) ?? failureFor(headers)(wrongToken());
    }
    const isOfPage = headers.has("origin") || headers.has("sec-fetch-site");
    if (isOfPage && service === "s3" && owner !== undefined) {
      return await this.#answerPage(request, owner, sourceIp);
    }
    if (isOfPage) {
      const refusal = "A web page may not use the services on this machine";
      this.#options.note(`${request.method} ${request.url.replace(/\?.*/s, "")}: ${refusal}`);
      return new Response(refusal, { status: 403 });
    }
    const backend = Object.hasOwn(this.#backends, service) ? this.#backends[service] : undefined;
    if (backend === undefined) {
      const other = { parse: () => ({ accesses: [], run }), fail: failureFor(headers) };
      const run = () => {
        if (isForFunctions && owner === undefined) throw unknownKey();
        // The login is for functions only, so none stands behind the developer's port.
        if (owner === undefined) throw notForwarded(service);
        return this.#options.forwarding.answer(request, service, owner);
      };
      return await this.#run({ backend: other, service, owner, request }, other.parse);
    }
    // Amazon S3 takes content of any size, because it does not keep the content in memory.
    const length = request.body === null ? 0 : Number(headers.get("content-length") ?? Infinity);
    const most = service === "dynamodb" ? MAX_TABLE_REQUEST : MAX_SYNC_EVENT;
    if (service !== "s3" && length > most) {
      const message = `Expected a Content-Length of at most ${most}`;
      const error = new ServiceError("RequestEntityTooLarge", message, undefined, 413);
      return backend.fail(error);
    }
    const body = service === "s3" ? "" : await request.text();
    if (isForFunctions && owner === undefined) {
      return backend.fail(unknownKey());
    }
    const sent = { backend, service, owner, request, body };
    const call = this.#run(sent, () => backend.parse(request, body, sourceIp));
    return await (service === "lambda" ? call : this.calls.run(call));
  }

  /** Answers a web page that has a URL which a function has presigned. */
  async #answerPage(
    request: Request,
    owner: string | undefined,
    sourceIp: string,
  ): Promise<Response> {
    const [, bucket = ""] = new URL(request.url).pathname.split("/");
    const buckets = Object.values(this.#options.application.buckets);
    const cors = buckets.find(({ name }) => name === bucket)?.cors;
    const backend = this.#backends.s3!;
    const response = await this.#run({ backend, service: "s3", owner, request }, async () => {
      if (request.method === "OPTIONS") {
        return { accesses: [], run: () => Promise.resolve(answerPreflight(request, cors)) };
      }
      await checkPresigned(request);
      return await backend.parse(request, "", sourceIp);
    });
    return grantPage(response, request, cors);
  }

  /** Runs a call with the rights of a function, or with all rights, and records it. */
  async #run(sent: Sent, parse: () => ServiceCall | Promise<ServiceCall>): Promise<Response> {
    const { request, service, owner, body = "" } = sent;
    const recorded = this.#options.recorded.begin(request, service, owner, body);
    return await recorded.answered(await this.#attempt(sent, recorded, parse));
  }

  async #attempt(
    { backend, service, owner }: Sent,
    recorded: Call,
    parse: () => ServiceCall | Promise<ServiceCall>,
  ): Promise<Response> {
    try {
      const call = await parse();
      recorded.parsed(call);
      const refused = owner && call.accesses.find((access) => !this.#rights.allows(owner, access));
      if (refused) {
        recorded.denied(refused);
        throw denied(owner, service, refused);
      }
      return await call.run();
    } catch (error) {
      if (!(error instanceof ServiceError)) {
        this.#options.note(`${service}: ${(error as Error).message}`);
      }
      const known = error instanceof ServiceError ? error : new ServiceError(
        "InternalError",
        "The platform failed: its log says why",
        undefined,
        500,
      );
      recorded.failed(known);
      return backend.fail(known);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#uploads[Symbol.asyncDispose]();
  }
}

/** Makes the error for an access key that no function has. */
function unknownKey(): ServiceError {
  const message = "The security token included in the request is invalid: unknown access key";
  return new ServiceError("InvalidClientTokenId", message, undefined, 403);
}

/** Makes the error for a request without the session token of its access key. */
function wrongToken(): ServiceError {
  const message =
    "The security token included in the request is invalid: sign with AWS_SESSION_TOKEN, too";
  return new ServiceError("UnrecognizedClientException", message, undefined, 403);
}

/** Makes the error for a client of the developer, who can call the real service. */
function notForwarded(service: string): ServiceError {
  const message = `The service "${service}" is not emulated locally: ` +
    "to call the real one, leave out the endpoint of the local platform";
  return new ServiceError("NotImplemented", message, undefined, 501);
}

/** Says errors in the form that the client of a service reads. */
const failureFor = (headers: Headers) => isForm(headers) ? snsFailure : jsonFailure;

async function invokeFunction(
  invokeApi: InvokeApi,
  { method, url, headers }: Request,
  body: string,
): Promise<Response> {
  const { pathname: path, search } = new URL(url);
  const reply = await invokeApi({
    method,
    path,
    query: search.slice(1),
    headers: Object.fromEntries(headers),
    body: new TextEncoder().encode(body),
  });
  const content = reply.body as Uint8Array<ArrayBuffer>;
  return new Response(reply.status === 204 ? null : content, {
    status: reply.status,
    headers: reply.headers.map(([name, value]): [string, string] => [name, value]),
  });
}
