import { GetObjectCommand, S3 } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createHash, createHmac } from "node:crypto";
import { join } from "node:path";
import { Command, createApp } from "../testdata/command.ts";
import { FILES } from "../testdata/platform.ts";
import { sendSigned, startServices } from "../testdata/services.ts";

/** Presigns a URL of an object as a function does. */
async function presignAs(
  environment: Readonly<Record<string, string>>,
  Bucket: string,
  Key: string,
) {
  const client = new S3({
    endpoint: environment.AWS_ENDPOINT_URL!,
    region: "us-east-1",
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID!,
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY!,
      sessionToken: environment.AWS_SESSION_TOKEN!,
    },
    forcePathStyle: true,
  });
  const url = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key }));
  client.destroy();
  return url;
}

Deno.test("who reads the access key of a function in a URL cannot sign as the function", async () => {
  const statements = [{ Effect: "Allow", Action: "*", Resource: "*" }];
  await using test = await startServices({ buckets: { files: "read-write" } }, statements);
  const { AWS_SECRET_ACCESS_KEY } = test.environment;
  const { AWS_SECRET_ACCESS_KEY: ofAnother } = test.environmentOf("files");
  assertMatch(AWS_SECRET_ACCESS_KEY!, /^[\w-]{40}$/);
  const table = { "x-amz-target": "DynamoDB_20120810.ListTables" };
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const calls: [service: string, request: Parameters<typeof sendSigned>[2], code: string][] = [
    ["s3", { method: "GET", path: `/${FILES}?list-type=2` }, "SignatureDoesNotMatch"],
    [
      "sqs",
      { headers: { "x-amz-target": "AmazonSQS.ListQueues" }, body: "{}" },
      "InvalidSignature",
    ],
    ["sns", { headers: form, body: "Action=ListTopics" }, "SignatureDoesNotMatch"],
    [
      "events",
      { headers: { "x-amz-target": "AWSEvents.PutEvents" }, body: "{}" },
      "InvalidSignature",
    ],
    ["dynamodb", { headers: table, body: "{}" }, "InvalidSignature"],
    [
      "lambda",
      { path: "/2015-03-31/functions/app-files/invocations", body: "{}" },
      "InvalidSignature",
    ],
    ["sts", { headers: form, body: "Action=GetCallerIdentity" }, "SignatureDoesNotMatch"],
  ];
  for (const secret of ["local", ofAnother!]) {
    const stolen = { ...test.environment, AWS_SECRET_ACCESS_KEY: secret };
    for (const [service, request, code] of calls) {
      const text = await (await sendSigned(stolen, service, request)).text();
      assertStringIncludes(text, code, service);
    }
  }
  for (const [service, request, code] of calls) {
    const text = await (await sendSigned(test.environment, service, request)).text();
    assertEquals(text.includes(code), false, `${service}: ${text}`);
  }
  assertEquals(test.calls.map(({ name }) => name), ["files"]);
  const url = await presignAs({ ...test.environment, AWS_SECRET_ACCESS_KEY: "local" }, FILES, "a");
  assertStringIncludes(await (await fetch(url)).text(), "<Code>SignatureDoesNotMatch</Code>");
});

