import { assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { CloudEventSpecificationError } from "@mate/core/function";
import { FnNotificationRecord } from "@mate/core/storage";
import { CONTEXT, recordLog } from "./testdata/fixture.ts";
import { handler } from "./storage.ts";

const CREATED = {
  eventVersion: "2.1",
  eventSource: "aws:s3",
  awsRegion: "eu-central-1",
  eventTime: "2026-11-21T08:05:00.123Z",
  eventName: "ObjectCreated:Put",
  userIdentity: { principalId: "AWS:AIDAEXAMPLE" },
  requestParameters: { sourceIPAddress: "198.51.100.23" },
  responseElements: { "x-amz-request-id": "C3D13FE58DE4C810", "x-amz-id-2": "FMyUVURIY8" },
  s3: {
    s3SchemaVersion: "1.0",
    configurationId: "example",
    bucket: {
      name: "mate-example-uploads",
      ownerIdentity: { principalId: "A3NL1KOZZKExample" },
      arn: "arn:aws:s3:::mate-example-uploads",
    },
    object: {
      key: "gr%C3%BCne/red+flower.jpg",
      size: 1024,
      eTag: "0123456789abcdef0123456789abcdef",
      versionId: "096fKKXTRTtl3on89fVO.nfljtsv6qko",
      sequencer: "0055AED6DCD90281E5",
    },
  },
};
const REMOVED = {
  ...CREATED,
  eventName: "ObjectRemoved:Delete",
  s3: { ...CREATED.s3, object: { key: "red+flower.jpg", sequencer: "0055AED6DCD90281E6" } },
};
const MALFORMED = { ...CREATED, s3: { ...CREATED.s3, object: { key: "%E0%A4%A" } } };

Deno.test("storage logs the raw event, then every accessor of every object", async () => {
  const { log } = await recordLog(() => handler({ Records: [CREATED, REMOVED] }, CONTEXT));
  assertEquals(log.map(({ level }) => level), ["INFO", "INFO", "INFO"]);
  for (const { requestId } of log) assertEquals(requestId, CONTEXT.awsRequestId);
  const [event, created, removed] = log.map(({ data }) => data as Record<string, unknown>);
  assertEquals(event, { isTestEvent: false, rawEvent: { Records: [CREATED, REMOVED] } });
  assertEquals(created, {
    "eventName()": { result: "ObjectCreated:Put" },
    "eventTime()": { result: "2026-11-21T08:05:00.123Z" },
    "region()": { result: "eu-central-1" },
    "bucketName()": { result: "mate-example-uploads" },
    "bucketArn()": { result: "arn:aws:s3:::mate-example-uploads" },
    "objectKey()": { result: "grüne/red flower.jpg" },
    "objectSize()": { result: 1024 },
    "objectEtag()": { result: "0123456789abcdef0123456789abcdef" },
    "objectVersionId()": { result: "096fKKXTRTtl3on89fVO.nfljtsv6qko" },
    "objectSequencer()": { result: "0055AED6DCD90281E5" },
    "objectUrl()": { result: "s3://mate-example-uploads/grüne/red flower.jpg" },
    "principalId()": { result: "AWS:AIDAEXAMPLE" },
    "sourceIp()": { result: "198.51.100.23" },
  });
  for (const call of ["objectSize()", "objectEtag()", "objectVersionId()"]) {
    assertEquals(removed![call], { result: null });
  }
});

Deno.test("storage leaves out no accessor", async () => {
  const { log } = await recordLog(() => handler({ Records: [CREATED] }, CONTEXT));
  const methods = Object.getOwnPropertyNames(FnNotificationRecord.prototype);
  assertEquals(
    Object.keys(log[1]!.data as object).sort(),
    methods.filter((name) => name !== "constructor" && name !== "rawRecord")
      .map((name) => `${name}()`).sort(),
  );
});

Deno.test("storage loses no object to one whose key is malformed", async () => {
  const { log } = await recordLog(() => handler({ Records: [MALFORMED, CREATED] }, CONTEXT));
  const [bad, good] = log.slice(1).map(({ data }) => data as Record<string, { error?: string }>);
  assertStringIncludes(bad!["objectKey()"]!.error!, "CloudEventSpecificationError");
  assertEquals(bad!["bucketName()"], good!["bucketName()"]);
  assertEquals(good!["objectKey()"]!.error, undefined);
});

Deno.test("storage takes the service's test event, which covers no object", async () => {
  const rawEvent = {
    Service: "Amazon S3",
    Event: "s3:TestEvent",
    Time: "2026-11-21T08:05:00.000Z",
    Bucket: "mate-example-uploads",
    RequestId: "5582815E1AEA5ADF",
    HostId: "8cLeGAmw098X5cv4Zkwcmo8vvZa3eH3e",
  };
  const { log } = await recordLog(() => handler(rawEvent, CONTEXT));
  assertEquals(log.map(({ data }) => data), [{ isTestEvent: true, rawEvent }]);
});

Deno.test("storage fails at another event, once it is logged", async () => {
  const { thrown, log } = await recordLog(() => handler({ order: 4711 }, CONTEXT));
  assertInstanceOf(thrown, CloudEventSpecificationError);
  assertEquals(log.map(({ data }) => data), [{ isTestEvent: false, rawEvent: { order: 4711 } }]);
});
