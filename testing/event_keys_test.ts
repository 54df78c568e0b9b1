// The tables name the keys of published events: events/testdata of aws/aws-lambda-go and packages/parser/tests/events of
// aws-powertools/powertools-lambda-typescript. If a key comes from elsewhere, a comment beside it names the source.
import { assertEquals } from "@std/assert";
import {
  messageEvent,
  notificationEvent,
  proxyEvent,
  type ProxyEventOptions,
  queueEvent,
  scheduledEvent,
  tableEvent,
} from "./mod.ts";

/** The keys with a name of a client or a developer. The shape of the first value stands for all of them. */
const FREE =
  "headers multiValueHeaders queryStringParameters multiValueQueryStringParameters pathParameters stageVariables claims lambda messageAttributes MessageAttributes Keys NewImage OldImage"
    .split(" ");

/** The names of the keys of a value with the types of their values. The first item stands for a list. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const first = FREE.includes(key) ? Object.values(Object(member)) : [];
      return [key, first.length > 0 ? { "*": shapeOf(first[0]) } : shapeOf(member)];
    }),
  );
}

const keys = (names: string, type: unknown = "string") =>
  Object.fromEntries(names.split(" ").map((name) => [name, type]));

const TEXTS = { "*": "string" };
const LISTS = { "*": ["string"] };

/**
 * Published events of requests without an API key and a client certificate lack `apiKey`, `apiKeyId` and `clientCert`. The
 * types of `@types/aws-lambda` expect null.
 */
const REST = {
  ...keys("resource path httpMethod body"),
  ...keys("headers queryStringParameters pathParameters stageVariables", TEXTS),
  ...keys("multiValueHeaders multiValueQueryStringParameters", LISTS),
  requestContext: {
    ...keys(
      "accountId apiId deploymentId domainName domainPrefix extendedRequestId httpMethod path protocol requestId requestTime resourceId resourcePath stage",
    ),
    requestTimeEpoch: "number",
    authorizer: { principalId: "string", integrationLatency: "number", role: "string" },
    identity: {
      ...keys("sourceIp userAgent"),
      ...keys(
        "accessKey accountId apiKey apiKeyId caller clientCert cognitoAuthenticationProvider cognitoAuthenticationType cognitoIdentityId cognitoIdentityPoolId principalOrgId user userArn",
        "null",
      ),
    },
  },
  isBase64Encoded: "boolean",
};

/** Payload format 2.0 of HTTP APIs and function URLs. */
const PAYLOAD_2 = {
  ...keys("version routeKey rawPath rawQueryString body"),
  cookies: ["string"],
  ...keys("headers queryStringParameters", TEXTS),
  requestContext: {
    ...keys("accountId apiId domainName domainPrefix requestId routeKey stage time"),
    timeEpoch: "number",
    http: keys("method path protocol sourceIp userAgent"),
  },
  isBase64Encoded: "boolean",
};

const ROUTED_2 = { ...PAYLOAD_2, ...keys("pathParameters stageVariables", TEXTS) };

/** The event of an HTTP API whose authorizer passes on `authorizer`. */
const httpKeys = (authorizer: unknown) => ({
  ...ROUTED_2,
  requestContext: { ...ROUTED_2.requestContext, authorizer },
});

const ALB = {
  requestContext: { elb: { targetGroupArn: "string" } },
  ...keys("httpMethod path body"),
  isBase64Encoded: "boolean",
};

/** Other keys of `identity` need AWS IAM. The documentation has lists where the event of Powertools has texts. */
const LATTICE = {
  ...keys("version path method body"),
  ...keys("headers queryStringParameters", LISTS),
  isBase64Encoded: "boolean",
  requestContext: {
    ...keys("serviceNetworkArn serviceArn targetGroupArn region timeEpoch"),
    identity: { sourceVpcArn: "string" },
  },
};

Deno.test("the HTTP events have every key of the gateway with its type", async () => {
  const api = { stage: "v0", route: "PUT /orders/{id}", stageVariables: { mode: "live" } };
  const claims = { sub: "ada" };
  const authorizer = { role: "chef" };
  const cases: [ProxyEventOptions, unknown][] = [
    [{ ...api, authorizer }, REST],
    [{ ...api, gateway: "http" }, ROUTED_2],
    // The scopes are null if the route asks for none: https://github.com/aws/aws-lambda-go/issues/317
    [{ ...api, gateway: "http", claims }, httpKeys({ jwt: { claims: TEXTS, scopes: "null" } })],
    [{ ...api, gateway: "http", authorizer }, httpKeys({ lambda: TEXTS })],
    [{ gateway: "url" }, PAYLOAD_2],
    [{ gateway: "alb" }, { ...ALB, ...keys("headers queryStringParameters", TEXTS) }],
    [{ gateway: "alb", multiValueHeaders: true }, {
      ...ALB,
      ...keys("multiValueHeaders multiValueQueryStringParameters", LISTS),
    }],
    [{ gateway: "lattice" }, LATTICE],
  ];
  for (const [options, expected] of cases) {
    const request = {
      url: "/v0/orders/7?dish=a&dish=b",
      method: "PUT",
      headers: { cookie: "a=1", "user-agent": "curl/8", "content-type": "application/json" },
      body: "{}",
    };
    assertEquals(shapeOf(await proxyEvent(request, options)), expected, JSON.stringify(options));
  }
});

