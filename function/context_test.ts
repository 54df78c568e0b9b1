import { assertEquals } from "@std/assert";
import { type HttpResponse, proxyHandler } from "../gateway/mod.ts";
import type { FnContext } from "./mod.ts";

// The managed runtime declares interfaces, which do not have an index signature.
interface Identity {
  cognitoIdentityId: string;
  cognitoIdentityPoolId: string;
}
interface ClientContext {
  client: { installationId: string };
  custom?: unknown;
  env: { platform: string };
}
interface Context {
  callbackWaitsForEmptyEventLoop: boolean;
  functionName: string;
  functionVersion: string;
  invokedFunctionArn: string;
  memoryLimitInMB: string;
  awsRequestId: string;
  logGroupName: string;
  logStreamName: string;
  identity?: Identity | undefined;
  clientContext?: ClientContext | undefined;
  tenantId?: string | undefined;
  getRemainingTimeInMillis(): number;
}
type Handler = (event: object, context: Context, callback: () => void) => void | Promise<unknown>;

Deno.test("FnContext accepts the context type that the managed runtime declares", async () => {
  const context = {
    awsRequestId: "1",
    identity: { cognitoIdentityId: "i", cognitoIdentityPoolId: "p" },
    clientContext: { client: { installationId: "c" }, custom: 1, env: { platform: "x" } },
  } as Context;
  const own: FnContext = context;
  assertEquals(own.identity?.cognitoIdentityPoolId.toUpperCase(), "P");
  assertEquals(own.clientContext?.custom, 1);
  const handler: Handler = proxyHandler((_event, { awsRequestId }) => awsRequestId);
  const response = await handler({ headers: {} }, context, () => {}) as HttpResponse;
  assertEquals(JSON.parse(response.body), { Message: "1" });
});