Deno.test("a service takes signed chunks only with their signatures", async () => {
  await using test = await startServices({ buckets: { files: "read-write" } });
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_ENDPOINT_URL } =
    test.environment;
  const hmac = (key: string | Uint8Array, text: string) =>
    createHmac("sha256", key).update(text).digest();
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  /** Uploads "Hello" and "!" with chunk signatures, as the AWS SDK for Java does. */
  const upload = async (Key: string, change: (body: string) => string) => {
    const { host } = new URL(AWS_ENDPOINT_URL!);
    const time = new Date().toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
    const scope = `${time.slice(0, 8)}/us-east-1/s3/aws4_request`;
    const digest = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
    const fields = {
      host,
      "x-amz-content-sha256": digest,
      "x-amz-date": time,
      "x-amz-decoded-content-length": "6",
      "x-amz-security-token": AWS_SESSION_TOKEN!,
      "x-amz-trailer": "x-amz-checksum-crc32",
    };
    const names = Object.keys(fields).join(";");
    const head = Object.entries(fields).map(([name, value]) => `${name}:${value}\n`).join("");
    const canonical = ["PUT", `/${FILES}/${Key}`, "", head, names, digest].join("\n");
    const key = scope.split("/").reduce<string | Uint8Array>(
      (last, part) => hmac(last, part),
      `AWS4${AWS_SECRET_ACCESS_KEY}`,
    );
    const sign = (kind: string, ...rest: string[]) =>
      hmac(key, [`AWS4-HMAC-SHA256${kind}`, time, scope, ...rest].join("\n")).toString("hex");
    const seed = sign("", hash(canonical));
    let last = seed;
    const chunks = ["Hello", "!", ""].map((chunk) => {
      last = sign("-PAYLOAD", last, hash(""), hash(chunk));
      const frame = `${chunk.length.toString(16)};chunk-signature=${last}\r\n`;
      return chunk === "" ? frame : `${frame}${chunk}\r\n`;
    });
    const trailer = `x-amz-checksum-crc32:${Key === "bad" ? "AAAAAA==" : "nSrMVg=="}`;
    const body = `${chunks.join("")}${trailer}\r\nx-amz-trailer-signature:${
      sign("-TRAILER", last, hash(`${trailer}\n`))
    }\r\n\r\n`;
    const { host: _, ...sent } = fields;
    const authorization = `AWS4-HMAC-SHA256 Credential=${AWS_ACCESS_KEY_ID}/${scope}, ` +
      `SignedHeaders=${names}, Signature=${seed}`;
    const init = { method: "PUT", headers: { ...sent, authorization }, body: change(body) };
    const response = await fetch(`${AWS_ENDPOINT_URL}/${FILES}/${Key}`, init);
    return [response.status, /<Code>(\w+)/.exec(await response.text())?.[1]];
  };
  const cases: [key: string, change: (body: string) => string, code?: string][] = [
    ["good", (body) => body],
    ["content", (body) => body.replace("Hello", "Hallo"), "SignatureDoesNotMatch"],
    [
      "order",
      (body) => body.replace(/(5;.*\r\n.*\r\n)(1;.*\r\n.*\r\n)/, "$2$1"),
      "SignatureDoesNotMatch",
    ],
    ["no-signature", (body) => body.replace(/;chunk-signature=\w+/, ""), "SignatureDoesNotMatch"],
    ["trailer", (body) => body.replace(/(crc32:)..../, "$1AAAA"), "SignatureDoesNotMatch"],
    [
      "unsigned-trailer",
      (body) => body.replace(/x-amz-trailer-signature.*\r\n/, ""),
      "SignatureDoesNotMatch",
    ],
    ["bad", (body) => body, "BadDigest"],
  ];
  for (const [key, change, code] of cases) {
    const status = code === undefined ? 200 : code === "BadDigest" ? 400 : 403;
    assertEquals(await upload(key, change), [status, code], key);
  }
  const { Contents } = await test.developer.s3.listObjectsV2({ Bucket: FILES });
  assertEquals(Contents?.map(({ Key }) => Key), ["good"]);
});

Deno.test("an operation that AWS takes unsigned is refused by its name", async () => {
  await using test = await startServices();
  const url = test.environment.AWS_ENDPOINT_URL!;
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const cases = [
    ["/", form, "Action=AssumeRoleWithWebIdentity&Version=2011-06-15", "AssumeRoleWithWebIdentity"],
    ["/", { "x-amz-target": "AWSCognitoIdentityService.GetId" }, "{}", "GetId"],
    ["/.aws/oidc/client/register", {}, "{}", "/.aws/oidc/client/register"],
  ] as const;
  for (const [path, headers, body, name] of cases) {
    const response = await fetch(url + path, { method: "POST", headers, body });
    const text = (await response.text()).replaceAll("&#34;", '"').replaceAll("\\", "");
    assertEquals(response.status, 501, text);
    assertStringIncludes(text, `The operation "${name}" is not signed`);
    assertStringIncludes(text, "permissions.net");
  }
});

Deno.test("a presigned URL stays valid after a save and a changed manifest, until its function goes", async () => {
  const folder = await createApp();
  const write = (file: string, text: string) => Deno.writeTextFile(join(folder, file), text);
  const manifestOf = (name: string, path: string) => {
    const triggers = { routes: [{ method: "GET", path }] };
    const uses = { buckets: { files: "read" } };
    const functions = { [name]: { module: "hello.ts", uses, triggers } };
    return JSON.stringify({ name: "greeter", stage: "v0", functions, buckets: { files: {} } });
  };
  const code = "export const handler = () => ({ body: JSON.stringify(Deno.env.toObject()) });";
  await write("hello.ts", code);
  await write("app.json", manifestOf("hello", "/hello"));
  await using command = new Command(["--port", "0", "app.json"], folder);
  const [, base] = await command.find(/Base URL {4}(\S+)\n[^]*Ctrl-C/);
  const bucket = "greeter-files-000000000000-us-east-1";
  const url = await presignAs(await (await fetch(`${base}/hello`)).json(), bucket, "a");
  const answer = async () => /<Code>(\w+)/.exec(await (await fetch(url)).text())?.[1];
  assertEquals(await answer(), "NoSuchKey");
  await write("hello.ts", `${code} export const changed = true;`);
  await command.find(/Reloaded hello/);
  assertEquals(await answer(), "NoSuchKey");
  await write("app.json", manifestOf("hello", "/greet"));
  await command.find(/Reloading [^]*curl '\S+\/greet'/);
  assertEquals(await answer(), "NoSuchKey");
  await write("app.json", manifestOf("other", "/other"));
  await command.find(/Reloading [^]*curl '\S+\/other'/);
  assertEquals(await answer(), "InvalidAccessKeyId");
});
