import { assertEquals, assertRejects } from "@std/assert";
import { startServices } from "../../testdata/services.ts";
import { within } from "../../../testdata/waiting.ts";

/** Sends a request as it stands, because `fetch()` would change the path. Returns the status and the body. */
async function send(
  url: string,
  [method, path, headers = {}, body = ""]: RawRequest,
): Promise<{ status: number; body: string }> {
  const { hostname, port, host } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const fields = {
    Host: host,
    Connection: "close",
    "Content-Length": String(body.length),
    ...headers,
  };
  const lines = Object.entries(fields).map((field) => field.join(": "));
  const text = [`${method} ${path} HTTP/1.1`, ...lines, "", body].join("\r\n");
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
  const key = { Bucket: "files", Key: "k" };
  await test.developer.s3.putObject({ ...key, Body: "kept" });
  const cases: readonly (readonly [string, ...RawRequest])[] = [
    ['"retention" of PutObject', "PUT", "/files/k?retention", {}, "<Retention/>"],
    ['"renameObject" of PutObject', "PUT", "/files/k?renameObject"],
    ['"versionId" of DeleteObject', "DELETE", "/files/k?versionId=1"],
    ['"versionId" of GetObject', "GET", "/files/k?versionId=1"],
    ['"tagging" of DeleteObject', "DELETE", "/files/k?tagging"],
    ['"acl" of GetObject', "GET", "/files/k?acl"],
    ['"foo" of GetObject', "GET", "/files/k?foo=bar"],
    ['"versions" of ListObjects', "GET", "/files?versions"],
    ["PUT of a bucket", "PUT", "/files"],
    ["DELETE of a bucket", "DELETE", "/files"],
    ['POST of an object with "restore"', "POST", "/files/k?restore"],
    ['"x-amz-tagging" of PutObject', "PUT", "/files/k", { "x-amz-tagging": "a=b" }, "new"],
    ['"if-modified-since" of PutObject', "PUT", "/files/k", { "if-modified-since": "x" }, "new"],
    ['encryption "aws:kms"', "PUT", "/files/k", { "x-amz-server-side-encryption": "aws:kms" }],
    ['storage class "GLACIER"', "PUT", "/files/k", { "x-amz-storage-class": "GLACIER" }, "new"],
    ['"versionId=1"', "PUT", "/files/k", { "x-amz-copy-source": "files/k?versionId=1" }],
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
    [400, "InvalidURI", "GET", "/files/k%ff"],
    [400, "InvalidURI", "GET", "/files/k%zz"],
    [400, "InvalidURI", "PUT", "/files/../../k"],
    [400, "KeyTooLongError", "GET", `/files/${long}`],
    [404, "NoSuchBucket", "GET", "/none/k"],
    [404, "NoSuchKey", "GET", "/files/none"],
    [405, "MethodNotAllowed", "PATCH", "/files/k"],
    [411, "MissingContentLength", "PUT", "/files/k", { "Transfer-Encoding": "chunked" }],
    [400, "MetadataTooLarge", "PUT", "/files/k", meta],
    [400, "InvalidStorageClass", "PUT", "/files/k", { "x-amz-storage-class": "BEST" }],
    [400, "AccessControlListNotSupported", "PUT", "/files/k", { "x-amz-acl": "public-read" }],
    [403, "AccessDenied", "GET", "/files", { "x-amz-expected-bucket-owner": "123456789012" }],
    [400, "InvalidArgument", "PUT", "/files/k", source("k")],
    [400, "InvalidArgument", "PUT", "/files/k", source("files/%ff")],
    [404, "NoSuchKey", "PUT", "/files/k", source("files/none")],
    [404, "NoSuchBucket", "PUT", "/files/k", source("none/k")],
    [400, "InvalidArgument", "PUT", "/files/k", {
      ...source("files/k"),
      "x-amz-metadata-directive": "KEEP",
    }],
    [400, "InvalidRequest", "POST", "/files?delete", {}, "<Delete/>"],
    [400, "BadDigest", "POST", "/files?delete", md5, "<Delete/>"],
    [400, "MalformedXML", "POST", "/files?delete", md5],
    [403, "AccessDenied", "GET", "/files?X-Amz-Expires=9&X-Amz-Date=20200101T000000Z"],
    [
      400,
      "AuthorizationQueryParametersError",
      "GET",
      "/files?X-Amz-Expires=604801&X-Amz-Date=20200101T000000Z",
    ],
    [400, "AuthorizationQueryParametersError", "GET", "/files?X-Amz-Expires=9&X-Amz-Date=now"],
    [404, "NoSuchUpload", "POST", "/files/k?uploadId=x", {}, "<"],
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
    const path = `/files/${key.split("/").map(encodeURIComponent).join("/")}`;
    const { status } = await send(test.url, ["PUT", path, {}, `content of ${key.length}`]);
    assertEquals(status, 200, key);
  }
  const { Contents = [] } = await test.developer.s3.listObjectsV2({ Bucket: "files" });
  assertEquals(Contents.map(({ Key }) => Key!).sort(), keys.toSorted());
  for (const key of keys) {
    const path = `/files/${key.split("/").map(encodeURIComponent).join("/")}`;
    assertEquals((await send(test.url, ["GET", path])).body, `content of ${key.length}`, key);
  }
});

Deno.test("Amazon S3 removes the listed objects, and names each error", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  for (const Key of ["a", "b", "c"]) await s3.putObject({ Bucket: "files", Key, Body: "x" });
  const remove = (Objects: { Key: string; ETag?: string }[], Quiet?: boolean) =>
    s3.deleteObjects({ Bucket: "files", Delete: { Objects, ...(Quiet && { Quiet }) } });
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
  const { Contents } = await s3.listObjectsV2({ Bucket: "files" });
  assertEquals(Contents?.map(({ Key }) => Key), ["a"]);
});

Deno.test("Amazon S3 replaces fields of an answer, and refuses a copy that changes nothing", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const place = { Bucket: "files", Key: "k" };
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
  const copy = { ...place, CopySource: "files/k" };
  const error = await assertRejects(
    () => s3.copyObject(copy),
    Error,
    "This copy request is illegal",
  );
  assertEquals(error.name, "InvalidRequest");
  await s3.copyObject({ ...copy, StorageClass: "STANDARD_IA" });
  assertEquals((await s3.headObject(place)).StorageClass, "STANDARD_IA");
});
