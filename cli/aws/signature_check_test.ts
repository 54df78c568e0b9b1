import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { ServiceError } from "./service_call.ts";
import { readSignature, SignatureError, type SignedRequest } from "./signature.ts";
import { checkSignature } from "./signature_check.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const EMPTY = hash("");

/** Sets the clock until the end of the scope. */
function clockAt(time: string): Disposable {
  const { now } = Date;
  Date.now = () => Date.parse(time);
  return { [Symbol.dispose]: () => void (Date.now = now) };
}

/** Makes a request that the developer guides show. */
function example(
  line: string,
  fields: Record<string, string>,
  { scope = "us-east-1/s3", signature = "" } = {},
): SignedRequest {
  const [method = "", target = ""] = line.split(" ");
  const [path = "", query = ""] = target.split("?");
  const headers = new Headers(fields);
  if (signature !== "") {
    const names = [...headers.keys()].toSorted().join(";");
    const date = fields["x-amz-date"]!.slice(0, 8);
    const key = scope.endsWith("s3") ? "AKIAIOSFODNN7EXAMPLE" : "AKIDEXAMPLE";
    const authorization = `AWS4-HMAC-SHA256 Credential=${key}/${date}/${scope}/aws4_request,` +
      `SignedHeaders=${names},Signature=${signature}`;
    headers.set("authorization", authorization);
  }
  return { method, path, query, headers };
}

const SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const DATE = "20130524T000000Z";

function check(request: SignedRequest, digest: string, secret = SECRET, service = "s3") {
  return checkSignature(readSignature(request)!, request, { service, secret, digest });
}

