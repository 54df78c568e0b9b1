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
      "Signatures are verified only for function URLs, and for the presigned URLs that a web page " +
      "uses.",
  },
  {
    service: "all",
    sentence: "Nothing is throttled, and no quota of an account applies.",
  },
  {
    service: "api-gateway",
    sentence:
      "A header section of more than 10,240 bytes gets the status 431, because the documentation of " +
      "API Gateway names none.",
  },
  {
    service: "api-gateway",
    sentence: "The identifier of the API is the name of the application.",
  },
  {
    service: "s3",
    sentence:
      "Objects have no versions, although the deployed buckets keep versions, so no answer has a " +
      "version and `versionId` gets 501.",
  },
  {
    service: "s3",
    sentence:
      "Tags, ACLs, locks, archives, website redirects, encryption with AWS KMS, forms that browsers " +
      "post, and the lists of uploads and parts get 501.",
  },
  {
    service: "s3",
    sentence:
      "Of the checksums, CRC32, CRC32C, CRC64NVME, SHA1 and SHA256 are computed, and others get 501.",
  },
  {
    service: "s3",
    sentence:
      "DeleteObjects is refused as a whole if the function may not delete one of the objects, where " +
      "Amazon S3 answers with an error for that object.",
  },
  {
    service: "s3",
    sentence:
      "A missing object gets 404 also if the function may not list the bucket, where Amazon S3 " +
      "answers 403.",
  },
  {
    service: "s3",
    sentence:
      "A parameter that Amazon S3 would ignore, because no operation has it, gets 501 with its name.",
  },
  {
    service: "sqs",
    sentence:
      "Tags, permissions, encryption and the moving of dead letters get 501, and so does every " +
      "attribute of a queue that is not emulated.",
  },
  {
    service: "sns",
    sentence:
      "FIFO topics, and subscriptions by other protocols than Amazon SQS and AWS Lambda, get 501.",
  },
  {
    service: "events",
    sentence:
      "PutEvents is the only operation of Amazon EventBridge, because the rules come from the " +
      "manifest.",
  },
  {
    service: "event-patterns",
    sentence:
      "The manifest refuses a key at the top of a pattern that no event has, which Amazon " +
      "EventBridge accepts.",
  },
  {
    service: "dynamodb",
    sentence:
      "No recording compares Amazon DynamoDB and its streams yet, so only the project's own tests " +
      "do.",
  },
  {
    service: "lambda",
    sentence: "Invoke and InvokeWithResponseStream are the only operations of AWS Lambda.",
  },
  {
    service: "lambda",
    sentence:
      "A function has up to ten sandboxes at a time, or `reservedConcurrency` if this is less. Further invocations wait. AWS Lambda refuses them with 429.",
  },
];
