import { assertEquals } from "@std/assert";
import { within } from "../../../testdata/waiting.ts";
import { drawTrees } from "../../testdata/traces.ts";
import { startPlatform } from "../platform.ts";
import type { Span } from "./span.ts";

const SHOP = new URL("../../../examples/shop/app.json", import.meta.url).pathname;

/** Draws the trees without the random parts of names, and says which invocations were cold. */
const draw = (spans: readonly Span[]) =>
  drawTrees(spans, ({ attributes }) => [attributes["faas.coldstart"] && "cold"])
    .map((line) => line.replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, "ID"));

Deno.test("the traces of the shop are the trees of its flows", async () => {
  await using platform = await startPlatform(SHOP, {
    secrets: { SHOP_TOKEN: "open-sesame" },
    time: "skip",
  });
  const request = async (method: string, path: string, init: RequestInit = {}) => {
    const headers = { authorization: "Bearer open-sesame", ...init.headers };
    const response = await fetch(`${platform.url}/v1${path}`, { ...init, method, headers });
    await response.body?.cancel();
    await within("the end", platform.settled());
  };
  const order = (quantity: number): RequestInit => ({
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ product: "tea", quantity }),
  });
  const body = new FormData();
  body.set("file", new File(["tea,Green tea,450\nbroken,,free\n"], "catalogue.csv"));
  await request("POST", "/catalogues", { body });
  await request("POST", "/orders", order(2));
  await request("POST", "/orders", order(0));
  await request("GET", "/orders", { headers: { authorization: "Bearer guess" } });
  await fetch(`${platform.controlUrl}/schedules/nightly/0`, { method: "POST" });
  await platform.settled();
  assertEquals(draw(await platform.traces()), [
    "request POST /v1/catalogues 202",
    "  invocation authorizer (authorizer POST /catalogues) cold",
    "  invocation api (route POST /catalogues) cold",
    "    call PutObject uploads/ID.csv",
    "      invocation importer (bucket uploads/ID.csv) attempt 1 of 3 cold",
    "        call GetObject uploads/ID.csv",
    "        call SendMessageBatch jobs",
    "          invocation worker (queue jobs) attempt 1 of 3 retried 1 failed: batchItemFailures cold",
    "            call PutObject store/products/tea",
    "          invocation worker (queue jobs) attempt 2 of 3 retried 1 failed: batchItemFailures",
    "          invocation worker (queue jobs) attempt 3 of 3 dead_letters 1 failed: batchItemFailures",
    "request POST /v1/orders 201",
    "  invocation api (route POST /orders)",
    "    call GetObject store/products/tea",
    "    call PutItem orders",
    "      linked invocation sales (table orders) attempt 1 of 4 cold",
    "request POST /v1/orders 422 refused: 422",
    "  invocation api (route POST /orders)",
    "request GET /v1/orders 403 refused: 403",
    "  invocation authorizer (authorizer GET /orders)",
    "invocation nightly (schedule cron(0 3 * * ? *)) attempt 1 of 3 cold",
    "  call ListObjectsV2 store",
  ]);
});
