import "../../testdata/own_environment.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { proxyEvent } from "@mate/core/testing";

Deno.test("the authorizer cannot be imported without its token", async () => {
  Deno.env.delete("SHOP_TOKEN");
  await assertRejects(() => import("./authorizer.ts?absent"), Error, "SHOP_TOKEN");
  Deno.env.set("SHOP_TOKEN", "");
  await assertRejects(() => import("./authorizer.ts?empty"), Error, "SHOP_TOKEN");
});

Deno.test("the authorizer allows a request with the token, and no other", async () => {
  Deno.env.set("SHOP_TOKEN", "open-sesame");
  const { handler } = await import("./authorizer.ts");
  const effectOf = async (headers: Record<string, string>) => {
    const request = await proxyEvent({ url: "/orders", headers });
    const { policyDocument } = handler({
      ...request,
      methodArn: "arn:aws:execute-api:::a/v1/GET/",
    });
    return policyDocument.Statement.map(({ Effect, Resource }) => {
      assertEquals(Resource, "arn:aws:execute-api:::a/v1/*");
      return Effect;
    });
  };
  assertEquals(await effectOf({ Authorization: "Bearer open-sesame" }), ["Allow"]);
  const refused = [
    "Bearer undefined",
    "Bearer ",
    "Bearer open",
    "open-sesame",
    "Basic open-sesame",
  ];
  for (const Authorization of refused) {
    assertEquals(await effectOf({ Authorization }), ["Deny"], Authorization);
  }
  assertEquals(await effectOf({}), ["Deny"]);
});
