import { assertEquals, assertMatch } from "@std/assert";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { browserTest } from "../../../testdata/browser.ts";
import { FILES, manifestWith, startTestPlatform } from "../../testdata/platform.ts";

/** A platform with a bucket for pages of one origin, and the S3 client of a function. */
async function start(origins: readonly string[]) {
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

const ORIGIN = "https://shop.example";

/** Sends a request of a page. Deno's `fetch` may send these header fields. */
const send = (url: string, method: string, headers: Record<string, string> = {}, body?: string) =>
  fetch(url, {
    method,
    headers: { origin: ORIGIN, "content-type": "text/plain", ...headers },
    ...(body === undefined ? {} : { body }),
  });

Deno.test("a page uses the presigned URLs of a function, but no guessed access key", async () => {
  await using app = await start([ORIGIN]);
  const url = await app.put("a.txt");
  const guessed = url.replace(/LOCAL[\dA-F]{32}/, "local");
  const statuses = [];
  for (const one of [url, guessed]) {
    const response = await send(one, "PUT", {}, "Hello");
    await response.body?.cancel();
    statuses.push(response.status);
  }
  assertEquals([statuses, guessed === url], [[200, 403], false]);
});

Deno.test("a page sends and reads objects with URLs that a function has presigned", async () => {
  await using app = await start([ORIGIN]);
  const url = await app.put("a b/é.txt");
  const written = await send(url, "PUT", {}, "text");
  assertEquals([written.status, await written.text()], [200, ""]);
  assertEquals(
    ["allow-origin", "expose-headers", "allow-credentials"]
      .map((name) => written.headers.get(`access-control-${name}`)),
    [ORIGIN, "ETag", "true"],
  );
  const read = await send(await app.get("a b/é.txt"), "GET");
  assertEquals([read.status, await read.text()], [200, "text"]);
  assertEquals(read.headers.get("content-security-policy"), "sandbox");
  const other = await send(await app.get("a b/é.txt"), "GET", { origin: "https://other.example" });
  assertEquals([other.status, other.headers.get("access-control-allow-origin")], [200, null]);
  await other.body?.cancel();
});

Deno.test("a page gets 403 without a valid presigned URL", async () => {
  await using app = await start([ORIGIN]);
  const url = await app.put("x");
  const { origin } = new URL(url);
  const old = await app.put("x", 60, FILES, new Date("2020-01-01"));
  const cases: readonly (readonly [url: string, method: string, code: string, type?: string])[] = [
    [url.replace("/x?", "/y?"), "PUT", "SignatureDoesNotMatch"],
    [url, "GET", "SignatureDoesNotMatch"],
    [url, "PUT", "SignatureDoesNotMatch", "text/html"],
    [`${url}&versionId=1`, "PUT", "SignatureDoesNotMatch"],
    [old, "PUT", "AccessDenied"],
    [await app.put("x", 60, FILES.replace("files", "other")), "PUT", "AccessDenied"], // the function may only read this bucket
  ];
  for (const [target, method, code, type = "text/plain"] of cases) {
    const body = method === "PUT" ? "text" : undefined;
    const response = await send(target, method, { "content-type": type }, body);
    assertEquals(response.status, 403, target);
    assertMatch(await response.text(), new RegExp(`<Code>${code}</Code>`));
  }
  const unsigned = await send(`${origin}/${FILES}/x`, "GET");
  assertEquals(
    [unsigned.status, await unsigned.text()],
    [403, "A web page may not use the services on this machine"],
  );
});

Deno.test("a preflight request gets what the CORS rule of the bucket grants", async () => {
  await using app = await start([ORIGIN, "https://*.shop.example"]);
  const url = await app.put("x");
  const ask = (target: string, origin: string, method: string, headers: string) =>
    send(target, "OPTIONS", {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": headers,
    });
  for (const origin of [ORIGIN, "https://app.shop.example"]) {
    const granted = await ask(url, origin, "PUT", "Content-Type");
    assertEquals([granted.status, await granted.text()], [200, ""]);
    assertEquals(
      ["allow-origin", "allow-methods", "allow-headers", "max-age"]
        .map((name) => granted.headers.get(`access-control-${name}`)),
      [origin, "GET, PUT", "content-type", "60"],
    );
  }
  for (
    const [target, origin, method, headers] of [
      [url, "https://other.example", "PUT", "content-type"],
      [url, ORIGIN, "DELETE", "content-type"],
      [url, ORIGIN, "PUT", "x-amz-acl"],
      [await app.put("x", 60, FILES.replace("files", "other")), ORIGIN, "PUT", "content-type"],
    ] as const
  ) {
    const refused = await ask(target, origin, method, headers);
    assertEquals([refused.status, refused.headers.get("access-control-allow-origin")], [403, null]);
    assertMatch(await refused.text(), /<Code>AccessForbidden<\/Code><Message>CORSResponse: /);
  }
});

browserTest(
  "a page in Chromium uploads to a bucket and reads the object again",
  async (browser) => {
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => new Response("<title>Shop</title>", { headers: { "content-type": "text/html" } }),
    );
    const origin = `http://localhost:${server.addr.port}`;
    await using app = await start([origin]);
    const page = await browser.newPage();
    await page.goto(origin);
    const upload = async (url: string) => {
      const headers = { "content-type": "text/plain" };
      const response = await fetch(url, { method: "PUT", body: "from a page", headers });
      return [response.status, response.headers.has("etag")];
    };
    const download = async (url: string) => await (await fetch(url)).text();
    const run = <T>(work: (url: string) => Promise<T>, url: string) => page.evaluate(work, url);
    assertEquals(await run(upload, await app.put("a.txt")), [200, true]);
    assertEquals(await run(download, await app.get("a.txt")), "from a page");
    await page.goto(await app.get("a.txt"));
    assertEquals(await page.textContent("body"), "from a page");
  },
);
