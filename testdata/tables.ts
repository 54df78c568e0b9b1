/**
 * A local Amazon DynamoDB for tests: the engine that the platform uses.
 *
 * @module
 */
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocument } from "@aws-sdk/lib-dynamodb";
import { Engine } from "../cli/aws/dynamodb/engine.ts";

/** Starts the engine with its data in memory, and makes clients of the AWS SDK. */
export async function startTables(file?: string): Promise<
  AsyncDisposable & {
    readonly engine: Engine;
    readonly client: DynamoDB;
    readonly documents: DynamoDBDocument;
  }
> {
  // The SDK connects to a port, so the engine has the network of the machine.
  const engine = await Engine.start(file, undefined, { problem: "a test needs its port" });
  const client = new DynamoDB({
    endpoint: engine.url,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  });
  const documents = DynamoDBDocument.from(client);
  return {
    engine,
    client,
    documents,
    async [Symbol.asyncDispose]() {
      documents.destroy();
      client.destroy();
      await engine[Symbol.asyncDispose]();
    },
  };
}
