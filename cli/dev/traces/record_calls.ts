import type { Application } from "../../application/types.ts";
import type { Access, ServiceCall, ServiceError } from "../../aws/service_call.ts";
import { parseObject } from "../../rules/json_object.ts";
import {
  createSpanId,
  readTraceHeader,
  replaceTraceHeader,
  withParent,
  withRoot,
} from "../../rules/trace_header.ts";
import type { Attributes, SpanError } from "./span.ts";
import { followStream } from "./followed_stream.ts";
import { keep, type Traces } from "./traces.ts";

/** The services as AWS SDKs name them. */
const NAMES: Readonly<Record<string, string>> = {
  dynamodb: "DynamoDB",
  events: "EventBridge",
  lambda: "Lambda",
  s3: "S3",
  sns: "SNS",
  sqs: "SQS",
};

/** The services on this machine, as `rpc.service` names them. */
export const EMULATED: readonly string[] = Object.values(NAMES);

/** The operations whose receivers are caused by the call. */
const PRODUCERS = /^(SendMessage|Publish|PutEvents)/;

/** The calls of services that are recorded, with the names of the manifest. */
export class RecordedCalls {
  /** The resources by their names in the account. */
  readonly #resources: ReadonlyMap<string, readonly [type: ResourceType, name: string]>;

  constructor(
    application: Application,
    private readonly traces: Traces,
    /** Finds the trace header of the invocation that calls. */
    private readonly callerOf: (
      name: string,
      token: string,
      header: string | undefined,
    ) => string | undefined,
  ) {
    this.#resources = new Map(resourcesOf(application));
  }

  /**
   * Begins a call. From now on, the request has the call as the parent in its trace header.
   *
   * @param owner The function that calls; `undefined` for the developer.
   */
  begin(request: Request, service: string, owner: string | undefined, body: string): Call {
    const header = request.headers.get("x-amzn-trace-id") ?? undefined;
    const token = request.headers.get("x-amz-security-token") ?? "";
    const caller = owner === undefined ? header : this.callerOf(owner, token, header);
    const known = withRoot(caller);
    const { traceId, parent } = readTraceHeader(known);
    const id = createSpanId();
    const headers = new Headers(request.headers);
    replaceTraceHeader(headers, withParent(known, id));
    // A new Request would change the path: Amazon S3 has keys such as "a/../b".
    Object.defineProperty(request, "headers", { value: headers });
    const method = operationOf(request, body);
    const { pathname } = new URL(request.url);
    this.traces.begin({
      id,
      traceId: traceId!,
      parent,
      type: "call",
      kind: PRODUCERS.test(method) ? "producer" : "client",
      name: method || pathname,
      attributes: {
        "rpc.system": "aws-api",
        "rpc.service": NAMES[service] ?? service,
        ...method !== "" && { "rpc.method": method },
        ...owner !== undefined && { "faas.name": owner },
      },
      ...body !== "" && { event: keep(new TextEncoder().encode(body)) },
    });
    let name = method || pathname;
    let attributes: Attributes = {};
    let error: SpanError | undefined;
    let isLate = false;
    return {
      parsed: ({ accesses: [access], operation = method, isLate: waits = false }) => {
        isLate = waits;
        if (access === undefined) return;
        const [type, resource] = this.#resourceOf(access);
        name = `${operation} ${resource}`;
        attributes = {
          "rpc.method": operation,
          ...type && { "mate.resource.type": type, "mate.resource.name": resource },
        };
      },
      denied: ({ action }) => attributes = { ...attributes, "mate.denied": action },
      failed: ({ code, message }) => error = { type: code, message },
      answered: async (response) => {
        const { status, headers } = response;
        // Objects are not read twice.
        const isText = response.body !== null && (service !== "s3" || status >= 400) &&
          /json|xml/.test(headers.get("content-type") ?? "");
        const end = (bytes?: Uint8Array, size?: number) => {
          const isFailed = status >= 500 || "mate.denied" in attributes;
          if (status >= 400) error ??= errorIn(bytes, status);
          this.traces.end(id, {
            status: isFailed ? "failed" : status >= 400 ? "refused" : "ok",
            name,
            error,
            attributes: { ...attributes, "http.response.status_code": status },
            result: bytes && keep(bytes, size),
          });
        };
        if (isLate && response.body !== null) {
          return new Response(followStream(response.body, end), response);
        }
        const bytes = isText ? await response.bytes() : undefined;
        end(bytes);
        return bytes === undefined ? response : new Response(bytes, response);
      },
    };
  }

  /** Names a resource as the manifest does. An object has its key after the bucket. */
  #resourceOf(
    { action, resource }: Access,
  ): readonly [type: ResourceType | undefined, name: string] {
    const [service] = action.split(":");
    const text = resource.split(":").slice(5).join(":").replace(
      /^(function:|table\/|event-bus\/)/,
      "",
    );
    const [first = "", ...rest] = text.split("/");
    const [type, name] = this.#resources.get(`${service} ${first}`) ?? [undefined, first];
    if (service === "events") return ["bus", first];
    return [type, service === "dynamodb" ? name : [name, ...rest].join("/")];
  }
}

type ResourceType = NonNullable<Attributes["mate.resource.type"]>;

/** A call under way. */
export interface Call {
  /** Says what the call does. */
  parsed(call: ServiceCall): void;
  /** Says what the function may not do. */
  denied(access: Access): void;
  /** Says why the call fails. */
  failed(error: ServiceError): void;
  /** Ends the call. Returns the response to send. */
  answered(response: Response): Promise<Response>;
}

/** Reads the operation of a request; an empty text if only its path says it. */
function operationOf({ headers }: Request, body: string): string {
  const target = headers.get("x-amz-target")?.split(".").at(-1);
  return target ?? new URLSearchParams(/(?:^|&)Action=\w+/.exec(body)?.[0]).get("Action") ?? "";
}

/** Reads the error of a service, in JSON or in XML. */
function errorIn(bytes: Uint8Array | undefined, status: number): SpanError {
  const text = new TextDecoder().decode(bytes);
  const element = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
  const { __type = element("Code") ?? status, message, Message } = parseObject(text) ?? {};
  const found = message ?? Message ?? element("Message") ?? `HTTP ${status}`;
  return { type: String(__type).split("#").at(-1)!, message: String(found) };
}

function* resourcesOf(
  { buckets, functions, queues, tables, topics }: Application,
): Generator<readonly [string, readonly [ResourceType, string]]> {
  for (const [key, { name }] of Object.entries(buckets)) yield [`s3 ${name}`, ["bucket", key]];
  for (const [key, { name }] of Object.entries(functions)) {
    yield [`lambda ${name}`, ["function", key]];
  }
  for (const [key, { name, deadLetters }] of Object.entries(queues)) {
    yield [`sqs ${name}`, ["queue", key]];
    yield [`sqs ${deadLetters.name}`, ["queue", `${key} (dead letters)`]];
  }
  for (const [key, { name }] of Object.entries(tables)) yield [`dynamodb ${name}`, ["table", key]];
  for (const [key, { name }] of Object.entries(topics)) yield [`sns ${name}`, ["topic", key]];
}
