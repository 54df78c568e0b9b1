import { assertEquals, assertRejects } from "@std/assert";
import { FILES } from "../../testdata/platform.ts";
import { startServices } from "../../testdata/services.ts";
import { within } from "../../../testdata/waiting.ts";

/** Sends a request as it stands, because `fetch()` would change the path. Returns the status and the body. */
async function send(
  url: string,
  [method, path, headers = {}, body = ""]: RawRequest,
): Promise<{ status: number; body: string }> {
  const { hostname, port, host, pathname } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const fields = {
    Host: host,
    Connection: "close",
    "Content-Length": String(body.length),
    ...headers,
  };
  const lines = Object.entries(fields).map((field) => field.join(": "));
  const text = [`${method} ${pathname}${path} HTTP/1.1`, ...lines, "", body].join("\r\n");
  await new Blob([text]).stream().pipeTo(connection.writable, { preventClose: true });
  const answer = new Response(connection.readable).text();
  const [head = "", ...rest] = (await within(`${method} ${path}`, answer)).split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), body: rest.join("\r\n\r\n") };
}

type RawRequest = readonly [
  method: string,
  path: string,
  headers?: Readonly<Record<string, string>>,
  body?: string,
];

Deno.test("Amazon S3 refuses what it does not emulate, by name, and changes nothing", async () => {
  await using test = await startServices();
  const key = { Bucket: FILES, Key: "k" };
  await test.developer.s3.putObject({ ...key, Body: "kept" });
  const cases: readonly (readonly [string, ...RawRequest])[] = [
    ['"retention" of PutObject', "PUT", `/${FILES}/k?retention`, {}, "<Retention/>"],
    ['"renameObject" of PutObject', "PUT", `/${FILES}/k?renameObject`],
    ['"versionId" of DeleteObject', "DELETE", `/${FILES}/k?versionId=1`],
    ['"versionId" of GetObject', "GET", `/${FILES}/k?versionId=1`],
    ['"tagging" of DeleteObject', "DELETE", `/${FILES}/k?tagging`],
    ['"acl" of GetObject', "GET", `/${FILES}/k?acl`],
    ['"foo" of GetObject', "GET", `/${FILES}/k?foo=bar`],
    ['"versions" of ListObjects', "GET", `/${FILES}?versions`],
    ["PUT of a bucket", "PUT", `/${FILES}`],
    ["DELETE of a bucket", "DELETE", `/${FILES}`],
    ['POST of an object with "restore"', "POST", `/${FILES}/k?restore`],
    ['"x-amz-tagging" of PutObject', "PUT", `/${FILES}/k`, { "x-amz-tagging": "a=b" }, "new"],
    ['"if-modified-since" of PutObject', "PUT", `/${FILES}/k`, { "if-modified-since": "x" }, "new"],
    ['encryption "aws:kms"', "PUT", `/${FILES}/k`, { "x-amz-server-side-encryption": "aws:kms" }],
    ['storage class "GLACIER"', "PUT", `/${FILES}/k`, { "x-amz-storage-class": "GLACIER" }, "new"],
    ['"versionId=1"', "PUT", `/${FILES}/k`, { "x-amz-copy-source": `${FILES}/k?versionId=1` }],
  ];
  for (const [name, ...request] of cases) {
    const { status, body } = await send(test.url, request);
    assertEquals(
      [status, body.includes(name)],
      [501, true],
      `${request[0]} ${request[1]}: ${body}`,
    );
  }
  const { Body } = await test.developer.s3.getObject(key);
  assertEquals(await Body!.transformToString(), "kept");
});

Deno.test("Amazon S3 answers malformed requests with its own errors", async () => {
  await using test = await startServices();
  const long = "x".repeat(1_025);
  const meta = { "x-amz-meta-a": "x".repeat(2_048) };
  const source = (text: string) => ({ "x-amz-copy-source": text });
  const md5 = { "content-md5": "1B2M2Y8AsgTpgAmY7PhCfg==" }; // of no content
  const cases: readonly (readonly [number, string, ...RawRequest])[] = [
    [400, "InvalidURI", "GET", `/${FILES}/k%ff`],
    [400, "InvalidURI", "GET", `/${FILES}/k%zz`],
    [400, "InvalidURI", "PUT", `/${FILES}/../../k`],
    [400, "KeyTooLongError", "GET", `/${FILES}/${long}`],
    [404, "NoSuchBucket", "GET", "/none/k"],
    [404, "NoSuchKey", "GET", `/${FILES}/none`],
    [405, "MethodNotAllowed", "PATCH", `/${FILES}/k`],
    [411, "MissingContentLength", "PUT", `/${FILES}/k`, { "Transfer-Encoding": "chunked" }],
    [400, "MetadataTooLarge", "PUT", `/${FILES}/k`, meta],
    [400, "InvalidStorageClass", "PUT", `/${FILES}/k`, { "x-amz-storage-class": "BEST" }],
    [400, "AccessControlListNotSupported", "PUT", `/${FILES}/k`, { "x-amz-acl": "public-read" }],
    [403, "AccessDenied", "GET", `/${FILES}`, { "x-amz-expected-bucket-owner": "123456789012" }],
    [400, "InvalidArgument", "PUT", `/${FILES}/k`, source("k")],
    [400, "InvalidArgument", "PUT", `/${FILES}/k`, source(`${FILES}/%ff`)],
    [404, "NoSuchKey", "PUT", `/${FILES}/k`, source(`${FILES}/none`)],
    [404, "NoSuchBucket", "PUT", `/${FILES}/k`, source("none/k")],
    [400, "InvalidArgument", "PUT", `/${FILES}/k`, {
      ...source(`${FILES}/k`),
      "x-amz-metadata-directive": "KEEP",
    }],
    [400, "InvalidRequest", "POST", `/${FILES}?delete`, {}, "<Delete/>"],
    [400, "BadDigest", "POST", `/${FILES}?delete`, md5, "<Delete/>"],
    [400, "MalformedXML", "POST", `/${FILES}?delete`, md5],
    [403, "AccessDenied", "GET", `/${FILES}?X-Amz-Expires=9&X-Amz-Date=20200101T000000Z`],
    [
      400,
      "AuthorizationQueryParametersError",
      "GET",
      `/${FILES}?X-Amz-Expires=604801&X-Amz-Date=20200101T000000Z`,
    ],
    [400, "AuthorizationQueryParametersError", "GET", `/${FILES}?X-Amz-Expires=9&X-Amz-Date=now`],
    [404, "NoSuchUpload", "POST", `/${FILES}/k?uploadId=x`, {}, "<"],
  ];
  for (const [status, code, ...request] of cases) {
    // A chunked request has no length, and ends with an empty chunk.
    const isChunked = request[2]?.["Transfer-Encoding"] !== undefined;
    const answer = isChunked
      ? await sendChunked(test.url, request[1])
      : await send(test.url, request);
    const shown = `${request[0]} ${request[1].slice(0, 60)}: ${answer.body}`;
    assertEquals(
      [answer.status, answer.body.includes(`<Code>${code}</Code>`)],
      [status, true],
      shown,
    );
  }
  assertEquals(test.log.after(0).filter(({ text }) => text.includes("Cannot answer")), []);
});

