import assert from "node:assert/strict";
import { CloudEventSpecificationError, FnEvent } from "@mate/core/function";
import { FnProxyEvent, MalformedPayloadError } from "@mate/core/gateway";
import { FnBridgePutEvent } from "@mate/core/scheduler";
import { FnNotificationEvent } from "@mate/core/storage";
import { FnMessageEvent } from "@mate/core/topic";
import claims from "../../../testdata/http_rest_authorizer_claims.json" with { type: "json" };
import http from "../../../testdata/http_rest.json" with { type: "json" };
import schedule from "../../../testdata/scheduler_schedule.json" with { type: "json" };
import storage from "../../../testdata/storage_put.json" with { type: "json" };
import topic from "../../../testdata/topic_message.json" with { type: "json" };
import type { Cases } from "./cases.ts";

/** What accessors of an event give, by their names. */
function readAll(event: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => [name, (event as Record<string, () => unknown>)[name]!()]),
  );
}

const [{ s3 }] = storage.Records as [typeof storage.Records[0]];
const [{ Sns, EventSubscriptionArn }] = topic.Records as [typeof topic.Records[0]];

/** What the accessors of every kind of event give. */
export const accessors: Cases = {
  "FnEvent hands out the event itself"() {
    const raw = { temperature: 21 };
    assert.equal(new FnEvent(raw).rawEvent, raw);
    for (const wrong of [null, [], "text", 1, new Map()]) {
      assert.throws(() => new FnEvent(wrong), TypeError);
    }
  },

  "FnProxyEvent reads a request"() {
    const event = new FnProxyEvent(http);
    const values = readAll(event, [
      "httpMethod",
      "httpProtocol",
      "httpUserAgent",
      "queryDomainName",
      "queryPath",
      "queryStringParameters",
      "queryString",
      "queryPayload",
      "authorizerClaims",
    ]);
    assert.deepEqual(values, {
      httpMethod: "GET",
      httpProtocol: "HTTP/1.1",
      httpUserAgent: http.headers["User-Agent"],
      queryDomainName: http.requestContext.domainName,
      queryPath: ["v0", "okay", "caf%C3%A9", "menu"],
      queryStringParameters: { day: "friday & saturday", dish: "soup" },
      queryString: `GET https://${http.requestContext.domainName}/v0/okay/caf%C3%A9/menu` +
        "?day=friday%20%26%20saturday&dish=r%C3%B6schti&dish=soup",
      queryPayload: null,
      authorizerClaims: null,
    });
    assert.deepEqual(
      [String(event.sourceIp()), event.sourceIp().version],
      [http.requestContext.identity.sourceIp, 4],
    );
    assert.equal(event.httpHeaders()["accept-language"], http.headers["Accept-Language"]);
    assert.deepEqual(event.headerSortedPreferences("accept-language"), ["de-CH", "de", "en"]);
    assert.deepEqual(event.headerPreferences("ACCEPT-LANGUAGE")[2], { value: "en", quality: 0.5 });
    assert.equal(
      new FnProxyEvent(claims).authorizerClaims()?.sub,
      claims.requestContext.authorizer.claims.sub,
    );
  },

  "FnProxyEvent decodes and checks a payload"() {
    const payload = (body: string, isBase64Encoded: boolean) =>
      new FnProxyEvent({ body, isBase64Encoded }).queryPayload();
    assert.deepEqual(payload('{"name":"Zoë"}', false), { name: "Zoë" });
    assert.deepEqual(payload("eyJuYW1lIjoiWm/DqyJ9", true), { name: "Zoë" });
    for (
      const [body, flag] of [["{", false], ["", false], ["/w==", true], ["e30", true]] as const
    ) {
      assert.throws(() => payload(body, flag), MalformedPayloadError);
    }
  },

  "FnBridgePutEvent reads the event of a schedule"() {
    const event = new FnBridgePutEvent(schedule);
    assert.deepEqual(
      readAll(event, [
        "source",
        "detailType",
        "detail",
        "id",
        "account",
        "region",
        "resources",
        "version",
      ]),
      {
        source: schedule.source,
        detailType: schedule["detail-type"],
        detail: {},
        id: schedule.id,
        account: schedule.account,
        region: schedule.region,
        resources: schedule.resources,
        version: schedule.version,
      },
    );
    assert.equal(event.time().toISOString(), "2026-03-01T09:05:00.000Z");
  },

  "FnNotificationEvent reads what was stored"() {
    const event = new FnNotificationEvent(storage);
    const expected = {
      eventName: "ObjectCreated:Put",
      region: "eu-central-1",
      bucketName: s3.bucket.name,
      bucketArn: s3.bucket.arn,
      objectKey: "pictures/red flower + café.jpg",
      objectSize: s3.object.size,
      objectEtag: s3.object.eTag,
      objectVersionId: s3.object.versionId,
      objectSequencer: s3.object.sequencer,
      objectUrl: "s3://shop-uploads/pictures/red flower + café.jpg",
      principalId: "AWS:AIDAEXAMPLEUPLOADER",
      sourceIp: "192.0.2.17",
    };
    for (const source of [event, event.records()[0]!, ...event]) {
      assert.deepEqual(readAll(source, Object.keys(expected)), expected);
      assert.equal(source.eventTime().toISOString(), "2026-03-01T09:05:07.123Z");
    }
    assert.equal(event.isTestEvent(), false);
  },

  "FnMessageEvent reads a message"() {
    const event = new FnMessageEvent(topic);
    const expected = {
      eventSubscriptionArn: EventSubscriptionArn,
      topicArn: Sns.TopicArn,
      messageId: Sns.MessageId,
      messageType: Sns.Type,
      subject: Sns.Subject,
      message: Sns.Message,
      messagePayload: { item: "tea", count: 3 },
      signature: Sns.Signature,
      signingCertUrl: Sns.SigningCertUrl,
      unsubscribeUrl: Sns.UnsubscribeUrl,
      messageAttributes: {
        kind: { Type: "String", Value: "order" },
        tags: { Type: "String.Array", Value: ["new", 7, true, null] },
        weight: { Type: "Number", Value: -125 },
        digest: { Type: "Binary", Value: new Uint8Array([0, 255, 128]) },
      },
    };
    for (const source of [event, event.records()[0]!, ...event]) {
      const { messageAttributes, ...rest } = readAll(source, Object.keys(expected));
      assert.deepEqual({ ...rest, messageAttributes: plain(messageAttributes) }, expected);
      assert.equal(source.timestamp().toISOString(), "2026-03-01T09:05:07.123Z");
    }
  },

  "an accessor names the key that is absent"() {
    for (
      const [read, path] of [
        [() => new FnProxyEvent({}).sourceIp(), "requestContext"],
        [() => new FnProxyEvent({ requestContext: {} }).httpMethod(), "requestContext.httpMethod"],
        [() => new FnBridgePutEvent({}).detailType(), "detail-type"],
        [() => new FnNotificationEvent({ Records: [{}] }).objectKey(), "Records[0].s3"],
        [() => new FnMessageEvent({ Records: [{ Sns: {} }] }).message(), "Records[0].Sns.Message"],
      ] as const
    ) {
      assert.throws(read, (error) => {
        assert(error instanceof CloudEventSpecificationError);
        assert.equal(error.name, "CloudEventSpecificationError");
        assert.equal(error.path, path);
        return true;
      });
    }
  },
};

/** Copies records without a prototype, and the bytes in them, so that they compare as what they hold. */
function plain(attributes: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attributes as Record<string, { Type: string; Value: unknown }>)
      .map(([name, { Type, Value }]) => [name, { Type, Value }]),
  );
}
