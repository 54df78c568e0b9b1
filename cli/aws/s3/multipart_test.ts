import { assertEquals, assertRejects } from "@std/assert";
import type { S3 } from "@aws-sdk/client-s3";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { FILES } from "../../testdata/platform.ts";
import { startServices } from "../../testdata/services.ts";

const place = { Bucket: FILES, Key: "big" };
const FIRST = "a".repeat(5 * 1024 ** 2);
const digestOf = (algorithm: string, content: string | Uint8Array) =>
  createHash(algorithm).update(content).digest();

/** Uploads two parts, with the options of the upload and of each part. Returns what the completion needs. */
async function upload(s3: S3, options: object = {}, ofPart: object = {}) {
  const { UploadId } = await s3.createMultipartUpload({ ...place, ...options });
  const target = { ...place, UploadId };
  const Parts = [];
  for (const [index, Body] of [FIRST, "rest"].entries()) {
    const PartNumber = index + 1;
    const { ETag, ChecksumSHA256 } = await s3.uploadPart({
      ...target,
      ...ofPart,
      PartNumber,
      Body,
    });
    Parts.push({ PartNumber, ETag, ...(ChecksumSHA256 && { ChecksumSHA256 }) });
  }
  return { ...target, MultipartUpload: { Parts } };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const { name } = await assertRejects(() => work, Error);
  return name;
}

Deno.test("the entity tag of a multipart upload is the digest of the digests of its parts", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const { ETag, Location } = await s3.completeMultipartUpload(await upload(s3));
  const digests = Buffer.concat([digestOf("md5", FIRST), digestOf("md5", "rest")]);
  const expected = `"${digestOf("md5", digests).toString("hex")}-2"`;
  assertEquals([ETag, Location], [expected, `${new URL(test.url).origin}/${FILES}/big`]);
  const second = await s3.getObject({ ...place, PartNumber: 2 });
  const range = `bytes ${FIRST.length}-${FIRST.length + 3}/${FIRST.length + 4}`;
  assertEquals(await second.Body!.transformToString(), "rest");
  assertEquals([second.PartsCount, second.ContentRange, second.ETag], [2, range, expected]);
  assertEquals(await codeOf(s3.getObject({ ...place, PartNumber: 3 })), "InvalidPartNumber");
  const both = s3.getObject({ ...place, PartNumber: 1, Range: "bytes=0-1" });
  assertEquals(await codeOf(both), "InvalidRequest");
  const copy = { ...place, Key: "copy", CopySource: `${FILES}/big` };
  const { CopyObjectResult } = await s3.copyObject(copy);
  const whole = digestOf("md5", `${FIRST}rest`).toString("hex");
  assertEquals(CopyObjectResult?.ETag, `"${whole}"`, "a copy has no parts");
});

Deno.test("a multipart upload has the checksum of its parts that it was created with", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const algorithm = { ChecksumAlgorithm: "SHA256" } as const;
  const input = await upload(s3, algorithm, algorithm);
  const { Parts } = input.MultipartUpload;
  const bare = Parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }));
  const complete = (change: object) => s3.completeMultipartUpload({ ...input, ...change });
  assertEquals(await codeOf(complete({ MultipartUpload: { Parts: bare } })), "InvalidRequest");
  const wrong = bare.map((part) => ({ ...part, ChecksumSHA256: "A".repeat(43) + "=" }));
  assertEquals(await codeOf(complete({ MultipartUpload: { Parts: wrong } })), "InvalidPart");
  assertEquals(await codeOf(complete({ ChecksumType: "FULL_OBJECT" })), "InvalidRequest");
  assertEquals(await codeOf(complete({ ChecksumSHA256: "A".repeat(43) + "=" })), "BadDigest");
  const other = s3.uploadPart({ ...input, PartNumber: 1, Body: "x", ChecksumAlgorithm: "CRC32" });
  assertEquals(await codeOf(other), "InvalidRequest");
  const digests = Buffer.concat([digestOf("sha256", FIRST), digestOf("sha256", "rest")]);
  const { ChecksumSHA256, ChecksumType } = await complete({});
  const expected = `${digestOf("sha256", digests).toString("base64")}-2`;
  assertEquals([ChecksumSHA256, ChecksumType], [expected, "COMPOSITE"]);
  const types = [
    [{ ChecksumAlgorithm: "SHA1", ChecksumType: "FULL_OBJECT" }, "InvalidRequest"],
    [{ ChecksumAlgorithm: "CRC64NVME", ChecksumType: "COMPOSITE" }, "InvalidRequest"],
    [{ ChecksumType: "COMPOSITE" }, "InvalidRequest"],
  ] as const;
  for (const [options, code] of types) {
    assertEquals(await codeOf(s3.createMultipartUpload({ ...place, ...options })), code);
  }
});

Deno.test("the completion of a multipart upload compares sizes, and finds conflicts", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const input = await upload(s3);
  const complete = (change: object) => s3.completeMultipartUpload({ ...input, ...change });
  assertEquals(await codeOf(complete({ MpuObjectSize: 5 })), "InvalidRequest");
  const { ETag } = await s3.putObject({ ...place, Body: "meanwhile" });
  assertEquals(await codeOf(complete({ IfNoneMatch: "*" })), "PreconditionFailed");
  assertEquals(await codeOf(complete({ IfMatch: ETag })), "ConditionalRequestConflict");
  await s3.deleteObject(place);
  assertEquals(await codeOf(complete({ IfNoneMatch: "*" })), "ConditionalRequestConflict");
  assertEquals(await codeOf(complete({ IfMatch: ETag })), "NoSuchKey");
  assertEquals(await codeOf(complete({ Key: "other" })), "NoSuchUpload");
  await complete({ MpuObjectSize: FIRST.length + 4 });
  assertEquals(await codeOf(complete({})), "NoSuchUpload");
});

Deno.test("requests that race for one multipart upload end as if they came one after the other", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const outcome = (work: Promise<unknown>) => work.then(() => "done", ({ name }) => name as string);
  for (let round = 0; round < 8; round++) {
    const input = await upload(s3);
    const put = () => s3.uploadPart({ ...input, PartNumber: 2, Body: "rest" });
    const complete = () => s3.completeMultipartUpload(input);
    const abort = () => s3.abortMultipartUpload(input);
    const [put1, first, put2, second, third] = await Promise.all(
      [put(), complete(), put(), round % 2 ? abort() : complete(), abort()].map(outcome),
    );
    assertEquals([first, second, third].sort(), ["NoSuchUpload", "NoSuchUpload", "done"]);
    for (const result of [put1, put2]) {
      assertEquals(["done", "NoSuchUpload"].includes(result!), true, result);
    }
  }
});

Deno.test("the completion of a multipart upload needs a part", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const { UploadId } = await s3.createMultipartUpload(place);
  for (const list of [{}, { MultipartUpload: {} }, { MultipartUpload: { Parts: [] } }]) {
    const complete = s3.completeMultipartUpload({ ...place, UploadId, ...list });
    const { name, message } = await assertRejects(() => complete, Error);
    assertEquals([name, message], ["InvalidRequest", "You must specify at least one part"]);
  }
});
