import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { S3Client } from "@aws-sdk/client-s3";
import { SNSClient } from "@aws-sdk/client-sns";
import { SQSClient } from "@aws-sdk/client-sqs";
import { parseManifest } from "../manifest/manifest.ts";
import { reply } from "../platform/http.ts";
import { Messaging } from "../platform/services/messaging.ts";
import { Services } from "../platform/services/services.ts";
import { BucketFolder } from "../platform/triggers/bucket_folder.ts";

/** Services with a bucket, a queue and a topic, and clients with the credentials of the function "worker". */
export async function startServices(uses: Readonly<Record<string, unknown>> = {}) {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const changes: string[] = [];
  const bucket = new BucketFolder(`${folder}/files`, `${folder}/.uploads`, ({ eventName, key }) => {
    changes.push(`${eventName} ${key}`);
  });
  await bucket.scan(false);
  const manifest = parseManifest(
    JSON.stringify({
      name: "app",
      stage: "v1",
      functions: {
        worker: {
          module: "worker.ts",
          uses,
          triggers: { topics: [{ name: "news", filter: { kind: ["order"] } }] },
        },
        files: {
          module: "files.ts",
          triggers: { buckets: [{ name: "files", events: ["s3:ObjectCreated:*"] }] },
        },
      },
      queues: { jobs: { retries: 1, visibility: 1 } },
    }),
    "app.json",
  );
  const messaging = stack.use(await Messaging.start(manifest));
  const invoked: unknown[] = [];
  const services = stack.use(new Services(manifest));
  services.attach({
    buckets: new Map([["files", bucket]]),
    messaging,
    rules: [{ functionName: "worker", bus: "default", pattern: { source: ["shop"] } }],
    invoke: (functionName, event) => invoked.push([functionName, event]),
    invokeApi: ({ path }) => Promise.resolve(reply(200, [], JSON.stringify({ path }))),
  });
  const { environment } = services.localManifest().functions.worker!;
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = environment;
  const config = (accessKeyId: string, endpoint = services.url) => ({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId, secretAccessKey: AWS_SECRET_ACCESS_KEY! },
    maxAttempts: 1,
  });
  const clientsOf = (accessKeyId: string, endpoint?: string) => ({
    s3: stack.adopt(new S3Client(config(accessKeyId, endpoint)), (client) => client.destroy()),
    sqs: stack.adopt(new SQSClient(config(accessKeyId, endpoint)), (client) => client.destroy()),
    sns: stack.adopt(new SNSClient(config(accessKeyId, endpoint)), (client) => client.destroy()),
    events: stack.adopt(
      new EventBridgeClient(config(accessKeyId, endpoint)),
      (client) => client.destroy(),
    ),
  });
  const developer = clientsOf("developer");
  const worker = clientsOf(AWS_ACCESS_KEY_ID!, environment.AWS_ENDPOINT_URL);
  const owned = stack.move();
  return {
    environment,
    manifest,
    services,
    messaging,
    changes,
    invoked,
    developer,
    worker,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
