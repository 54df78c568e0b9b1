import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { FILES, manifestWith, startTestPlatform } from "./platform.ts";

/** A platform with a bucket for pages of one origin, and the S3 client of a function. */
export async function startForPages(origins: readonly string[]) {
  await using stack = new AsyncDisposableStack();
  const functions = {
    f: { module: "f.ts", uses: { buckets: { files: "read-write", other: "read" } } },
  };
  const cors = {
    origins,
    methods: ["GET", "PUT"],
    headers: ["content-*"],
    exposeHeaders: ["ETag"],
    maxAge: 60,
  };
  const manifest = { ...manifestWith(functions), buckets: { files: { cors } } };
  const test = stack.use(await startTestPlatform(() => "{}", { manifest }));
  const client = stack.adopt(
    new S3Client({
      ...test.clientConfig("f"),
      forcePathStyle: true,
    }),
    (client) => client.destroy(),
  );
  const owned = stack.move();
  return {
    platform: test.platform,
    put: (Key: string, expiresIn = 60, Bucket = FILES, signingDate = new Date()) =>
      getSignedUrl(client, new PutObjectCommand({ Bucket, Key, ContentType: "text/plain" }), {
        expiresIn,
        signingDate,
        signableHeaders: new Set(["content-type"]),
      }),
    get: (Key: string, expiresIn = 60) =>
      getSignedUrl(client, new GetObjectCommand({ Bucket: FILES, Key }), { expiresIn }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
