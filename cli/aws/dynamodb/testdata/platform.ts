/**
 * Platforms with tables, and clients of the AWS SDK.
 *
 * @module
 */
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { SQS } from "@aws-sdk/client-sqs";
import { DynamoDBDocument } from "@aws-sdk/lib-dynamodb";
import { type Manifest, parseManifest } from "../../../manifest/manifest.ts";
import { checkAnswers } from "../../../testdata/contract.ts";
import { startTestPlatform } from "../../../testdata/platform.ts";

/** Makes a manifest of the application `shop`. */
export function shopWith(tables: object, functions: object): Manifest {
  const text = JSON.stringify({ name: "shop", stage: "v0", functions, tables });
  return parseManifest(text, "app.json");
}

/** Starts a platform. The clients have the credentials of one function each, or of the developer. */
export async function startWithTables(
  manifest: Manifest,
  { answer, data }: { answer?: Parameters<typeof startTestPlatform>[0]; data?: string } = {},
) {
  await using stack = new AsyncDisposableStack();
  const test = stack.use(await startTestPlatform(answer, { manifest, data }));
  const { clientConfig } = test;
  const owned = stack.move();
  const clientOf = (functionName?: string) => {
    const client = checkAnswers(new DynamoDB(clientConfig(functionName)));
    owned.defer(() => client.destroy());
    return { client, documents: DynamoDBDocument.from(client) };
  };
  const developer = clientOf();
  return {
    ...test,
    clientOf,
    /** The letters of a dead-letter queue. */
    async deadLetters(QueueName: string) {
      const sqs = owned.adopt(checkAnswers(new SQS(clientConfig())), (client) => client.destroy());
      const { QueueUrl } = await sqs.getQueueUrl({ QueueName });
      const { Messages = [] } = await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 10 });
      return Messages.map(({ Body }) => JSON.parse(Body!));
    },
    ...developer,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
