import type { Manifest } from "../manifest/types.ts";
import type { Application } from "../application/types.ts";
import { calledFunction, type createInvokeApi } from "./invoke/invoke_api.ts";
import { MAX_SYNC_EVENT } from "../application/limits.ts";
import type { BucketFolder } from "./triggers/bucket_folder.ts";
import { Rights } from "./services/access.ts";
import type { EventBus } from "./services/event_bus.ts";
import { readCredential } from "./services/credentials.ts";
import { localManifest } from "./services/local_manifest.ts";
import type { Messaging } from "./services/messaging.ts";
import { MultipartUploads } from "./services/multipart.ts";
import { jsonFailure, s3Failure } from "./services/responses.ts";
import { createS3 } from "./services/s3.ts";
import { answerPreflight, checkPresigned, grantPage } from "./services/s3_pages.ts";
import { MAX_TABLE_REQUEST, type Tables } from "./tables/tables.ts";
import { type ServiceCall, ServiceError } from "./services/service_call.ts";
import { snsFailure } from "./services/sns/errors.ts";
import { isForm } from "./services/sns/query.ts";
import { sqsFailure } from "./services/sqs/sqs.ts";

export interface Resources {
  readonly buckets: ReadonlyMap<string, BucketFolder>;
  readonly messaging: Messaging;
  readonly eventBus: EventBus;
  readonly invokeApi: InvokeApi;
  readonly tables: Tables;
  /** Writes a line to the log. */
  readonly note: (text: string) => void;
}

type InvokeApi = ReturnType<typeof createInvokeApi>;

/** A service: how it reads requests, and how it says errors. */
interface Backend {
  /** Parses a request. Amazon S3 reads the body from the request, so `body` is empty. */
  parse(request: Request, body: string, sourceIp: string): ServiceCall | Promise<ServiceCall>;
  fail(error: ServiceError): Response;
}

/**
 * Amazon S3, SNS, SQS, EventBridge, DynamoDB and the Invoke API of AWS Lambda, for the AWS SDKs and the AWS CLI. They listen
 * on two loopback ports. Through the port for functions, a function can do only what the manifest grants to its access key.
 * Through the developer's port, everything is allowed. Requests to other services get 501.
 */
export class Services implements AsyncDisposable {
  /** A function has no permission to connect to the developer's port. So it cannot claim to be the developer. */
  #developer: Deno.HttpServer<Deno.NetAddr> | undefined;
  readonly #port: number;
  readonly #functions: Deno.HttpServer<Deno.NetAddr>;
  readonly #manifest: Manifest;
  readonly #application: Application;
  readonly #rights: Rights;
  /** The names of the functions, by their access keys. */
  readonly #owners = new Map<string, string>();
  /** The access key of functions that share one process. No page can guess it. */
  readonly #sharedKey = createAccessKey();
  readonly #uploads = new MultipartUploads();
  #backends: Readonly<Record<string, Backend>> = {};
  #note: Resources["note"] = () => {};

  /**
   * Opens the port for functions, because they need its URL. The developer's port is opened here only if the system chooses
   * it: another platform may use a given port until the call of {@linkcode attach}. Then the services answer.
   */
  constructor(manifest: Manifest, application: Application, port = 0) {
    this.#manifest = manifest;
    this.#application = application;
    this.#rights = new Rights(application);
    if (port === 0) this.#developer = this.#listen(false, port);
    this.#port = this.#developer?.addr.port ?? port;
    this.#functions = this.#listen(true, 0);
    for (const name of Object.keys(manifest.functions)) {
      this.#owners.set(createAccessKey(), name);
    }
  }