async function sendChunked(url: string, path: string) {
  const body = ReadableStream.from([new TextEncoder().encode("hi")]);
  const response = await fetch(url + path, { method: "PUT", body });
  return { status: response.status, body: await response.text() };
}

Deno.test("Amazon S3 keeps every key as it stands in the path", async () => {
  await using test = await startServices();
  const keys = ["x/../y", "y", "a//b", "dir/", "./c", "a%2Fb", "+ü&<1>", "x/../y/z"];
  for (const key of keys) {
    const path = `/${FILES}/${key.split("/").map(encodeURIComponent).join("/")}`;
    const { status } = await send(test.url, ["PUT", path, {}, `content of ${key.length}`]);
    assertEquals(status, 200, key);
  }
  const { Contents = [] } = await test.developer.s3.listObjectsV2({ Bucket: FILES });
  assertEquals(Contents.map(({ Key }) => Key!).sort(), keys.toSorted());
  for (const key of keys) {
    const path = `/${FILES}/${key.split("/").map(encodeURIComponent).join("/")}`;
    assertEquals((await send(test.url, ["GET", path])).body, `content of ${key.length}`, key);
  }
});

Deno.test("Amazon S3 removes the listed objects, and names each error", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  for (const Key of ["a", "b", "c"]) await s3.putObject({ Bucket: FILES, Key, Body: "x" });
  const remove = (Objects: { Key: string; ETag?: string }[], Quiet?: boolean) =>
    s3.deleteObjects({ Bucket: FILES, Delete: { Objects, ...(Quiet && { Quiet }) } });
  const { Deleted, Errors } = await remove([{ Key: "a", ETag: '"x"' }, { Key: "b" }, {
    Key: "none",
  }]);
  assertEquals(Deleted, [{ Key: "b" }, { Key: "none" }]);
  assertEquals(Errors?.map(({ Key, Code }) => [Key, Code]), [["a", "PreconditionFailed"]]);
  const quiet = await remove([{ Key: "c" }], true);
  assertEquals([quiet.Deleted, quiet.Errors], [undefined, undefined]);
  const many = Array.from({ length: 1_001 }, (_, index) => ({ Key: `${index}` }));
  const error = await assertRejects(() => remove(many), Error);
  assertEquals(error.name, "MalformedXML");
  const { Contents } = await s3.listObjectsV2({ Bucket: FILES });
  assertEquals(Contents?.map(({ Key }) => Key), ["a"]);
});

Deno.test("Amazon S3 replaces fields of an answer, and refuses a copy that changes nothing", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const place = { Bucket: FILES, Key: "k" };
  const Expires = new Date("2030-01-01T00:00:00Z");
  await s3.putObject({
    ...place,
    Body: "x",
    CacheControl: "no-cache",
    Expires,
    Metadata: { a: "" },
  });
  const plain = await s3.getObject(place);
  assertEquals([plain.CacheControl, plain.ExpiresString], ["no-cache", Expires.toUTCString()]);
  assertEquals([plain.Metadata, await plain.Body!.transformToString()], [{ a: "" }, "x"]);
  const coded = { ...place, Key: "coded", Body: "x", ContentEncoding: "br,aws-chunked" };
  await s3.putObject(coded);
  const { ContentEncoding } = await s3.headObject({ ...place, Key: "coded" });
  assertEquals(ContentEncoding, "br", "aws-chunked is not part of the object");
  const changed = await s3.getObject({ ...place, ResponseContentType: "text/css" });
  assertEquals([changed.ContentType, await changed.Body!.transformToString()], ["text/css", "x"]);
  const copy = { ...place, CopySource: `${FILES}/k` };
  const error = await assertRejects(
    () => s3.copyObject(copy),
    Error,
    "This copy request is illegal",
  );
  assertEquals(error.name, "InvalidRequest");
  await s3.copyObject({ ...copy, StorageClass: "STANDARD_IA" });
  assertEquals((await s3.headObject(place)).StorageClass, "STANDARD_IA");
});
