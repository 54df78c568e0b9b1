import { assertEquals, assertStringIncludes } from "@std/assert";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { Buffer } from "node:buffer";
import { FILES } from "../../testdata/platform.ts";
import { startServices } from "../../testdata/services.ts";

/** Services, and the presigned URLs of a function with the S3 client as it comes. */
async function start() {
  await using stack = new AsyncDisposableStack();
  const test = stack.use(await startServices({ buckets: { files: "read-write" } }));
  const client = stack.adopt(
    new S3Client({ ...test.clientConfig("worker"), forcePathStyle: true }),
    (client) => client.destroy(),
  );
  const owned = stack.move();
  return {
    test,
    put: (Key: string, Metadata?: Record<string, string>) =>
      getSignedUrl(
        client,
        new PutObjectCommand({ Bucket: FILES, Key, ...Metadata && { Metadata } }),
      ),
    get: (Key: string, more = {}) =>
      getSignedUrl(client, new GetObjectCommand({ Bucket: FILES, Key, ...more })),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Sends a request. Returns the status, the text and the header. */
async function send(url: string, method = "GET", headers: Record<string, string> = {}) {
  const body = method === "PUT" ? { body: "content" } : {};
  const response = await fetch(url, { method, headers, ...body });
  return [response.status, await response.text(), response.headers] as const;
}

/**
 * The URL has the checksum of an empty body. Amazon S3 ignores checksums in a query, as ministack#1695, localstack#12169 and
 * aws-sdk-go-v2#2610 report.
 */
Deno.test("a presigned URL of the S3 client takes any content, because checksums in the query are ignored", async () => {
  await using app = await start();
  const url = await app.put("a");
  assertStringIncludes(url, "x-amz-checksum-crc32=AAAAAA%3D%3D");
  assertEquals((await send(url, "PUT"))[0], 200);
  const read = await app.get("a");
  assertStringIncludes(read, "x-amz-checksum-mode=ENABLED");
  const [status, text, headers] = await send(read);
  assertEquals([status, text], [200, "content"]);
  assertEquals([...headers.keys()].filter((name) => name.startsWith("x-amz-checksum")), []);
  const { url: developer } = app.test;
  const go =
    `${developer}/${FILES}/b?X-Amz-Checksum-Sha256=bad&X-Amz-Sdk-Checksum-Algorithm=SHA256`;
  assertEquals((await send(go, "PUT"))[0], 200);
});

/** Amazon S3 names the header fields, as bradleyg/django-s3direct#249 and aws-sdk-js#896 show. */
Deno.test("a presigned URL takes no header field of Amazon S3 that is not signed", async () => {
  await using app = await start();
  const url = await app.put("a");
  const cases: Record<string, string>[] = [
    { "x-amz-acl": "public-read" },
    { "x-amz-meta-a": "1", "x-amz-storage-class": "GLACIER" }, // not emulated
    { "x-amz-copy-source": `${FILES}/b` },
    { "x-amz-content-sha256": "wrong" }, // invalid
    { "x-amz-tagging": "a=b" }, // not emulated
    { "x-amz-checksum-crc32": "AAAAAA==" }, // another content
    { "x-amz-decoded-content-length": "7" },
  ];
  for (const fields of cases) {
    for (const origin of [{}, { origin: "https://shop.example" }]) {
      const [status, text] = await send(url, "PUT", { ...fields, ...origin });
      assertEquals([status, /<Code>(\w+)/.exec(text)?.[1]], [403, "AccessDenied"], text);
      assertStringIncludes(text, "There were headers present in the request which were not signed");
      const names = Object.keys(fields).sort().join(", ");
      assertStringIncludes(text, `<HeadersNotSigned>${names}</HeadersNotSigned>`);
    }
  }
  assertEquals((await send(url, "PUT", { "x-amzn-trace-id": "a", "content-type": "b/c" }))[0], 200);
});

/** The expectations are those of `encoded_words_test.ts`. */
Deno.test("metadata beyond ASCII come back in encoded words, from header fields and from a presigned URL", async () => {
  await using app = await start();
  const { url } = app.test;
  const latin1 = (text: string) => Buffer.from(text).toString("latin1");
  const metadataOf = async (key: string) =>
    (await send(`${url}/${FILES}/${key}`, "HEAD"))[2].get("x-amz-meta-a");
  const cases = [
    ["header", latin1("Miniö"), "=?UTF-8?Q?Mini=C3=83=C2=B6?="],
    ["guide", latin1("ÄMÄZÕÑ S3"), "=?UTF-8?B?w4PChE3Dg8KEWsODwpXDg8KRIFMz?="],
    ["word", "=?UTF-8?B?w7Y=?=", "=?UTF-8?B?w7Y=?="],
    ["decoded", "=?UTF-8?Q?Mini?=", "Mini"],
  ] as const;
  for (const [key, sent, expected] of cases) {
    assertEquals((await send(`${url}/${FILES}/${key}`, "PUT", { "x-amz-meta-a": sent }))[0], 200);
    assertEquals(await metadataOf(key), expected, key);
    const copied = { "x-amz-copy-source": `${FILES}/${key}` };
    assertEquals((await send(`${url}/${FILES}/copy`, "PUT", copied))[0], 200);
    assertEquals(await metadataOf("copy"), expected, `the copy of ${key}`);
  }
  assertEquals((await send(await app.put("query", { a: "Miniö €" }), "PUT"))[0], 200);
  assertEquals(await metadataOf("query"), "=?UTF-8?Q?Mini=C3=B6_=E2=82=AC?=");
  // The size is that of the text in UTF-8, not that of the encoded words.
  assertEquals((await send(await app.put("large", { a: "é".repeat(1_023) }), "PUT"))[0], 200);
  assertEquals((await send(await app.put("larger", { a: "é".repeat(1_024) }), "PUT"))[0], 400);
});

Deno.test("a parameter for the header of an answer must be Latin-1", async () => {
  await using app = await start();
  await app.test.developer.s3.putObject({ Bucket: FILES, Key: "a", Body: "content" });
  const ask = async (name: string) => {
    const [status, text, headers] = await send(
      await app.get("a", { ResponseContentDisposition: `attachment; filename="${name}"` }),
    );
    return [
      status,
      headers.get("content-disposition") ?? /<Message>(.*)<\/Message>/.exec(text)?.[1],
    ];
  };
  assertEquals(await ask("é"), [200, 'attachment; filename="é"']);
  const message = "Header value cannot be represented using ISO-8859-1.";
  assertEquals(await ask("€"), [400, message]);
  assertEquals(await ask("a\nb"), [400, "Header value cannot have control characters."]);
});