  #listen(isForFunctions: boolean, port: number): Deno.HttpServer<Deno.NetAddr> {
    return Deno.serve(
      {
        hostname: "127.0.0.1",
        port,
        onListen: () => {},
        // Deno would print the error. The error may quote the request, with sequences that control the terminal.
        onError: (error) => {
          this.#note(`Cannot answer a request to a service: ${(error as Error).message}`);
          const { message } = error as Error;
          return jsonFailure(new ServiceError("InternalFailure", message, undefined, 500));
        },
      },
      (request, { remoteAddr }) => this.#answer(request, remoteAddr.hostname, isForFunctions),
    );
  }

  /** Connects the services with the resources of the application. */
  attach({ buckets, messaging, eventBus, invokeApi, tables, note }: Resources): void {
    this.#note = note;
    this.#developer ??= this.#listen(false, this.#port);
    const named = Object.entries(this.#application.buckets)
      .map(([key, { name }]) => [name, buckets.get(key)!] as const);
    const s3 = createS3(new Map(named), this.#uploads);
    const parseBy = (service: "sns" | "sqs") => ({ headers, url }: Request, body: string) =>
      messaging.parse(service, headers, body, new URL(url).origin);
    this.#backends = {
      dynamodb: { parse: ({ headers }, body) => tables.parse(headers, body), fail: jsonFailure },
      events: { parse: ({ headers }, body) => eventBus.parse(headers, body), fail: jsonFailure },
      lambda: {
        parse: (request, body) => ({
          accesses: [{
            action: "lambda:InvokeFunction",
            resource: calledFunction(this.#application, new URL(request.url).pathname),
          }],
          run: () => invokeFunction(invokeApi, request, body),
        }),
        fail: jsonFailure,
      },
      s3: {
        parse: (request, _body, sourceIp) => s3(request, { sourceIp }),
        fail: s3Failure,
      },
      sns: { parse: parseBy("sns"), fail: snsFailure },
      sqs: { parse: parseBy("sqs"), fail: sqsFailure },
    };
  }

  /** The URL for `--endpoint-url` of the AWS CLI. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /**
   * Returns the manifest for this machine, with which the functions find these services.
   *
   * @param isShared Whether all functions share one process. Then they use the developer's port.
   */
  localManifest(isShared = false): Manifest {
    const keys = new Map([...this.#owners].map(([key, name]) => [name, key]));
    return localManifest({
      manifest: this.#manifest,
      url: isShared ? this.url : `http://127.0.0.1:${this.#functions.addr.port}`,
      keyOf: (name) => isShared ? this.#sharedKey : keys.get(name)!,
    });
  }

  /** Tells whether an access key may invoke the URL of a function. A key that no function has belongs to the developer. */
  mayInvokeUrl(accessKey: string, functionName: string): boolean {
    const owner = this.#owners.get(accessKey);
    return owner === undefined || this.#rights.allows(owner, {
      action: "lambda:InvokeFunctionUrl",
      resource: this.#application.functions[functionName]!.arn,
      context: { "lambda:FunctionUrlAuthType": "AWS_IAM" },
    });
  }

  async #answer(request: Request, sourceIp: string, isForFunctions: boolean): Promise<Response> {
    const { headers } = request;
    const host = headers.get("host");
    const port = isForFunctions ? this.#functions.addr.port : this.#port;
    if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) {
      return new Response(`The request is for another host: ${host}`, { status: 421 });
    }
    const { service, key } = readCredential(request);
    const owner = isForFunctions ? this.#owners.get(key) : undefined;
    const isOfPage = headers.has("origin") || headers.has("sec-fetch-site");
    const isOfFunction = owner !== undefined || !isForFunctions && key === this.#sharedKey;
    if (isOfPage && service === "s3" && isOfFunction) {
      return await this.#answerPage(request, owner, sourceIp);
    }
    if (isOfPage) {
      const refusal = "A web page may not use the services on this machine";
      this.#note(`${request.method} ${request.url.replace(/\?.*/s, "")}: ${refusal}`);
      return new Response(refusal, { status: 403 });
    }
    const backend = Object.hasOwn(this.#backends, service) ? this.#backends[service] : undefined;
    if (backend === undefined) return refuseService(service, headers);
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
      const message = "The security token included in the request is invalid: unknown access key";
      return backend.fail(new ServiceError("InvalidClientTokenId", message, undefined, 403));
    }
    return await this.#run(backend, service, owner, () => backend.parse(request, body, sourceIp));
  }

  /** Answers a web page that has a URL which a function has presigned. */
  async #answerPage(
    request: Request,
    owner: string | undefined,
    sourceIp: string,
  ): Promise<Response> {
    const [, bucket = ""] = new URL(request.url).pathname.split("/");
    const buckets = Object.values(this.#application.buckets);
    const cors = buckets.find(({ name }) => name === bucket)?.cors;
    const backend = this.#backends.s3!;
    const response = await this.#run(backend, "s3", owner, async () => {
      if (request.method === "OPTIONS") {
        return { accesses: [], run: () => Promise.resolve(answerPreflight(request, cors)) };
      }
      await checkPresigned(request);
      return await backend.parse(request, "", sourceIp);
    });
    return grantPage(response, request, cors);
  }

  /** Runs a call with the rights of a function, or with all rights. */
  async #run(
    backend: Backend,
    service: string,
    owner: string | undefined,
    parse: () => ServiceCall | Promise<ServiceCall>,
  ): Promise<Response> {
    try {
      const call = await parse();
      if (owner !== undefined) this.#rights.check(owner, service, call.accesses);
      return await call.run();
    } catch (error) {
      if (error instanceof ServiceError) return backend.fail(error);
      this.#note(`${service}: ${(error as Error).message}`);
      const message = "The platform failed: its log says why";
      return backend.fail(new ServiceError("InternalError", message, undefined, 500));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#developer?.shutdown(), this.#functions.shutdown()]);
    await this.#uploads[Symbol.asyncDispose]();
  }
}

/** Refuses a request to a service that is not emulated, in the form that its client reads. */
function refuseService(service: string, headers: Headers): Response {
  const message = `The service "${service}" is not emulated locally: ` +
    "to call the real one, name its host in permissions.net";
  const error = new ServiceError("NotImplemented", message, undefined, 501);
  return isForm(headers) ? snsFailure(error) : jsonFailure(error);
}

function createAccessKey(): string {
  return `LOCAL${crypto.randomUUID().replaceAll("-", "").toUpperCase()}`;
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
