import { assertEquals, assertMatch } from "@std/assert";
import { FILES } from "../../testdata/platform.ts";
import { startForPages } from "../../testdata/pages.ts";

const ORIGIN = "https://shop.example";

/** Sends a request of a page. Deno's `fetch` may send these header fields. */
const send = (url: string, method: string, headers: Record<string, string> = {}, body?: string) =>
  fetch(url, {
    method,
    headers: { origin: ORIGIN, "content-type": "text/plain", ...headers },
    ...(body === undefined ? {} : { body }),
  });

Deno.test("a page uses the presigned URLs of a function, but no guessed access key", async () => {
  await using app = await startForPages([ORIGIN]);
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
  await using app = await startForPages([ORIGIN]);
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
  await using app = await startForPages([ORIGIN]);
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
  await using app = await startForPages([ORIGIN, "https://*.shop.example"]);
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
