import { EventBridge } from "@aws-sdk/client-eventbridge";
import { S3 } from "@aws-sdk/client-s3";
import { SNS } from "@aws-sdk/client-sns";
import { SQS } from "@aws-sdk/client-sqs";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import { checkAnswers } from "./contract.ts";
import { manifestWith, startTestPlatform } from "./platform.ts";

/** Signs a request as the AWS SDK does, and sends it unchanged. */
export async function sendSigned(
  environment: Readonly<Record<string, string>>,
  service: string,
  { method = "POST", path = "/", headers = {}, body = "" }: {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  },
): Promise<Response> {
  const {
    AWS_ENDPOINT_URL,
    AWS_ACCESS_KEY_ID: accessKeyId = "",
    AWS_SECRET_ACCESS_KEY: secretAccessKey = "",
    AWS_SESSION_TOKEN: sessionToken = "",
  } = environment;
  const { origin, host } = new URL(AWS_ENDPOINT_URL!);
  const signer = new SignatureV4({
    service,
    region: "us-east-1",
    credentials: { accessKeyId, secretAccessKey, sessionToken },
    sha256: Sha256,
    uriEscapePath: service !== "s3",
  });
  const [pathname = "", query = ""] = path.split("?");
  const signed = await signer.sign({
    method,
    protocol: "http:",
    hostname: host,
    path: pathname,
    query: Object.fromEntries(new URLSearchParams(query)),
    headers: { ...headers, host },
    body,
  });
  const { host: _, ...fields } = signed.headers;
  const init = { method, headers: fields, ...(body !== "" && { body }) };
  return await fetch(`${origin}${path}`, init);
}

/** Services with a bucket, a queue and a topic, and clients with the credentials of the function "worker". */
export async function startServices(
  uses: Readonly<Record<string, unknown>> = {},
  statements: readonly unknown[] = [],
) {
  await using stack = new AsyncDisposableStack();
  const events = ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"];
  const manifest = manifestWith({
    worker: {
      module: "worker.ts",
      uses,
      statements,
      triggers: {
        topics: [{ name: "news" }],
        events: [{ pattern: { source: ["shop"] } }],
        queues: [{ name: "ordered" }],
      },
    },
    files: { module: "files.ts", triggers: { buckets: [{ name: "files", events }] } },
  }, { jobs: {}, ordered: { fifo: true } });
  const test = stack.use(await startTestPlatform(() => "{}", { manifest }));
  const { platform, host, environmentOf, clientConfig } = test;
  const clientsOf = (functionName?: string) => {
    const config = clientConfig(functionName);
    const own = <Client extends { destroy(): void }>(client: Client): Client =>
      stack.adopt(checkAnswers(client), () => client.destroy());
    return {
      s3: own(new S3(config)),
      sqs: own(new SQS(config)),
      sns: own(new SNS(config)),
      events: own(new EventBridge(config)),
    };
  };
  const developer = clientsOf();
  const worker = clientsOf("worker");
  const owned = stack.move();
  return {
    url: platform.servicesUrl,
    bucketsFolder: platform.bucketsFolder,
    clientConfig,
    environmentOf,
    environment: environmentOf("worker"),
    calls: host.calls,
    log: platform.log,
    settled: () => platform.settled(),
    /** The changes of objects in the events of the function "files". */
    async changes() {
      await platform.settled();
      return host.calls.filter(({ name }) => name === "files").map(({ event: { Records } }) => {
        const [{ eventName, s3 }] = Records;
        return `${eventName} ${decodeURIComponent(s3.object.key.replaceAll("+", " "))}`;
      });
    },
    developer,
    worker,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
