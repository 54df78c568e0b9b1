import { logger } from "@mate/core/logger";
import { FnNotificationEvent } from "@mate/core/storage";
import { GetObjectCommand } from "@aws-sdk/client-s3";
import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { s3 } from "./store.ts";

const MAX_BATCH = 10;
const sqs = new SQSClient();

/** Queues a job for each line of an uploaded catalogue: `id,name,price`. */
export async function handler(event: unknown): Promise<void> {
  for (const record of new FnNotificationEvent(event)) {
    const { Body } = await s3.send(
      new GetObjectCommand({ Bucket: record.bucketName(), Key: record.objectKey() }),
    );
    const lines = (await Body!.transformToString()).split(/\r?\n/).filter(Boolean);
    for (let start = 0; start < lines.length; start += MAX_BATCH) {
      const { Failed = [] } = await sqs.send(
        new SendMessageBatchCommand({
          QueueUrl: Deno.env.get("QUEUE_JOBS"),
          Entries: lines.slice(start, start + MAX_BATCH).map((line, index) => {
            const [id, name, price] = line.split(",");
            return { Id: String(index), MessageBody: JSON.stringify({ id, name, price }) };
          }),
        }),
      );
      // The event is delivered again if the function fails, so no line is lost.
      if (Failed.length > 0) throw new Error(`Cannot queue ${Failed.length} lines`);
    }
    logger.info("Queued a catalogue", { key: record.objectKey(), lines: lines.length });
  }
}
