import { assertEquals, assertThrows } from "@std/assert";
import { FnQueueRecord } from "../queue/event.ts";
import { FnNotificationRecord } from "../storage/event.ts";
import { FnTableRecord } from "../table/event.ts";
import { FnMessageRecord } from "../topic/event.ts";
import { CloudEventSpecificationError } from "./specification_error.ts";

/** One accessor of a record of each service, and the key that it reads. */
const RECORDS = {
  sqs: [(event: object) => new FnQueueRecord(event).messageId(), { messageId: "read" }],
  s3: [(event: object) => new FnNotificationRecord(event).region(), { awsRegion: "read" }],
  dynamodb: [(event: object) => new FnTableRecord(event).region(), { awsRegion: "read" }],
  sns: [(event: object) => new FnMessageRecord(event).topicArn(), { Sns: { TopicArn: "read" } }],
} as const;

Deno.test("a record is read if its source is that of its service, of any provider, or no text", () => {
  for (const [service, [read, record]] of Object.entries(RECORDS)) {
    for (const key of ["eventSource", "EventSource"]) {
      // Compatible services, such as MinIO, have a prefix of their own. Events that a program made may have no source.
      for (const source of [`aws:${service}`, `minio:${service}`, `a:b:${service}`, null, 5, {}]) {
        assertEquals(read({ Records: [{ ...record, [key]: source }] }), "read");
      }
      for (const source of ["", service, `aws:x${service}`, `aws:${service}x`, "aws:kinesis"]) {
        const error = assertThrows(
          () => read({ Records: [{ ...record, [key]: source }] }),
          CloudEventSpecificationError,
        ) as CloudEventSpecificationError;
        const problem = `is ${JSON.stringify(source)}, not "aws:${service}"`;
        assertEquals(error.path, `Records[0].${key}`);
        assertEquals(error.message, `Cannot read the event: "Records[0].${key}" ${problem}`);
      }
    }
    assertEquals(read({ Records: [record] }), "read");
  }
});
