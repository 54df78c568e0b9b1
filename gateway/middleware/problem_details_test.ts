import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { answer, ask, CANNED, fail, HTML_ONLY, JSON_UTF8 } from "../testdata/events.ts";
import {
  HttpClientError,
  HttpNotFoundError,
  problemDetails,
  reply,
  type Transformer,
} from "../mod.ts";

Deno.test("problemDetails() makes errors application/problem+json wherever they would be JSON", async () => {
  const problemOf = async (route: unknown, headers: Record<string, string> = {}) => {
    const { result } = await ask(route, { use: [problemDetails()] }, { headers });
    assertEquals(result.headers["Content-Type"], "application/problem+json");
    const text = Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8").toString();
    return [result.statusCode, JSON.parse(text)];
  };
  const type = "about:blank";
  const lost = new HttpNotFoundError("No", { details: { issues: [1], status: 5, detail: "x" } });
  assertEquals(await problemOf(fail(lost)), [
    404,
    { type, issues: [1], title: "Not Found", status: 404, detail: "No" },
  ]);
  const own = { type: "https://shop.example/sold-out", title: "Sold out", instance: "/orders/7" };
  assertEquals(await problemOf(fail(new HttpClientError(409, "No", { details: own }))), [
    409,
    { ...own, status: 409, detail: "No" }, // RFC 9457 §3.1
  ]);
  for (const name of ["type", "title", "instance"]) {
    for (const value of [5, null, {}, ["x"], false]) {
      const wrong = new HttpNotFoundError("No", { details: { [name]: value } });
      const { result, records } = await ask(fail(wrong), { use: [problemDetails()] });
      assertEquals(result.statusCode, 500, `${name} ${value}`);
      const problem = "Invalid details of a problem: expected strings as type, title and instance";
      assert(records.some(({ message }) => String(message).includes(problem)));
    }
  }
  assertEquals(await problemOf(fail(new Error("secret"))), [
    500,
    { type, title: "Internal Server Error", status: 500, detail: CANNED },
  ]);
  const [, tea] = await problemOf(fail(new HttpClientError(418, "Tea")));
  assertEquals(tea.title, "418", "the registry has no reason phrase");
  const [status, { title, detail }] = await problemOf(() => 1, { Accept: "image/png" });
  assertEquals([status, title], [406, "Not Acceptable"]);
  assert(detail.includes("application/json"), detail);
  const broken: Transformer = () => {
    throw new Error("secret");
  };
  const options = { use: [problemDetails()], customTransformers: { "text/html": broken } };
  const { result } = await answer(fail(lost), { event: HTML_ONLY, options });
  assertEquals(result.headers["Content-Type"], "application/problem+json");
  const payload = await ask(() => 1, { use: [problemDetails()] });
  assertEquals(payload.result.headers["Content-Type"], JSON_UTF8);
});

Deno.test("problemDetails() leaves a transformer alone that the client prefers", async () => {
  const seen: unknown[] = [];
  const html: Transformer = (payload, { status, error }) => {
    seen.push(payload, status, error);
    return ["<p>", "text/html"];
  };
  const error = new HttpNotFoundError("No");
  const options = { use: [problemDetails()], customTransformers: { "text/html": html } };
  const { result } = await answer(fail(error), { event: HTML_ONLY, options });
  assertEquals([result.statusCode, result.body], [404, "<p>"]);
  assertEquals(seen, [{ Message: "No" }, 404, error]);
});

Deno.test("problemDetails() leaves an error alone that a transformer for JSON does not write as JSON", async () => {
  const json: Transformer = () => ["no JSON", "application/json"];
  const options = { use: [problemDetails()], customTransformers: { "application/json": json } };
  const { result, records } = await ask(fail(new HttpNotFoundError("No")), options);
  assertEquals([result.statusCode, result.body], [404, "no JSON"]);
  assertEquals([result.headers["Content-Type"], records.length], ["application/json", 1]);
});

Deno.test("problemDetails() leaves an answer alone that another middleware wrote", async () => {
  for (const own of [reply(404, { code: 7 }), reply(404, "No", { type: "text/plain" })]) {
    const use = [problemDetails(), async (_: unknown, _context: unknown, next: () => unknown) => {
      await next();
      return own;
    }];
    const { result } = await ask(fail(new HttpNotFoundError()), { use });
    assertEquals(result.statusCode, 404);
    assert(!result.headers["Content-Type"]!.includes("problem"));
  }
});
