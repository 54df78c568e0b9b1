/** Checks what others make of the shop: its OpenAPI document, and its page in a browser. */
import { assertEquals, assertMatch } from "@std/assert";
import openapiTS, { astToString } from "openapi-typescript";
import { startPlatform } from "@mate/cli/platform";
import { mate } from "../cli/testdata/command.ts";
import { answer } from "../examples/shop/page/serve.ts";
import { browserTest } from "../testdata/browser.ts";
import { checkDocument } from "../testdata/openapi.ts";
import { run } from "../testdata/programs.ts";

const SHOP = new URL("../examples/shop/", import.meta.url);
const MANIFEST = new URL("app.json", SHOP).pathname;

Deno.test("two validators and a generator of clients accept the document of the shop", async () => {
  const { code, stdout, stderr } = await mate([
    "openapi",
    MANIFEST,
    "--url",
    "https://shop.example/v1",
  ]);
  assertEquals([code, stderr], [0, ""]); // every route is described
  const document = JSON.parse(stdout);
  await checkDocument(document);
  const types = astToString(await openapiTS(document));
  assertMatch(
    types,
    /postOrders: \{[^]*"application\/json": components\["schemas"\]\["NewOrder"\]/,
  );
  assertEquals(Object.keys(document.components.schemas).sort(), ["NewOrder", "Order", "Product"]);
  const { security } = document.paths["/orders"].post;
  assertEquals([security, document.paths["/products"].get.security], [
    [{ authorizer: [] }],
    undefined,
  ]);
});

browserTest("the page of the shop shows the products and places an order", async (browser) => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", SHOP)));
  const [bundle] = tasks.page.split(" && ");
  await run("sh", ["-c", bundle], { cwd: SHOP });
  await using platform = await startPlatform(MANIFEST, { secrets: { SHOP_TOKEN: "open-sesame" } });
  const form = new FormData();
  form.set("file", new File(["tea,Green tea,450\n"], "catalogue.csv"));
  const headers = { Authorization: "Bearer open-sesame" };
  const uploaded = await fetch(`${platform.url}/v1/catalogues`, {
    method: "POST",
    headers,
    body: form,
  });
  assertEquals(uploaded.status, 202, await uploaded.text());
  await platform.settled();
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => answer(request, platform.url),
  );
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`http://127.0.0.1:${server.addr.port}/`);
  await page.getByText("Green tea: 4.50 €").waitFor();
  await page.getByLabel("Quantity").fill("2");
  await page.getByLabel("Token").fill("guess");
  await page.getByRole("button", { name: "Order" }).click();
  await page.getByText("The shop refused the order (403)").waitFor();
  await page.getByLabel("Token").fill("open-sesame");
  await page.getByRole("button", { name: "Order" }).click();
  await page.getByText("Ordered for 9.00 €").waitFor();
  await page.getByLabel("Quantity").fill("0");
  await page.getByRole("button", { name: "Order" }).click();
  await page.getByText("The shop refused the order (422)").waitFor();
  assertEquals(complaints, []);
});
