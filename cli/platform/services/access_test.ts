import { assertEquals } from "@std/assert";
import { readAccesses } from "./access.ts";

Deno.test("readAccesses() names the permission that Amazon S3 asks for", () => {
  const arn = "arn:aws:s3:::photos";
  for (
    const [method, path, action, resource] of [
      ["GET", "/photos/a.png", "s3:GetObject", `${arn}/a.png`],
      ["HEAD", "/photos/a.png", "s3:GetObject", `${arn}/a.png`],
      ["PUT", "/photos/a.png", "s3:PutObject", `${arn}/a.png`],
      ["DELETE", "/photos/a.png", "s3:DeleteObject", `${arn}/a.png`],
      ["POST", "/photos/a.png?uploads", "s3:PutObject", `${arn}/a.png`],
      ["PUT", "/photos/a.png?partNumber=1&uploadId=7", "s3:PutObject", `${arn}/a.png`],
      ["DELETE", "/photos/a.png?uploadId=7", "s3:AbortMultipartUpload", `${arn}/a.png`],
      ["GET", "/photos?list-type=2", "s3:ListBucket", arn],
    ] as const
  ) {
    const request = new Request(`http://localhost${path}`, { method });
    assertEquals(readAccesses(request, "s3", ""), [{ action, resource }], `${method} ${path}`);
  }
});
