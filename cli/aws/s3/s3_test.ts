import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { paginateListObjectsV2, S3 } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { Readable } from "node:stream";
import { checkAnswers } from "../../testdata/contract.ts";
import { FILES } from "../../testdata/platform.ts";
import { startServices } from "../../testdata/services.ts";

Deno.test("Services answer the object operations of the S3 client", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const Bucket = FILES;
  const Key = "in/a b+ü&<1>.txt";
  const put = await s3.putObject({
    Bucket,
    Key,
    Body: "Hello",
    ContentType: "text/plain",
    Metadata: { by: "me" },
  });
  assertEquals(put.ETag, '"8b1a9953c4611296a827abf8c47804d7"'); // the MD5 digest
  const { ContentLength, ContentType, Metadata } = await s3.headObject({ Bucket, Key });
  assertEquals([ContentLength, ContentType, Metadata], [5, "text/plain", { by: "me" }]);
  await s3.copyObject({ Bucket, Key: "copy", CopySource: encodeURI(`${FILES}/${Key}`) });
  const copy = await s3.getObject({ Bucket, Key: "copy", Range: "bytes=1-3" });
  assertEquals([await copy.Body!.transformToString(), copy.ContentRange], ["ell", "bytes 1-3/5"]);
  assertEquals([copy.ContentType, copy.Metadata], ["text/plain", { by: "me" }]);
  const list = await s3.listObjectsV2({ Bucket, Delimiter: "/" });
  assertEquals(list.Contents?.map(({ Key, Size }) => [Key, Size]), [["copy", 5]]);
  assertEquals(list.CommonPrefixes, [{ Prefix: "in/" }]);
  await s3.deleteObjects({ Bucket, Delete: { Objects: [{ Key }] } });
  await s3.deleteObject({ Bucket, Key: "copy" });
  await assertRejects(
    () => s3.getObject({ Bucket, Key }),
    Error,
    "The specified key does not exist.",
  );
  assertEquals(await test.changes(), [
    `ObjectCreated:Put ${Key}`,
    "ObjectCreated:Copy copy",
    `ObjectRemoved:DeleteMarkerCreated ${Key}`,
    "ObjectRemoved:DeleteMarkerCreated copy",
  ]);
});

Deno.test("Services write an object only if the preconditions of the S3 client hold", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const put = (conditions: { IfMatch?: string; IfNoneMatch?: string }) =>
    s3.putObject({ Bucket: FILES, Key: "lock", Body: "a", ...conditions })
      .then(({ ETag }) => ETag, ({ name }) => name);
  assertEquals(await put({ IfMatch: '"x"' }), "NoSuchKey");
  const both = await Promise.all([put({ IfNoneMatch: "*" }), put({ IfNoneMatch: "*" })]);
  const etag = '"0cc175b9c0f1b6a831c399e269772661"';
  assertEquals(both.sort(), [etag, "PreconditionFailed"]);
  assertEquals(await put({ IfMatch: etag }), etag);
  assertEquals(await put({ IfMatch: '"x"' }), "PreconditionFailed");
});

Deno.test("Services store a stream that the S3 client sends in chunks", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const content = crypto.getRandomValues(new Uint8Array(60_000));
  const Body = Readable.from([content, content, content, content]);
  await s3.putObject({ Bucket: FILES, Key: "big", Body, ContentLength: 240_000 });
  const { Body: stored } = await s3.getObject({ Bucket: FILES, Key: "big" });
  assertEquals(
    Buffer.from(await stored!.transformToByteArray()),
    Buffer.concat([content, content, content, content]),
  );
});

Deno.test("Services join the parts that the S3 client uploads", async () => {
  await using test = await startServices({ buckets: { files: "write" } });
  const place = { Bucket: FILES, Key: "a/big" };
  const content = new Uint8Array(12 * 1024 ** 2).map((_, index) => index * 31 >> 8);
  const params = { ...place, Body: Readable.from([content]), ContentType: "text/csv" };
  await new Upload({ client: test.worker.s3, params }).done();
  const { s3 } = test.developer;
  const { UploadId } = await s3.createMultipartUpload({ ...place, Key: "copy" });
  const target = { ...place, Key: "copy", UploadId };
  const Parts = [];
  const ranges = [[2, "bytes=0-5242879"], [7, "bytes=9-12"]] as const;
  for (const [PartNumber, CopySourceRange] of ranges) {
    const { CopyPartResult } = await s3.uploadPartCopy({
      ...target,
      PartNumber,
      CopySource: `${FILES}/a/big`,
      CopySourceRange,
    });
    Parts.push({ PartNumber, ETag: CopyPartResult?.ETag });
  }
  await s3.completeMultipartUpload({ ...target, MultipartUpload: { Parts } });
  const read = async (Key: string) => {
    const { Body, ContentType } = await s3.getObject({ ...place, Key });
    return [ContentType, Buffer.from(await Body!.transformToByteArray())];
  };
  assertEquals(await read("a/big"), ["text/csv", Buffer.from(content)]);
  const joined = Buffer.concat([content.subarray(0, 5_242_880), content.subarray(9, 13)]);
  assertEquals(await read("copy"), ["binary/octet-stream", joined]);
  assertEquals(
    await test.changes(),
    ["a/big", "copy"].map((key) => `ObjectCreated:CompleteMultipartUpload ${key}`),
  );
});

