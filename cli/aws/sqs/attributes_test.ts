import { assertEquals, assertThrows } from "@std/assert";
import { checkAttributes, defaultAttributes } from "./attributes.ts";

// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html

const ARN = "arn:aws:sqs:us-east-1:000000000000:dead";
const check = (name: string, value: string, isFifo = true) =>
  checkAttributes({ [name]: value }, isFifo, (arn) => arn === ARN);

Deno.test("checkAttributes() takes the values that Amazon SQS takes, and no others", () => {
  const table: [name: string, taken: string[], refused: string[]][] = [
    ["DelaySeconds", ["0", "900"], ["-1", "901", "", "1.5", "1e2", " 1"]],
    ["MaximumMessageSize", ["1024", "1048576"], ["1023", "1048577"]],
    ["MessageRetentionPeriod", ["60", "1209600"], ["59", "1209601"]],
    ["ReceiveMessageWaitTimeSeconds", ["0", "20"], ["21"]],
    ["VisibilityTimeout", ["0", "43200"], ["43201"]],
    ["ContentBasedDeduplication", ["true", "false"], ["yes"]],
    ["DeduplicationScope", ["queue", "messageGroup"], [""]],
    ["FifoThroughputLimit", ["perQueue", "perMessageGroupId"], ["no"]],
    ["KmsMasterKeyId", ["alias/aws/sqs"], []],
  ];
  for (const [name, taken, refused] of table) {
    for (const value of taken) check(name, value);
    for (const value of refused) {
      const message = `Invalid value for the parameter ${name}.`;
      assertEquals(assertThrows(() => check(name, value), Error, "", value).message, message);
    }
  }
  const reason = "Reason: Modifying queue type is not supported.";
  assertThrows(() => check("FifoQueue", "false"), Error, reason);
});

Deno.test("a standard queue has no attribute of a FIFO queue, and no queue an unknown one", () => {
  const names = Object.keys(defaultAttributes(true));
  const fifo = names.filter((name) => !(name in defaultAttributes(false)));
  assertEquals(fifo.length, 4);
  for (const name of fifo) {
    assertThrows(() => check(name, "true", false), Error, `Unknown Attribute ${name}.`);
  }
  for (const name of ["QueueArn", "Other", "constructor"]) {
    assertThrows(() => check(name, "1"), Error, `Unknown Attribute ${name}.`);
  }
});

Deno.test("a redrive policy names a queue, and a count from 1 to 1,000", () => {
  const policy = (maxReceiveCount: unknown, more = {}) =>
    JSON.stringify({ deadLetterTargetArn: ARN, maxReceiveCount, ...more });
  for (const value of ["", policy(1), policy(1_000), policy("7")]) check("RedrivePolicy", value);
  const count = "Invalid value for maxReceiveCount: it must be an integer between 1 and 1000.";
  const missing = "Redrive policy does not contain mandatory attribute:";
  const table: [value: string, reason: string][] = [
    ["{", "Redrive policy is not a valid JSON map."],
    ["[]", "Redrive policy is not a valid JSON map."],
    [policy(1, { other: 1 }), "Unknown parameter other."],
    ["{}", `${missing} deadLetterTargetArn.`],
    [policy(undefined), `${missing} maxReceiveCount.`],
    ...[0, 1_001, 1.5, "x"].map((value): [string, string] => [policy(value), count]),
    [policy(1, { deadLetterTargetArn: `${ARN}-not` }), "Dead letter target does not exist."],
  ];
  for (const [value, reason] of table) {
    const message = `Value ${value} for parameter RedrivePolicy is invalid. Reason: ${reason}`;
    assertEquals(assertThrows(() => check("RedrivePolicy", value), Error).message, message);
  }
});
