import { assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { FILES } from "../../testdata/platform.ts";
import { startServices } from "../../testdata/services.ts";
import { type Algorithm, readAlgorithm, readClaim, readType, startDigest } from "./checksums.ts";

Deno.test("startDigest() computes the check values of the algorithms", async () => {
  // The catalogue of CRC algorithms and FIPS 180-4 have these values for "123456789".
  const cases: readonly (readonly [Algorithm, string])[] = [
    ["CRC32", "cbf43926"],
    ["CRC32C", "e3069283"],
    ["CRC64NVME", "ae8b14860a799888"],
    ["SHA1", "f7c3bc1d808e04732adf679965ccc34ca7ae3441"],
    ["SHA256", "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"],
  ];
  for (const [algorithm, expected] of cases) {
    const digest = startDigest(algorithm);
    for (const part of ["1234", "", "56789"]) digest.update(Buffer.from(part));
    assertEquals(Buffer.from(await digest.digest()).toString("hex"), expected, algorithm);
  }
});

Deno.test("readClaim(), readAlgorithm() and readType() name the header that Amazon S3 refuses", () => {
  const claim = (fields: Record<string, string>) => readClaim(new Headers(fields));
  const algorithm = (field: string, value: string) =>
    readAlgorithm(new Headers({ [field]: value }), field);
  const [sdk, multipart] = ["x-amz-sdk-checksum-algorithm", "x-amz-checksum-algorithm"] as const;
  const value = (name: string) => `Value for ${name} header is invalid.`;
  const type = (name: string) => `The ${name} checksum type cannot be used with the`;
  const table: [call: () => unknown, message: string][] = [
    [() => claim({ "x-amz-checksum-crc32": "AAAA" }), value("x-amz-checksum-crc32")],
    [() => claim({ "x-amz-checksum-crc32": "2JMqrA!=" }), value("x-amz-checksum-crc32")],
    [() => algorithm(sdk, "CRC1"), value(sdk)],
    [() => algorithm(multipart, "CRC1"), "Checksum algorithm provided is unsupported."],
    [
      () => readType("CRC64NVME", "COMPOSITE"),
      `${type("COMPOSITE")} crc64nvme checksum algorithm.`,
    ],
    [() => readType("SHA1", "FULL_OBJECT"), `${type("FULL_OBJECT")} sha1 checksum algorithm.`],
    [() => readType("SHA1", "OTHER"), value("x-amz-checksum-type")],
  ];
  for (const [call, message] of table) assertThrows(call, Error, message);
  const trailer = { algorithm: "CRC32" as const, value: undefined };
  assertEquals(claim({ "x-amz-trailer": "X-Amz-Checksum-CRC32" }), trailer);
  assertEquals(claim({}), undefined);
  assertEquals(algorithm(multipart, "sha1"), "SHA1");
  assertEquals(readType("CRC32", "COMPOSITE"), "COMPOSITE");
});

/** Sends a request to the bucket "files". Returns the status, and the code of an error. */
async function send(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<[number, string | undefined]> {
  const init = { method, headers, ...(body !== undefined && { body }) };
  const response = await fetch(`${url}/${FILES}/${path}`, init);
  return [response.status, /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]];
}

const md5 = (text: string) => createHash("md5").update(text).digest("base64");
const chunked = { "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER" };
const trailer = {
  ...chunked,
  "x-amz-decoded-content-length": "2",
  "x-amz-trailer": "x-amz-checksum-crc32",
};

Deno.test("Amazon S3 stores no content that differs from its digests", async () => {
  await using test = await startServices();
  const zero = "A".repeat(43) + "=";
  const cases: [Record<string, string>, string, number, string?][] = [
    [{}, "hi", 200],
    [{ "content-md5": md5("hi") }, "hi", 200],
    [{ "content-md5": md5("ho") }, "hi", 400, "BadDigest"],
    [{ "content-md5": "MTIz" }, "hi", 400, "InvalidDigest"],
    [{ "content-md5": "not base64" }, "hi", 400, "InvalidDigest"],
    [{ "x-amz-checksum-crc32": "2JMqrA==" }, "hi", 200],
    [{ "x-amz-checksum-crc32": "AAAAAA==" }, "hi", 400, "BadDigest"],
    [{ "x-amz-checksum-crc32": "AAAA" }, "hi", 400, "InvalidRequest"],
    [{ "x-amz-checksum-crc32c": "AAAAAA==" }, "hi", 400, "BadDigest"],
    [{ "x-amz-checksum-crc64nvme": "AAAAAAAAAAA=" }, "hi", 400, "BadDigest"],
    [{ "x-amz-checksum-sha1": "AAAAAAAAAAAAAAAAAAAAAAAAAAA=" }, "hi", 400, "BadDigest"],
    [{ "x-amz-checksum-sha256": zero }, "hi", 400, "BadDigest"],
    [{ "x-amz-checksum-xxhash3": "AAAA" }, "hi", 501, "NotImplemented"],
    [
      { "x-amz-checksum-crc32": "2JMqrA==", "x-amz-checksum-sha256": zero },
      "hi",
      400,
      "InvalidRequest",
    ],
    [{ "x-amz-sdk-checksum-algorithm": "CRC32" }, "hi", 400, "InvalidRequest"],
    [{ "x-amz-sdk-checksum-algorithm": "CRC1" }, "hi", 400, "InvalidRequest"],
    [
      { "x-amz-sdk-checksum-algorithm": "SHA1", "x-amz-checksum-crc32": "2JMqrA==" },
      "hi",
      400,
      "InvalidRequest",
    ],
    [{ "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }, "hi", 200],
    [{ "x-amz-content-sha256": "0".repeat(64) }, "hi", 400, "XAmzContentSHA256Mismatch"],
    [{ "x-amz-content-sha256": "digest" }, "hi", 400, "InvalidArgument"],
    [trailer, "2\r\nhi\r\n0\r\nx-amz-checksum-crc32:2JMqrA==\r\n\r\n", 200],
    [trailer, "2\r\nhi\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n", 400, "BadDigest"],
    [trailer, "2\r\nhi\r\n0\r\nx-amz-checksum-crc32:AAAA\r\n\r\n", 400, "InvalidRequest"],
    [trailer, "2\r\nhi\r\n0\r\n\r\n", 400, "MalformedTrailerError"],
    [trailer, "3\r\nhi!\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n", 400, "IncompleteBody"],
    [trailer, "2\r\nhi\r\n", 400, "IncompleteBody"],
    [trailer, "two\r\nhi\r\n0\r\n\r\n", 400, "InvalidRequest"],
    [trailer, "a".repeat(9_000), 400, "InvalidRequest"],
    [chunked, "2\r\nhi\r\n0\r\n\r\n", 411, "MissingContentLength"],
  ];
  for (const [index, [headers, body, status, code]] of cases.entries()) {
    const shown = `${JSON.stringify(headers)} ${body.slice(0, 40)}`;
    const key = `k${index}`;
    assertEquals(await send(test.url, "PUT", key, headers, body), [status, code], shown);
    const [stored] = await send(test.url, "GET", key, {});
    assertEquals(stored, status === 200 ? 200 : 404, shown);
  }
});

Deno.test("Amazon S3 answers checksums: those of the client, or CRC64NVME", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const place = { Bucket: FILES, Key: "k" };
  const response = await fetch(`${test.url}/${FILES}/k`, { method: "PUT", body: "123456789" });
  await response.body?.cancel();
  const crc64 = Buffer.from("ae8b14860a799888", "hex").toString("base64");
  assertEquals(response.headers.get("x-amz-checksum-crc64nvme"), crc64);
  const head = await s3.headObject({ ...place, ChecksumMode: "ENABLED" });
  assertEquals([head.ChecksumCRC64NVME, head.ChecksumType], [crc64, "FULL_OBJECT"]);
  assertEquals((await s3.headObject(place)).ChecksumCRC64NVME, undefined, "not asked for");
  const part = await s3.getObject({ ...place, ChecksumMode: "ENABLED", Range: "bytes=0-3" });
  assertEquals([await part.Body!.transformToString(), part.ChecksumCRC64NVME], ["1234", undefined]);
  const { CopyObjectResult } = await s3.copyObject({
    ...place,
    Key: "copy",
    CopySource: `${FILES}/k`,
    ChecksumAlgorithm: "CRC32",
  });
  assertEquals(CopyObjectResult?.ChecksumCRC32, Buffer.from("cbf43926", "hex").toString("base64"));
});