Deno.test("Services refuse parts that do not fit, and forget an upload that is aborted", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const place = { Bucket: FILES, Key: "big" };
  const { UploadId } = await s3.createMultipartUpload(place);
  const upload = { ...place, UploadId };
  const put = async (PartNumber: number) => {
    const { ETag } = await s3.uploadPart({ ...upload, PartNumber, Body: "few" });
    return { PartNumber, ETag };
  };
  const [one, two] = [await put(1), await put(2)];
  const cases = [
    [[one, { PartNumber: 3, ETag: two.ETag }], "InvalidPart"],
    [[{ PartNumber: 1, ETag: '"0"' }], "InvalidPart"],
    [[two, one], "InvalidPartOrder"],
    [[one, two], "EntityTooSmall"],
    [[], "InvalidRequest"],
  ] as const;
  for (const [Parts, name] of cases) {
    const MultipartUpload = { Parts: [...Parts] };
    const complete = () => s3.completeMultipartUpload({ ...upload, MultipartUpload });
    const error = await assertRejects(complete, Error);
    assertEquals(error.name, name);
  }
  await assertRejects(
    () => put(0),
    Error,
    "Part number must be an integer between 1 and 10000, inclusive",
  );
  await s3.abortMultipartUpload(upload);
  const error = await assertRejects(() => put(1), Error);
  assertEquals([error.name, await test.changes()], ["NoSuchUpload", []]);
});

Deno.test("Services keep no replaced part, no refused part, and no part after the end of an upload", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const place = { Bucket: FILES, Key: "big" };
  const store = join(test.bucketsFolder, ".records", "files");
  const onDisk = () =>
    [...Deno.readDirSync(store)].filter(({ name }) => !name.endsWith(".json"))
      .map(({ name }) => Deno.statSync(join(store, name)).size);
  const { UploadId } = await s3.createMultipartUpload(place);
  const put = (size: number, options = {}) =>
    s3.uploadPart({
      ...place,
      UploadId,
      PartNumber: 1,
      Body: new Uint8Array(size),
      ...options,
    });
  await put(70_001);
  const { ETag } = await put(70_003);
  assertEquals(onDisk(), [70_003]);
  const ContentMD5 = btoa("0123456789abcdef");
  await assertRejects(() => put(70_007, { ContentMD5 }), Error, "Content-MD5");
  assertEquals(onDisk(), [70_003]);
  await s3.completeMultipartUpload({
    ...place,
    UploadId,
    MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] },
  });
  assertEquals(onDisk(), [70_003], "the object alone");
});

Deno.test("Services answer clients that do not ask for checksums", async () => {
  await using test = await startServices();
  const responseChecksumValidation = "WHEN_REQUIRED";
  const s3 = checkAnswers(new S3({ ...test.clientConfig(), responseChecksumValidation }));
  await s3.putObject({ Bucket: FILES, Key: "a", Body: "Hello" });
  const { Body } = await s3.getObject({ Bucket: FILES, Key: "a" });
  assertEquals(await Body!.transformToString(), "Hello");
  s3.destroy();
});

Deno.test("Services refuse documents that are too long", async () => {
  await using test = await startServices();
  const { UploadId } = await test.developer.s3.createMultipartUpload({ Bucket: FILES, Key: "a" });
  const endless = "<a>".repeat(2_000_000);
  for (const target of [`${FILES}?delete`, `${FILES}/a?uploadId=${UploadId}`]) {
    const response = await fetch(`${test.url}/${target}`, {
      method: "POST",
      body: endless,
      headers: { "x-amz-checksum-crc32": "AAAAAA==" },
    });
    assertStringIncludes(await response.text(), "<Code>MalformedXML</Code>");
    assertEquals(response.status, 400);
  }
});

Deno.test("Services name a bucket that does not exist, and an operation that is not emulated", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const problem = (call: Promise<unknown>) =>
    call.then(() => "done", ({ name, $metadata }) => `${$metadata.httpStatusCode} ${name}`);
  const Key = "a";
  assertEquals(await problem(s3.putObject({ Bucket: "none", Key })), "404 NoSuchBucket");
  assertEquals(await problem(s3.getObject({ Bucket: "none", Key })), "404 NoSuchBucket");
  assertEquals(await problem(s3.listObjectsV2({ Bucket: "none" })), "404 NoSuchBucket");
  assertEquals(await problem(s3.getBucketAcl({ Bucket: FILES })), "501 NotImplemented");
  assertEquals(await problem(s3.deleteBucket({ Bucket: FILES })), "501 NotImplemented");
  assertEquals(
    await problem(s3.getObjectAttributes({ Bucket: FILES, Key, ObjectAttributes: ["ETag"] })),
    "501 NotImplemented",
  );
});

Deno.test("Services list a bucket page by page", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const Bucket = FILES;
  const keys = ["a", "b/1", "b/2", "c", "d/1", "e"];
  for (const Key of keys) await s3.putObject({ Bucket, Key, Body: "" });
  const cases = [[undefined, keys], ["/", ["a", "b/", "c", "d/", "e"]]] as const;
  for (const [Delimiter, expected] of cases) {
    const found: string[] = [];
    const pages = paginateListObjectsV2({ client: s3, pageSize: 2 }, { Bucket, Delimiter });
    for await (const { Contents = [], CommonPrefixes = [] } of pages) {
      const names = [
        ...Contents.map(({ Key }) => Key),
        ...CommonPrefixes.map(({ Prefix }) => Prefix),
      ];
      assertEquals(names.length <= 2, true);
      found.push(...names.map(String).sort());
    }
    assertEquals(found, [...expected]);
  }
});
