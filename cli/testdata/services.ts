import { EventBridge } from "@aws-sdk/client-eventbridge";
import { S3 } from "@aws-sdk/client-s3";
import { SNS } from "@aws-sdk/client-sns";
import { SQS } from "@aws-sdk/client-sqs";
import { startPlatform } from "../platform/platform.ts";
import { manifestWith, TestHost } from "./platform.ts";

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
  const host = new TestHost(() => "{}");
  let environment: Readonly<Record<string, string>> = {};
  const platform = stack.use(
    await startPlatform(manifest, {
      host(local) {
        environment = local.functions.worker!.environment;
        return Promise.resolve(host);
      },
    }),
  );
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT_URL } = environment;
  const clientsOf = (accessKeyId: string, endpoint: string) => {
    const config = {
      endpoint,
      region: "us-east-1",
      credentials: { accessKeyId, secretAccessKey: AWS_SECRET_ACCESS_KEY! },
      maxAttempts: 1,
    };
    const own = <Client extends { destroy(): void }>(client: Client): Client =>
      stack.adopt(client, () => client.destroy());
    return {
      s3: own(new S3(config)),
      sqs: own(new SQS(config)),
      sns: own(new SNS(config)),
      events: own(new EventBridge(config)),
    };
  };
  const developer = clientsOf("developer", platform.servicesUrl);
  const worker = clientsOf(AWS_ACCESS_KEY_ID!, AWS_ENDPOINT_URL!);
  const owned = stack.move();
  return {
    url: platform.servicesUrl,
    environment,
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
