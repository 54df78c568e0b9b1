import { assertEquals, assertThrows } from "@std/assert";
import { S3Error } from "../service_call.ts";
import { readFacts } from "./facts.ts";

Deno.test("readFacts() keeps the fields that Amazon S3 stores, and how an object is stored", () => {
  const table: [headers: Record<string, string>, kept: Record<string, string>, class_?: string][] =
    [
      [{}, {}],
      [{ accept: "*/*", "cache-control": "no-store" }, { "cache-control": "no-store" }],
      [{ "cache-control": "", "x-amz-meta-a": "" }, { "x-amz-meta-a": "" }],
      [{ "content-encoding": "AWS-Chunked, gzip," }, { "content-encoding": "gzip" }],
      [{ "content-encoding": "aws-chunked" }, {}],
      [{ "x-amz-acl": "bucket-owner-full-control" }, {}],
      [{ "x-amz-server-side-encryption": "AES256" }, {}],
      [{ "x-amz-storage-class": "STANDARD" }, {}],
      [{ "x-amz-storage-class": "GLACIER_IR" }, {}, "GLACIER_IR"],
    ];
  for (const [headers, fields, storageClass] of table) {
    const expected = { fields, ...(storageClass && { storageClass }) };
    assertEquals(readFacts(new Headers(headers)), expected, JSON.stringify(headers));
  }
});

Deno.test("readFacts() takes metadata of 2,048 bytes, names and values together", () => {
  const read = (length: number) =>
    readFacts(
      new Headers({ "cache-control": "x".repeat(3_000), "x-amz-meta-ab": "x".repeat(length) }),
    );
  read(2_046);
  assertEquals(assertThrows(() => read(2_047), S3Error).code, "MetadataTooLarge");
});
