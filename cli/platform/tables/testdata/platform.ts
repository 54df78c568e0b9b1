/**
 * Platforms with tables, and clients of the AWS SDK.
 *
 * @module
 */
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { SQS } from "@aws-sdk/client-sqs";
import { DynamoDBDocument } from "@aws-sdk/lib-dynamodb";
import { type Manifest, parseManifest } from "../../../manifest/manifest.ts";
import { startPlatform } from "../../platform.ts";
import { Log } from "../../log.ts";
import { TestHost } from "../../../testdata/platform.ts";

/** Makes a manifest of the application `shop`. */
export function shopWith(tables: object, functions: object): Manifest {
  const text = JSON.stringify({ name: "shop", stage: "v0", functions, tables });
  return parseManifest(text, "app.json");
}

const configOf = (accessKeyId: string, endpoint: string) => ({
  endpoint,
  region: "us-east-1",
  credentials: { accessKeyId, secretAccessKey: "local" },
  maxAttempts: 1,
});

/** Starts a platform. The clients have the credentials of one function each, or of the developer. */
export async function startWithTables(
  manifest: Manifest,
  { answer = () => "{}", data }: {
    answer?: ConstructorParameters<typeof TestHost>[0];
    data?: string;
  } = {},
) {
  await using stack = new AsyncDisposableStack();
  const host = new TestHost(answer);
  const log = new Log();
  let local = manifest;
  const platform = stack.use(
    await startPlatform(manifest, {
      log,
      data,
      host(manifest) {
        local = manifest;
        return Promise.resolve(host);
      },
    }),
  );
  const owned = stack.move();
  const clientOf = (functionName?: string) => {
    const environment = functionName && local.functions[functionName]!.environment;
    const { AWS_ACCESS_KEY_ID = "developer", AWS_ENDPOINT_URL = platform.servicesUrl } =
      environment || {};
    const client = new DynamoDB(configOf(AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL));
    owned.defer(() => client.destroy());
    return { client, documents: DynamoDBDocument.from(client) };
  };
  const developer = clientOf();
  return {
    platform,
    host,
    log,
    environmentOf: (name: string) => local.functions[name]!.environment,
    clientOf,
    /** The letters of a dead-letter queue. */
    async deadLetters(QueueName: string) {
      const sqs = owned.adopt(
        new SQS(configOf("developer", platform.servicesUrl)),
        (client) => client.destroy(),
      );
      const { QueueUrl } = await sqs.getQueueUrl({ QueueName });
      const { Messages = [] } = await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 10 });
      return Messages.map(({ Body }) => JSON.parse(Body!));
    },
    ...developer,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
