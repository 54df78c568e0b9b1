/** A difference between the platform and a service that is known and kept. */
export interface KnownDifference {
  /** The service as the recordings name it, or `all`. */
  readonly service: string;
  /** What differs, in one sentence. */
  readonly sentence: string;
  /** The recorded cases that show the difference. */
  readonly cases?: readonly string[];
}

/** The differences, in the order of the page. A case that is not equal must be among them. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    service: "all",
    sentence:
      "Signatures are verified only for function URLs, and for the presigned URLs that a web page uses.",
  },
  {
    service: "all",
    sentence: "Nothing is throttled, and no quota of an account applies.",
  },
  {
    service: "all",
    sentence: "JSON logs, the domain, alarms, the network and AWS X-Ray work in the account only.",
  },
  {
    service: "api-gateway",
    sentence:
      "Headers of more than 10,240 bytes get the status 431. The documentation of API Gateway names none.",
  },
  {
    service: "api-gateway",
    sentence: "The identifier of the API is the name of the application.",
  },
  {
    service: "s3",
    sentence: "Objects have no versions, and `versionId` gets 501.",
  },
  {
    service: "s3",
    sentence:
      "Tags, ACLs, locks, archives, website redirects, encryption with AWS KMS, forms that browsers post, and the lists of uploads and parts get 501.",
  },
  {
    service: "s3",
    sentence: "Checksums other than CRC32, CRC32C, CRC64NVME, SHA1 and SHA256 get 501.",
  },
  {
    service: "s3",
    sentence:
      "DeleteObjects is refused as a whole if the function may not delete one of the objects. Amazon S3 refuses that object only.",
  },
  {
    service: "s3",
    sentence:
      "If the function may not list the bucket, a missing object gets 404, and in Amazon S3 403.",
  },
  {
    service: "s3",
    sentence: "A parameter that Amazon S3 would ignore gets 501.",
  },
  {
    service: "s3",
    sentence: "A multipart upload that was not completed ends with the platform.",
  },
  {
    service: "sqs",
    sentence:
      "Tags, permissions, the moving of dead letters, ListDeadLetterSourceQueues, and the attributes Policy and RedriveAllowPolicy get 501. Messages are not encrypted.",
  },
  {
    service: "sns",
    sentence:
      "FIFO topics, and subscriptions by other protocols than Amazon SQS and AWS Lambda, get 501.",
  },
  {
    service: "events",
    sentence: "PutEvents is the only operation, because the rules come from the manifest.",
  },
  {
    service: "event-patterns",
    sentence: "The manifest refuses a key at the top of a pattern that no event has.",
  },
  {
    service: "dynamodb",
    sentence: "No recording compares Amazon DynamoDB yet.",
  },
  {
    service: "dynamodb",
    sentence:
      "These operations work, without their legacy parameters: GetItem, PutItem, UpdateItem, DeleteItem, Query, Scan, BatchGetItem, BatchWriteItem, TransactGetItems, TransactWriteItems, DescribeTable, DescribeTimeToLive and ListTables.",
  },
  {
    service: "dynamodb",
    sentence: "Items expire within seconds, and in the account within days.",
  },
  {
    service: "dynamodb",
    sentence:
      "Every read is consistent. In the account, set `ConsistentRead` if a read must see the last write; an index is always a moment behind.",
  },
  {
    service: "dynamodb",
    sentence:
      "A stream has one shard, so all changes of a table come in one order. In the account, only the changes of one item do.",
  },
  {
    service: "dynamodb",
    sentence:
      "A function begins at the latest change each time the application starts. In the account, it goes on where it stopped.",
  },
  {
    service: "dynamodb",
    sentence:
      "A failed batch comes again after 50 milliseconds up to a second. AWS Lambda waits longer.",
  },
  {
    service: "lambda",
    sentence: "Invoke and InvokeWithResponseStream are the only operations of AWS Lambda.",
  },
  {
    service: "lambda",
    sentence:
      "A function has up to ten sandboxes at a time, or `reservedConcurrency` if this is less. Further invocations wait. AWS Lambda answers 429.",
  },
  {
    service: "lambda",
    sentence:
      "A failed asynchronous invocation is repeated after 1 and 2 seconds, in the account after 1 and 2 minutes.",
  },
  {
    service: "lambda",
    sentence:
      "A function whose `/tmp` is too large is ended within a second, or after the invocation. AWS Lambda refuses the write.",
  },
];
