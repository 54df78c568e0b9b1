import type { Application } from "../application/types.ts";
import { Calls } from "./calls.ts";
import { calledFunction, type createInvokeApi } from "../gateway/invoke_api.ts";
import { MAX_SYNC_EVENT, MAX_TABLE_REQUEST } from "../rules/limits.ts";
import type { BucketFolder } from "../aws/s3/bucket_folder.ts";
import { denied, Rights } from "../aws/iam/policy.ts";
import type { EventBus } from "../aws/events/event_bus.ts";
import { type AccessKeys, isForm, readCredential, SECRET } from "../aws/credentials.ts";
import { type Forwarding, readForwarded } from "./forwarding.ts";
import type { Messaging } from "../sources/messaging.ts";
import { MultipartUploads } from "../aws/s3/multipart.ts";
import {
  jsonFailure,
  S3Error,
  s3Failure,
  type ServiceCall,
  ServiceError,
} from "../aws/service_call.ts";
import { createS3 } from "../aws/s3/s3.ts";
import { answerPreflight, grantPage } from "../aws/s3/pages.ts";
import { type Signature, SignatureError } from "../aws/signature.ts";
import { checkExpiry, type ChunkSignatures } from "../aws/signature_check.ts";
import type { Tables } from "../aws/dynamodb/tables.ts";
import { parseSns } from "../aws/sns/operations.ts";
import { snsFailure } from "../aws/sns/publication.ts";
import { type ReceivedRequest, type Signer, Signers } from "./signers.ts";
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
  /** Opens the tables when they are first needed. */
  readonly tables: () => Promise<Tables>;
  readonly forwarding: Forwarding;
  /** Records the calls. */
  readonly recorded: RecordedCalls;
  /** Writes a line to the log. */
  readonly note: (text: string) => void;
}

type InvokeApi = ReturnType<typeof createInvokeApi>;

/** How a service says errors. */
type Fail = (error: ServiceError) => Response;

/** A service: how it reads requests, and how it says errors. */
interface Backend {
  /** Parses a request. Amazon S3 reads the body from the request, so `body` is empty. */
  parse(request: Request, body: string, client: Sender): ServiceCall | Promise<ServiceCall>;
  readonly fail: Fail;
}

/** The client of a request. */
interface Sender {
  readonly sourceIp: string;
  /** The signatures of the chunks of the body, if the client has signed each. */
  readonly chunks?: ChunkSignatures | undefined;
}

/** A request to a service, whose signature was checked. */
interface Sent {
  readonly fail: Fail;
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
  readonly #signers: Signers;
  readonly #uploads = new MultipartUploads();
  readonly #backends: Readonly<Record<string, Backend>>;
  /** The calls under way that read or change data, also those of other parts of the platform. */
  readonly calls: Calls = new Calls();

  constructor(options: ServicesOptions) {
    const { application, buckets, eventBus, invokeApi, tables } = options;
    const { queues, topics, signal } = options.messaging;
    this.#options = options;
    this.#rights = new Rights(application.functions);
    this.#signers = new Signers(application.functions, options.keys);
    const named = Object.entries(application.buckets)
      .map(([key, { name }]) => [name, buckets.get(key)!] as const);
    const s3 = createS3(new Map(named), this.#uploads);
    this.#backends = {
      dynamodb: {
        parse: async ({ headers }, body) => (await tables()).parse(headers, body),
        fail: jsonFailure,
      },
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
        parse: (request, _body, { sourceIp, chunks }) => {
          const traceHeader = request.headers.get("x-amzn-trace-id") ?? undefined;
          return s3(request, { sourceIp, traceHeader }, chunks);
        },
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

  /**
   * Returns the secret that a signature must be made with. A key that no function ever had belongs to the developer.
   *
   * @throws {SignatureError} If the key is that of a function that has gone, or its session token is missing.
   */
  secretOf(signature: Signature): string {
    const isOwned = this.#options.keys.find(signature.accessKeyId) !== undefined;
    return isOwned ? this.#signers.keyOf(signature).secretAccessKey : SECRET;
  }

  /** Tells whether an access key may invoke the URL of a function. */
  mayInvokeUrl(accessKeyId: string, functionName: string): boolean {
    const owner = this.#signers.find(accessKeyId)?.functionName;
    return owner === undefined || this.#rights.allows(owner, {
      action: "lambda:InvokeFunctionUrl",
      resource: this.#options.application.functions[functionName]!.arn,
      context: { "lambda:FunctionUrlAuthType": "AWS_IAM" },
    });
  }

  /** Answers a request. Never rejects. */
  async answer(request: Request, door: Door): Promise<Response> {
    const { headers } = request;
    const host = headers.get("host") ?? new URL(request.url).host; // HTTP/2 has no such header.
    if (host !== `127.0.0.1:${door.port}` && host !== `localhost:${door.port}`) {
      return new Response(`The request is for another host: ${host}`, { status: 421 });
    }
    const { service, key } = readCredential(request);
    const isOfPage = headers.has("origin") || headers.has("sec-fetch-site");
    if (!isOfPage) return await this.#answer(request, service, door);
    const owner = door.isForFunctions ? this.#signers.find(key) : undefined;
    if (service === "s3" && owner !== undefined) {
      return await this.#answerPage(request, owner.functionName, door);
    }
    const refusal = "A web page may not use the services on this machine";
    this.#options.note(`${request.method} ${request.url.replace(/\?.*/s, "")}: ${refusal}`);
    return new Response(refusal, { status: 403 });
  }