/** @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html */
const objectKeys = (object: string) => ({
  ...keys("eventVersion eventSource awsRegion eventTime eventName"),
  userIdentity: keys("principalId"),
  requestParameters: keys("sourceIPAddress"),
  responseElements: keys("x-amz-request-id x-amz-id-2"),
  s3: {
    ...keys("s3SchemaVersion configurationId"),
    bucket: { ...keys("name arn"), ownerIdentity: keys("principalId") },
    object: { ...keys(object), ...(object.includes("eTag") && { size: "number" }) },
  },
});

/** A message without a subject has null in an event from the log of a deployed function. */
const topicKeys = (Subject: string, MessageAttributes: unknown) => ({
  ...keys("EventVersion EventSubscriptionArn EventSource"),
  Sns: {
    ...keys(
      "Type MessageId TopicArn Message Timestamp SignatureVersion Signature SigningCertUrl UnsubscribeUrl",
    ),
    Subject,
    MessageAttributes,
  },
});

const queueKeys = (attributes: string, others: object) => ({
  ...keys("messageId receiptHandle body md5OfBody eventSource eventSourceARN awsRegion"),
  attributes: keys(
    `ApproximateReceiveCount SentTimestamp SenderId ApproximateFirstReceiveTimestamp${attributes}`,
  ),
  ...others,
});

const tableKeys = (others: object, images: string) => ({
  ...keys("eventID eventName eventVersion eventSource awsRegion eventSourceARN"),
  dynamodb: {
    ApproximateCreationDateTime: "number",
    ...keys("SequenceNumber StreamViewType"),
    SizeBytes: "number",
    ...keys(images, { "*": { S: "string" } }),
  },
  ...others,
});

const BRIDGE = {
  ...keys("version id detail-type source account time region"),
  resources: ["string"],
};

Deno.test("the events of the other services have every key of the service with its type", () => {
  const kind = { kind: { Type: "String", Value: "order" } } as const;
  const removed = { eventName: "ObjectRemoved:Delete", objectVersionId: "v1" };
  const expired = { eventName: "LifecycleExpiration:Delete" };
  const image = { id: "1" };
  const cases: [{ Records: unknown[] }, unknown][] = [
    [notificationEvent(), objectKeys("key eTag sequencer")],
    [notificationEvent([{ objectVersionId: "v1" }]), objectKeys("key eTag versionId sequencer")],
    [notificationEvent([removed]), objectKeys("key versionId sequencer")],
    [notificationEvent([expired]), objectKeys("key sequencer")],
    [messageEvent(), topicKeys("null", {})],
    [
      messageEvent([{ subject: "Order", messageAttributes: kind }]),
      topicKeys("string", { "*": keys("Type Value") }),
    ],
    [queueEvent(), queueKeys("", { messageAttributes: {} })],
    [
      queueEvent([{ messageAttributes: kind }], { fifo: true }),
      queueKeys(" SequenceNumber MessageGroupId MessageDeduplicationId", {
        md5OfMessageAttributes: "string",
        messageAttributes: {
          "*": { ...keys("stringValue dataType"), stringListValues: [], binaryListValues: [] },
        },
      }),
    ],
    [tableEvent([{ newImage: image, oldImage: image }]), tableKeys({}, "Keys NewImage OldImage")],
    [
      tableEvent([{ oldImage: image, isExpiry: true }]),
      tableKeys({ userIdentity: keys("type principalId") }, "Keys OldImage"),
    ],
  ];
  for (const [event, record] of cases) assertEquals(shapeOf(event), { Records: [record] });
  assertEquals(shapeOf(scheduledEvent()), { ...BRIDGE, detail: {} });
  // Events of schedules in the logs of deployed functions have a text here.
  const scheduler = scheduledEvent({ source: "aws.scheduler" });
  assertEquals(shapeOf(scheduler), { ...BRIDGE, detail: "string" });
  assertEquals(scheduler.detail, "{}");
  assertEquals(scheduler.resources[0]!.split(":")[2], "scheduler");
});

Deno.test("notificationEvent() gives the version of the structure that Amazon S3 documents", () => {
  const versions = {
    "ObjectCreated:Put": "2.1",
    "ObjectRemoved:Delete": "2.1",
    "ObjectRestore:Post": "2.1",
    "Replication:OperationFailedReplication": "2.2",
    "LifecycleExpiration:Delete": "2.3",
    LifecycleTransition: "2.3",
    IntelligentTiering: "2.3",
    "ObjectAcl:Put": "2.3",
    "ObjectTagging:Delete": "2.3",
    "ObjectRestore:Delete": "2.3",
  };
  for (const [eventName, version] of Object.entries(versions)) {
    const [record] = notificationEvent([{ eventName }]).Records;
    assertEquals(record!.eventVersion, version, eventName);
  }
});

Deno.test("queueEvent() makes the digest of the attributes", () => {
  const digestOf = (Type: "String" | "Binary", Value: string | Uint8Array, name = "Foo") =>
    queueEvent([{ messageAttributes: { [name]: { Type, Value } } }])
      .Records[0]!.md5OfMessageAttributes;
  // Amazon SQS returned this digest.
  assertEquals(digestOf("String", "Bar"), "ae7155c6026991b6d54b11589678bf9c");
  assertEquals(digestOf("Binary", "AP8="), digestOf("Binary", new Uint8Array([0, 255])));
});
