import { QUIET } from "../../cli/testdata/platform.ts";
import { EventBridge } from "@aws-sdk/client-eventbridge";
import { Lambda } from "@aws-sdk/client-lambda";
import { S3, type S3ClientConfig } from "@aws-sdk/client-s3";
import { SNS } from "@aws-sdk/client-sns";
import { SQS } from "@aws-sdk/client-sqs";
import { checkAnswers } from "../../cli/testdata/contract.ts";

/** The answer of a service, as its client of the AWS SDK returns it. */
export type Answer =
  | { readonly status: number; readonly output: Record<string, unknown> }
  | { readonly error: ReturnType<typeof errorOf> };

/** A client of any service: its methods are the operations. */
type Client = Pick<S3, "middlewareStack" | "destroy">;

/** The clients of the AWS SDK. */
export class Clients implements Disposable {
  readonly #services: Readonly<Record<string, Client>>;

  constructor(options: S3ClientConfig) {
    const config = { maxAttempts: 1, logger: QUIET, ...options } as object as Record<string, never>;
    this.#services = {
      events: checkAnswers(new EventBridge(config)) as object as Client,
      lambda: checkAnswers(new Lambda(config)) as object as Client,
      s3: checkAnswers(new S3(config)),
      sns: checkAnswers(new SNS(config)) as object as Client,
      sqs: checkAnswers(new SQS(config)) as object as Client,
    };
  }

  /** Calls an operation, such as `s3.PutObject`. */
  async call(
    operation: string,
    input: Record<string, unknown>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const [service = "", name = ""] = operation.split(".");
    const client = this.#services[service];
    const method = name.replace(/^./, (letter) => letter.toLowerCase());
    const send = (client as unknown as Record<string, unknown> | undefined)?.[method];
    if (client === undefined || typeof send !== "function") {
      throw new TypeError(`Cannot call "${operation}": the AWS SDK has no such operation`);
    }
    const isTyped = "ContentType" in input;
    client.middlewareStack.add(
      (next) => (args) => {
        const { headers: fields } = args.request as { headers: Record<string, string> };
        // The client of the recordings sends no media type for an object.
        if (service === "s3" && !isTyped) delete fields["content-type"];
        Object.assign(fields, headers);
        return next(args);
      },
      { step: "build", priority: "low", name: "recorded", override: true },
    );
    try {
      return await answerOf(await send.call(client, encodeInput(input)));
    } catch (error) {
      return { error: errorOf(error) };
    }
  }

  [Symbol.dispose](): void {
    for (const client of Object.values(this.#services)) client.destroy();
  }
}

/** Encodes the payload of a function, and the key of `CopySource`. The SDK does not encode `CopySource`. */
function encodeInput(input: Record<string, unknown>): Record<string, unknown> {
  const { CopySource, Payload } = input;
  if (typeof Payload === "string") return { ...input, Payload: new TextEncoder().encode(Payload) };
  if (typeof CopySource !== "string") return input;
  const [path = "", ...version] = CopySource.split("?versionId=");
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return { ...input, CopySource: [encoded, ...version].join("?versionId=") };
}

interface Output {
  readonly $metadata: { readonly httpStatusCode?: number };
  readonly Body?: { transformToByteArray?(): Promise<Uint8Array> };
}

/** Reads the content of an answer as text, or as bytes if it is not UTF-8. */
async function answerOf(output: Output): Promise<Answer> {
  const members: Record<string, unknown> = { ...output };
  const bytes = await output.Body?.transformToByteArray?.();
  if (bytes !== undefined) members.Body = textOf(bytes);
  if ("Payload" in members) members.Payload = textOf(members.Payload as Uint8Array | null);
  return { status: output.$metadata.httpStatusCode ?? 0, output: members };
}

function textOf(bytes: Uint8Array | null): string | Uint8Array {
  if (bytes === null) return ""; // The SDK has no payload for an empty body.
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
}

/** What an error says. Its codes are the names of its class in the SDK, and of the error on the wire. */
function errorOf(error: unknown) {
  const { name, message, Code, Error: inner, $metadata } = error as Error & {
    Code?: string;
    Error?: { Code?: string };
    $metadata?: { httpStatusCode?: number };
  };
  const codes = [name, Code, inner?.Code].filter((code) => code !== undefined);
  return { status: $metadata?.httpStatusCode, codes: [...new Set(codes)], message };
}
