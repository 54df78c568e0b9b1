import type { Context, Handler } from "aws-lambda";
import { proxyHandler } from "../gateway/mod.ts";
import type { FnContext } from "./mod.ts";

Deno.test("FnContext accepts the context type that the managed runtime declares", () => {
  ({} as Context) satisfies FnContext;
  proxyHandler((_event, { awsRequestId }) => awsRequestId) satisfies Handler;
});
