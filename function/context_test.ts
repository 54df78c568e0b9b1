import { assertEquals } from "@std/assert";
import type { Context, Handler } from "aws-lambda";
import { proxyHandler } from "../gateway/mod.ts";
import type { FnContext } from "./mod.ts";

Deno.test("FnContext accepts the context type that the managed runtime declares", async () => {
  const context = {
    awsRequestId: "1",
    identity: { cognitoIdentityId: "i", cognitoIdentityPoolId: "p" },
    clientContext: { client: { installationId: "c" }, custom: 1 },
  } as unknown as Context;
  const own: FnContext = context;
  assertEquals(own.identity?.cognitoIdentityPoolId.toUpperCase(), "P");
  assertEquals(own.clientContext?.custom, 1);
  const handler: Handler = proxyHandler((_event, { awsRequestId }) => awsRequestId);
  const response = await handler({ headers: {} }, context, () => {});
  assertEquals(JSON.parse(response.body), { Message: "1" });
});
