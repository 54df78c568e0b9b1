import { assertEquals, assertStringIncludes } from "@std/assert";
import { parseManifest } from "../manifest/manifest.ts";
import { type Call, startTestPlatform } from "../testdata/platform.ts";

const manifestOf = (binaryMediaTypes: readonly string[]) =>
  parseManifest(
    JSON.stringify({
      name: "app",
      stage: "v0",
      functions: { f: { module: "f.ts", triggers: { routes: [{ method: "ANY", path: "/" }] } } },
      settings: { binaryMediaTypes },
    }),
    "app.json",
  );

const start = (types: readonly string[], answer: (call: Call) => string = () => "{}") =>
  startTestPlatform(answer, { manifest: manifestOf(types) });

const BYTES = new Uint8Array([0x61, 0xff]);

// https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-payload-encodings.html
Deno.test("a REST API gives a function the body in base64 if its Content-Type is a binary media type", async () => {
  for (
    const [types, type, isBase64] of [
      [["*/*"], "application/json", true],
      [["*/*"], undefined, true],
      [[], "image/png", false],
      [["image/png"], "image/png", true],
      [["image/png"], "IMAGE/PNG; a=b", true],
      [["image/png"], "image/gif", false],
      [["image/*"], "image/gif", true],
      [["image/*"], "imagery/gif", false],
      [["application/json"], undefined, true],
      [["image/*"], undefined, false],
    ] as const
  ) {
    await using test = await start(types);
    const headers = type === undefined ? [] : [["Content-Type", type] as const];
    await test.send({ method: "POST", path: "/v0/", headers, body: BYTES });
    const { body, isBase64Encoded } = test.host.calls[0]!.event;
    const wanted = isBase64 ? ["Yf8=", true] : ["a\ufffd", false];
    assertEquals([body, isBase64Encoded], wanted, `${types} ${type}`);
  }
});

Deno.test("a REST API sends bytes only if the first type of Accept is a binary media type, and dev says so once", async () => {
  const result = JSON.stringify({ statusCode: 200, body: "Yf8=", isBase64Encoded: true });
  for (
    const [types, accept, isBytes] of [
      [["*/*"], undefined, true],
      [["*/*"], "text/html", true],
      [["image/png"], undefined, false],
      [["image/png"], "image/png", true],
      [["image/png"], "image/png;q=0.5, text/html", true],
      [["image/png"], "text/html,image/png", false],
      [["image/*"], "image/webp,*/*", true],
      [["image/*"], "*/*", false],
    ] as const
  ) {
    await using test = await start(types, () => result);
    const headers = accept === undefined ? [] : [["Accept", accept] as const];
    for (let count = 0; count < 2; count++) {
      const { bytes } = await test.send({ method: "GET", path: "/v0/", headers });
      assertEquals(
        Uint8Array.from(bytes),
        isBytes ? BYTES : new TextEncoder().encode("Yf8="),
        `${types} ${accept}`,
      );
    }
    const notes = test.log.after(0).map(({ text }) => text)
      .filter((text) => text.includes("binaryMediaTypes"));
    assertEquals(notes.length, isBytes ? 0 : 1);
    if (!isBytes) assertStringIncludes(notes[0]!, "compress({ codings: [] })");
  }
});

Deno.test("dev says once why a function may have failed at a body in base64", async () => {
  const failure = JSON.stringify({ statusCode: 400, body: "no" });
  for (
    const [types, body, notes] of [
      [["*/*"], "{}", 1],
      [["*/*"], "", 0],
      [[], "{}", 0],
    ] as const
  ) {
    await using test = await start(types, () => failure);
    for (let count = 0; count < 2; count++) {
      await test.send({ method: "POST", path: "/v0/", headers: [], body });
    }
    const found = test.log.after(0).map(({ text }) => text)
      .filter((text) => text.includes("in base64"));
    assertEquals(found.length, notes);
    if (notes === 0) continue;
    for (const part of ['"f" answered 400', '"settings.binaryMediaTypes"', '"gateway": "http"']) {
      assertStringIncludes(found[0]!, part);
    }
  }
});