  async #answer(request: Request, service: string, door: Door): Promise<Response> {
    const backend = Object.hasOwn(this.#backends, service) ? this.#backends[service] : undefined;
    if (backend === undefined) return await this.#forward(request, service, door);
    const { fail } = backend;
    const call = this.#refuse(fail, service, async () => {
      const bytes = service === "s3" ? undefined : await readBody(request, service);
      const signer = this.#identify({ request, service, isEmulated: true, body: bytes }, door);
      const body = new TextDecoder().decode(bytes);
      const sent = { fail, service, owner: signer?.functionName, request, body };
      const sender = { sourceIp: door.sourceIp, chunks: signer?.chunks };
      return await this.#run(sent, () => backend.parse(request, body, sender));
    });
    return await (service === "lambda" ? call : this.calls.run(call));
  }

  /** Sends a request to the real service, with the login of the developer. The login is for functions only. */
  #forward(request: Request, service: string, door: Door): Promise<Response> {
    const fail = isForm(request.headers) ? snsFailure : jsonFailure;
    return this.#refuse(fail, service, async () => {
      if (!door.isForFunctions) throw notForwarded(service);
      const body = await readForwarded(request, service);
      const received = { request, service, isEmulated: false, body };
      const { functionName: owner } = this.#signers.check(received);
      const run = () => this.#options.forwarding.answer(request, service, owner, body);
      return await this.#run({ fail, service, owner, request }, () => ({ accesses: [], run }));
    });
  }

  /** Finds out who has sent a request. Returns `undefined` for the developer, whose port needs no signature. */
  #identify(received: ReceivedRequest, { isForFunctions }: Door): Signer | undefined {
    if (isForFunctions) return this.#signers.check(received);
    const { searchParams } = new URL(received.request.url);
    if (received.service === "s3" && searchParams.has("X-Amz-Expires")) checkExpiry(searchParams);
    return undefined;
  }

  /** Answers a web page that has a URL which a function has presigned. */
  async #answerPage(request: Request, owner: string, door: Door): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const [, bucket = ""] = pathname.split("/");
    const buckets = Object.values(this.#options.application.buckets);
    const cors = buckets.find(({ name }) => name === bucket)?.cors;
    const sent = { fail: s3Failure, service: "s3", owner, request };
    const isPreflight = request.method === "OPTIONS";
    const response = searchParams.has("X-Amz-Signature") && !isPreflight
      ? await this.#answer(request, "s3", door)
      : await this.#run(sent, () => {
        if (!isPreflight) throw new S3Error("AccessDenied", "A web page needs a presigned URL");
        return { accesses: [], run: () => answerPreflight(request, cors) };
      });
    return grantPage(response, request, cors);
  }

  /** Says a mistake of the client as the service does. */
  async #refuse(fail: Fail, service: string, work: () => Promise<Response>): Promise<Response> {
    try {
      return await work();
    } catch (error) {
      return fail(this.#errorOf(error, service));
    }
  }

  /** Runs a call with the rights of a function, or with all rights, and records it. */
  async #run(sent: Sent, parse: () => ServiceCall | Promise<ServiceCall>): Promise<Response> {
    const { request, service, owner, body = "" } = sent;
    const recorded = this.#options.recorded.begin(request, service, owner, body);
    return await recorded.answered(await this.#attempt(sent, recorded, parse));
  }

  async #attempt(
    { fail, service, owner }: Sent,
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
      const known = this.#errorOf(error, service);
      recorded.failed(known);
      return fail(known);
    }
  }

  /** Returns the error that the client gets. Any other error is one of the platform. */
  #errorOf(error: unknown, service: string): ServiceError {
    if (error instanceof ServiceError) return error;
    if (error instanceof SignatureError) return error.of(service);
    this.#options.note(`${service}: ${(error as Error).message}`);
    const message = "The platform failed: its log says why";
    return new ServiceError("InternalError", message, undefined, 500);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#uploads[Symbol.asyncDispose]();
  }
}

/** Reads the body of a request to a service that keeps it in memory. */
async function readBody(request: Request, service: string): Promise<Uint8Array> {
  const { body, headers } = request;
  const length = body === null ? 0 : Number(headers.get("content-length") ?? Infinity);
  const most = service === "dynamodb" ? MAX_TABLE_REQUEST : MAX_SYNC_EVENT;
  if (length <= most) return await request.bytes();
  const message = `Expected a Content-Length of at most ${most}`;
  throw new ServiceError("RequestEntityTooLarge", message, undefined, 413);
}

/** Makes the error for a client of the developer, who can call the real service. */
function notForwarded(service: string): ServiceError {
  const message = `The service "${service}" is not emulated locally: ` +
    "to call the real one, leave out the endpoint of the local platform";
  return new ServiceError("NotImplemented", message, undefined, 501);
}

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
