import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { gunzipSync } from "node:zlib";
import {
  BROWSER,
  consoleTestEvent,
  CONTEXT,
  recordLog,
  type Request,
  restEvent,
} from "./testdata/fixture.ts";
import { handler as crash } from "./crash.ts";
import { handler as forbidden } from "./forbidden.ts";
import { handler as okay } from "./okay.ts";
import { POLICY } from "./page/policy.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

for (
  const [name, handler, status] of [
    ["okay", okay, 200],
    ["forbidden", forbidden, 403],
    ["crash", crash, 500],
  ] as const
) {
  const ask = async (request: Request = {}) => {
    const event = restEvent({ path: `/${name}`, ...request });
    const { result, log } = await recordLog(() => handler(event, CONTEXT));
    return { ...result!, log };
  };

  for (const method of METHODS) {
    Deno.test(`${name} answers ${method} with ${status}`, async () => {
      assertEquals((await ask({ method })).statusCode, status);
    });
  }

  Deno.test(`${name} answers in JSON unless asked for a page`, async () => {
    for (const Accept of ["*/*", "application/json", "text/html;q=0.5, application/json", ""]) {
      const { headers, body, isBase64Encoded } = await ask({ headers: { Accept } });
      assertEquals(headers["Content-Type"], "application/json; charset=utf-8");
      assertEquals(isBase64Encoded, false);
      assertEquals(typeof JSON.parse(body), "object");
    }
  });

  Deno.test(`${name} answers a browser with a page`, async () => {
    for (const Accept of [BROWSER, "text/html", "TEXT/*", "text/html, application/json;q=0.9"]) {
      const { statusCode, headers, body, isBase64Encoded } = await ask({ headers: { Accept } });
      assertEquals(statusCode, status);
      assertEquals(headers["Content-Type"], "text/html; charset=utf-8");
      assertEquals(isBase64Encoded, false);
      assert(/^<!doctype html>\s*<html lang="en">/.test(body));
    }
  });

  Deno.test(`${name} compresses its page if the client allows it`, async () => {
    for (const Accept of name === "okay" ? ["*/*", BROWSER] : [BROWSER]) {
      const plain = await ask({ headers: { Accept } });
      const { headers, body, isBase64Encoded } = await ask({
        headers: { Accept, "Accept-Encoding": "gzip, br" },
      });
      assertEquals([headers["Content-Encoding"], isBase64Encoded], ["gzip", true]);
      const text = gunzipSync(Uint8Array.from(atob(body), (byte) => byte.charCodeAt(0)));
      if (name !== "okay") assertEquals(new TextDecoder().decode(text), plain.body);
      else assertStringIncludes(new TextDecoder().decode(text), "gzip, br");
      assertEquals(plain.headers["Content-Encoding"], undefined);
      const refused = await ask({ headers: { Accept, "Accept-Encoding": "gzip;q=0" } });
      assertEquals(refused.headers["Content-Encoding"], undefined);
    }
  });

  Deno.test(`${name} lets every origin read its answers, and no cache keep them`, async () => {
    for (const Accept of ["application/json", "text/html", "image/png"]) {
      const { headers } = await ask({ headers: { Accept, Origin: "https://app.example.com" } });
      assertEquals(headers["Access-Control-Allow-Origin"], "*");
      assertEquals(headers["Access-Control-Allow-Credentials"], undefined);
      assertEquals(headers.Vary, "Accept, Accept-Encoding");
      for (const [field, value] of Object.entries(POLICY)) assertEquals(headers[field], value);
    }
  });

  Deno.test(`${name} answers 406, and with what there is, where nothing is acceptable`, async () => {
    const { statusCode, headers, body } = await ask({ headers: { Accept: "image/png" } });
    assertEquals([statusCode, headers["Content-Type"]], [406, "application/json; charset=utf-8"]);
    for (const type of ["application/json", "text/html"]) assertStringIncludes(body, type);
  });

  Deno.test(`${name} answers a preflight`, async () => {
    for (const method of METHODS) {
      const { statusCode, headers, body, log } = await ask({
        method: "OPTIONS",
        headers: {
          Accept: "*/*",
          Origin: "https://app.example.com",
          "Access-Control-Request-Method": method,
          "Access-Control-Request-Headers": "authorization,x-order",
        },
      });
      assertEquals([statusCode, body, log], [204, "", []]);
      assertEquals(headers["Access-Control-Allow-Origin"], "*");
      assert(headers["Access-Control-Allow-Methods"]!.split(", ").includes(method));
      assertEquals(headers["Access-Control-Allow-Headers"], "*, Authorization");
      assertEquals(headers["Access-Control-Max-Age"], "7200");
    }
  });

  Deno.test(`${name} takes no other request for a preflight`, async () => {
    const headers = { "Access-Control-Request-Method": "GET" };
    assertEquals((await ask({ method: "GET", headers })).statusCode, status);
    assertEquals((await ask({ method: "OPTIONS" })).statusCode, status);
  });

  Deno.test(`${name} answers the console's test event`, async () => {
    const { result } = await recordLog(() => handler(consoleTestEvent("GET", `/${name}`), CONTEXT));
    assertEquals(result!.statusCode, status);
  });
}

Deno.test("okay fails at an event that is no request, and logs it", async () => {
  for (const event of [{}, { Records: [] }, { detail: {} }, null, "now", []]) {
    const { result, log } = await recordLog(() => okay(event, CONTEXT));
    assertEquals([result!.statusCode, log.map(({ level }) => level)], [500, ["FATAL"]]);
    assertEquals(result!.headers["Access-Control-Allow-Origin"], "*");
  }
});

Deno.test("forbidden tells the caller, and logs one error", async () => {
  const { result, log } = await recordLog(() => forbidden(restEvent(), CONTEXT));
  assertEquals(JSON.parse(result!.body), { Message: "Nobody may see this" });
  assertEquals(log.length, 1);
  const { level, message, requestId } = log[0]!;
  assertEquals([level, requestId], ["ERROR", CONTEXT.awsRequestId]);
  assertStringIncludes(message, "Nobody may see this");
});

Deno.test("crash tells the caller nothing, and logs the stack and every cause", async () => {
  const secrets = ["4711", "Cannot", "shop", "db.internal", "password", "crash.ts"];
  for (const Accept of ["application/json", "text/html"]) {
    const event = restEvent({ path: "/crash", headers: { Accept } });
    const { result, log } = await recordLog(() => crash(event, CONTEXT));
    const { headers, body } = result!;
    for (const secret of secrets) {
      assertEquals(`${JSON.stringify(headers)}${body}`.includes(secret), false, secret);
    }
    assertEquals(log.length, 1);
    assertEquals([log[0]!.level, log[0]!.requestId], ["FATAL", CONTEXT.awsRequestId]);
    const record = JSON.stringify(log[0]);
    for (const secret of secrets) assertStringIncludes(record, secret);
  }
});
