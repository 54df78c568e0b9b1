import { FnProxyEvent } from "@mate/core/gateway";

const secret = Deno.env.get("SHOP_TOKEN");
if (!secret) throw new Error("The token of the shop is absent: set the secret SHOP_TOKEN");

/**
 * The Lambda authorizer of the API: `Authorization: Bearer` and the token of the shop. API Gateway asks it before it calls a
 * protected route, and passes the context on. The policy is for all routes, because API Gateway keeps it for the `ttl`.
 */
export function handler(event: { methodArn: string }) {
  const token = new FnProxyEvent(event).header("authorization");
  const isKnown = token === `Bearer ${secret}`;
  const stage = event.methodArn.split("/", 2).join("/");
  return {
    principalId: isKnown ? "ada" : "anonymous",
    policyDocument: {
      Version: "2012-10-17",
      Statement: [{
        Action: "execute-api:Invoke",
        Effect: isKnown ? "Allow" : "Deny",
        Resource: `${stage}/*`,
      }],
    },
    context: { customer: "ada" },
  };
}