/** Amazon S3 API Reference: sig-v4-header-based-auth, sigv4-query-string-auth. AWS IAM User Guide: signed requests. */
Deno.test("checkSignature() takes the signatures of the developer guides", () => {
  using _time = clockAt("2013-05-24T00:00:00Z");
  const host = "examplebucket.s3.amazonaws.com";
  const common = { host, "x-amz-date": DATE };
  const text = "Welcome to Amazon S3.";
  const cases: [line: string, fields: Record<string, string>, signature: string, body?: string][] =
    [
      [
        "GET /test.txt",
        { range: "bytes=0-9" },
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
      ],
      [
        "PUT /test$file.text",
        { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        text,
      ],
      [
        "GET /?lifecycle",
        {},
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
      ],
      [
        "GET /?max-keys=2&prefix=J",
        {},
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
      ],
    ];
  for (const [line, fields, signature, body = ""] of cases) {
    const digest = hash(body);
    const all = { ...common, ...fields, "x-amz-content-sha256": digest };
    check(example(line, all, { signature }), digest);
    const wrong = example(line, { ...all, range: "bytes=0-8" }, { signature });
    assertThrows(() => check(wrong, digest), SignatureError, "does not match", line);
  }
  const presigned = example(
    "GET /test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524" +
      "%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400" +
      "&X-Amz-SignedHeaders=host" +
      "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
    { host },
  );
  check(presigned, "UNSIGNED-PAYLOAD");
  using _later = clockAt("2015-08-30T12:36:00Z");
  assertThrows(() => check(presigned, "UNSIGNED-PAYLOAD"), SignatureError, "Request has expired");
  const iam = example("GET /?Action=ListUsers&Version=2010-05-08", {
    "content-type": "application/x-www-form-urlencoded; charset=utf-8",
    host: "iam.amazonaws.com",
    "x-amz-date": "20150830T123600Z",
  }, {
    scope: "us-east-1/iam",
    signature: "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
  });
  check(iam, EMPTY, SECRET.replace("/b", "+b"), "iam");
});

/** Amazon S3 API Reference: sigv4-streaming and sigv4-streaming-trailers. */
Deno.test("ChunkSignatures takes the chunks of the developer guides, each once and in order", () => {
  using _time = clockAt("2013-05-24T00:00:00Z");
  const open = (digest: string, signature: string, more: Record<string, string>) => {
    const fields = {
      "content-encoding": "aws-chunked",
      host: "s3.amazonaws.com",
      "x-amz-content-sha256": digest,
      "x-amz-date": DATE,
      "x-amz-decoded-content-length": "66560",
      "x-amz-storage-class": "REDUCED_REDUNDANCY",
      ...more,
    };
    return check(example("PUT /examplebucket/chunkObject.txt", fields, { signature }), digest);
  };
  const openSigned = () =>
    open(
      "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
      "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
      { "content-length": "66824" },
    );
  const [first, second] = [hash("a".repeat(65_536)), hash("a".repeat(1_024))];
  const signatures = [
    [first, "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648"],
    [second, "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"],
    [EMPTY, "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"],
  ] as const;
  const chunks = openSigned();
  for (const [digest, signature] of signatures) chunks.check(digest, signature);
  assertThrows(() => chunks.check(...signatures[2]), SignatureError, "does not match");
  assertThrows(() => openSigned().check(...signatures[1]), SignatureError, "does not match");
  const last = open(
    "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
    "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
    { "x-amz-trailer": "x-amz-checksum-crc32c" },
  );
  last.check(first, "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2");
  last.check(second, "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7");
  last.check(EMPTY, "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992");
  const signature = "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435";
  last.checkTrailer("x-amz-checksum-crc32c:sOO8/Q==\n", signature);
});

/** A text with characters that paths, queries and header fields treat differently. */
const TEXT = fc.string({
  unit: fc.constantFrom(..."aZ09 -._~/%&=+;:,!'()*$@?#[]\"\\|<>`^{}äé€😀"),
  maxLength: 8,
});

Deno.test("checkSignature() takes what the signer of the AWS SDK makes, and no other request", async () => {
  const signerOf = (service: string) =>
    new SignatureV4({
      service,
      region: "eu-west-1",
      credentials: { accessKeyId: "ME", secretAccessKey: "secret", sessionToken: "token" },
      sha256: Sha256,
      uriEscapePath: service !== "s3",
    });
  const escape = (text: string) =>
    encodeURIComponent(text).replaceAll(
      /[!'()*]/g,
      (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  await fc.assert(fc.asyncProperty(
    fc.constantFrom("s3", "lambda"),
    fc.array(TEXT.filter((part) => !/^\.*$/.test(part)), { maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,5}$/), TEXT, { maxKeys: 3 }),
    fc.string({ unit: fc.constantFrom(..."ab ,;="), maxLength: 9 }),
    TEXT,
    fc.boolean(),
    fc.nat(),
    async (service, parts, query, note, body, isPresigned, choice) => {
      const path = `/${parts.map(escape).join("/")}`;
      const request = {
        method: "PUT",
        protocol: "http:",
        hostname: "localhost",
        path,
        query,
        headers: { host: "localhost:1", "x-note": note },
        body,
      };
      const signer = signerOf(service);
      const signed = isPresigned ? await signer.presign(request) : await signer.sign(request);
      const search = Object.entries(signed.query ?? {})
        .map(([name, value]) => `${escape(name)}=${escape(value as string)}`).join("&");
      const sent: SignedRequest = {
        method: "PUT",
        path,
        query: search,
        headers: new Headers(Object.entries(signed.headers)),
      };
      const signature = readSignature(sent)!;
      assertEquals([signature.accessKeyId, signature.token], ["ME", "token"]);
      const isUnsigned = isPresigned && service === "s3";
      const digest = isUnsigned && signed.query?.["X-Amz-Content-Sha256"] === "UNSIGNED-PAYLOAD"
        ? "UNSIGNED-PAYLOAD"
        : hash(body);
      const expected = { service, secret: "secret", digest };
      checkSignature(signature, sent, expected);
      const host = new Headers(sent.headers);
      host.set("host", "localhost:2");
      const changes: [SignedRequest, object][] = [
        [{ ...sent, method: "GET" }, {}],
        [{ ...sent, path: `${path}x` }, {}],
        [{ ...sent, query: `${search}&x` }, {}],
        [{ ...sent, headers: host }, {}],
        [sent, { digest: hash(`${body}x`) }],
        [sent, { secret: "local" }],
        [sent, { service: "sqs" }],
      ];
      const [changed, other] = changes[choice % changes.length]!;
      assertThrows(
        () => checkSignature(readSignature(changed)!, changed, { ...expected, ...other }),
        SignatureError,
      );
    },
  ));
});

Deno.test("a signature that is incomplete, of another time or of another method is refused by name", () => {
  using _time = clockAt("2026-01-01T00:00:00Z");
  const scope = "ME/20260101/us-east-1/s3/aws4_request";
  const now = "20260101T000000Z";
  const header = (authorization: string, more: Record<string, string> = { "x-amz-date": now }) =>
    example("GET /", { host: "localhost", authorization, ...more });
  const url = (query: string) => example(`GET /?${query}`, { host: "localhost" });
  const whole = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-date, Signature=0`;
  const presigned = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${scope}` +
    `&X-Amz-SignedHeaders=host&X-Amz-Signature=0&X-Amz-Date=${now}`;
  const cases: [request: SignedRequest, code: string, message: string][] = [
    [header(whole), "SignatureDoesNotMatch", "does not match"],
    [
      header(whole.replace(", SignedHeaders=host;x-amz-date", "")),
      "AuthorizationHeaderMalformed",
      "SignedHeaders is missing",
    ],
    [header(whole.replace("host;x", "host;Ä;x")), "AuthorizationHeaderMalformed", "in lower case"],
    [header(whole.replace("/s3", "")), "AuthorizationHeaderMalformed", "expecting"],
    [header(whole, {}), "AuthorizationHeaderMalformed", "valid Date"],
    [
      header(whole, { "x-amz-date": "20260102T000000Z" }),
      "AuthorizationHeaderMalformed",
      'Invalid credential date "20260101"',
    ],
    [header(whole, { "x-amz-date": "20260101T001501Z" }), "RequestTimeTooSkewed", "too large"],
    [
      header(whole, { date: "Thu, 01 Jan 2026 00:00:00 GMT" }),
      "SignatureDoesNotMatch",
      "does not match",
    ],
    [header(whole.replace("host;", "")), "AccessDenied", "were not signed"],
    [
      header(whole, { "x-amz-date": now, "x-amz-security-token": "t" }),
      "AccessDenied",
      "were not signed",
    ],
    [header("AWS ME:0"), "NotImplemented", 'The signature method "AWS"'],
    [header("Bearer t"), "NotImplemented", 'The signature method "Bearer"'],
    [header(whole.replace("HMAC", "ECDSA-P256")), "NotImplemented", '"AWS4-ECDSA-P256-SHA256"'],
    [
      url("AWSAccessKeyId=ME&Signature=0&Expires=1"),
      "NotImplemented",
      'The signature method "AWS"',
    ],
    [url(`${presigned}&X-Amz-Expires=60`), "SignatureDoesNotMatch", "does not match"],
    [url(presigned), "AuthorizationQueryParametersError", "non-negative"],
    [
      url(`${presigned}&X-Amz-Expires=604801`),
      "AuthorizationQueryParametersError",
      "less than a week",
    ],
    [url(`${presigned.replace("T00", "T02")}&X-Amz-Expires=60`), "AccessDenied", "not valid yet"],
    [
      url(presigned.replace(/X-Amz-Signature=0/, "")),
      "AuthorizationQueryParametersError",
      "X-Amz-Signature is missing",
    ],
    [
      { ...url(`${presigned}&X-Amz-Expires=60`), headers: header(whole).headers },
      "InvalidArgument",
      "Only one auth",
    ],
  ];
  for (const [request, code, message] of cases) {
    const error = assertThrows(() => check(request, EMPTY)) as Error;
    const known = error instanceof SignatureError ? error.of("s3") : error;
    assertEquals(known instanceof ServiceError && known.code, code, error.message);
    assertMatch(error.message, new RegExp(message.replaceAll(/[()"]/g, "\\$&")));
  }
  assertEquals(readSignature(url("list-type=2")), undefined);
});

Deno.test("each kind of service says in its own words that a signature is wrong", () => {
  const error = new SignatureError("mismatch", "It does not match");
  const [s3, dynamodb, sns] = ["s3", "dynamodb", "sns"].map((name) => error.of(name)) as [
    ServiceError,
    ServiceError,
    ServiceError,
  ];
  assertEquals([s3.code, s3.status], ["SignatureDoesNotMatch", 403]);
  assertEquals([dynamodb.type, dynamodb.status], ["InvalidSignatureException", 400]);
  assertEquals([sns.code, sns.status], ["SignatureDoesNotMatch", 403]);
});
