import { assertEquals } from "@std/assert";
import { accessesOf } from "./s3.ts";
import { readRequest } from "./operations.ts";

Deno.test("accessesOf() names the permissions that Amazon S3 asks for", () => {
  const arn = "arn:aws:s3:::photos";
  const own = `${arn}/a.png`;
  const source = { "x-amz-copy-source": "photos/b%2Fc.png" };
  const cases = [
    ["GET", "/photos/a.png", {}, ["s3:GetObject", own]],
    ["HEAD", "/photos/a.png", {}, ["s3:GetObject", own]],
    ["PUT", "/photos/a.png", {}, ["s3:PutObject", own]],
    ["PUT", "/photos/a.png", { "if-none-match": "*" }, ["s3:PutObject", own]],
    ["PUT", "/photos/a.png", { "if-match": "x" }, ["s3:PutObject", own], ["s3:GetObject", own]],
    ["PUT", "/photos/a.png", source, ["s3:PutObject", own], ["s3:GetObject", `${arn}/b/c.png`]],
    ["GET", "/photos/a.png", { "if-match": "x" }, ["s3:GetObject", own]],
    ["DELETE", "/photos/a.png", {}, ["s3:DeleteObject", own]],
    ["DELETE", "/photos/a.png", { "if-match": "*" }, ["s3:DeleteObject", own]],
    ["POST", "/photos/a.png?uploads", {}, ["s3:PutObject", own]],
    ["PUT", "/photos/a.png?partNumber=1&uploadId=7", {}, ["s3:PutObject", own]],
    [
      "PUT",
      "/photos/a.png?partNumber=1&uploadId=7",
      source,
      ["s3:PutObject", own],
      ["s3:GetObject", `${arn}/b/c.png`],
    ],
    ["POST", "/photos/a.png?uploadId=7", {}, ["s3:PutObject", own]],
    ["DELETE", "/photos/a.png?uploadId=7", {}, ["s3:AbortMultipartUpload", own]],
    ["GET", "/photos?list-type=2", {}, ["s3:ListBucket", arn]],
    ["GET", "/photos", {}, ["s3:ListBucket", arn]],
    ["HEAD", "/photos", {}, ["s3:ListBucket", arn]],
    ["GET", "/photos?location", {}, ["s3:GetBucketLocation", arn]],
    ["GET", "/", {}, ["s3:ListAllMyBuckets", "*"]],
  ] as const;
  for (const [method, path, headers, ...expected] of cases) {
    const call = readRequest(new Request(`http://localhost${path}`, { method, headers }));
    const accesses = accessesOf(call).map(({ action, resource }) => [action, resource]);
    assertEquals(accesses, expected.map((access) => [...access]), `${method} ${path}`);
  }
});
