import { FnProxyEvent } from "@mate/core/gateway";

/**
 * The Lambda authorizer of the API: `Authorization: Bearer open-sesame`. API Gateway asks it before it calls a protected
 * route, and passes the context on.
 */
export function handler(event: { methodArn: string }) {
  const token = new FnProxyEvent(event).header("authorization");
  const isKnown = token === `Bearer ${Deno.env.get("SHOP_TOKEN")}`;
  return {
    principalId: isKnown ? "ada" : "anonymous",
    policyDocument: {
      Version: "2012-10-17",
      Statement: [{
        Action: "execute-api:Invoke",
        Effect: isKnown ? "Allow" : "Deny",
        Resource: event.methodArn,
      }],
    },
    context: { customer: "ada" },
  };
}
