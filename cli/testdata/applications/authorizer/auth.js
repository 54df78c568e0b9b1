const jwt = require("jsonwebtoken");

const policy = (principalId, Effect, Resource, context) => ({
  principalId,
  policyDocument: {
    Version: "2012-10-17",
    Statement: [{ Action: "execute-api:Invoke", Effect, Resource }],
  },
  context,
});

exports.authorize = async (event) => {
  if (event.type !== "TOKEN") throw new Error('Expected "event.type" to be "TOKEN"');
  const token = event.authorizationToken.replace(/^Bearer /, "");
  try {
    const { sub, scope } = jwt.verify(token, process.env.JWT_SECRET, { algorithms: ["HS256"] });
    const effect = scope === "read" ? "Allow" : "Deny";
    return policy(sub, effect, event.methodArn, { scope });
  } catch (error) {
    throw new Error("Unauthorized");
  }
};

exports.profile = async (event) => {
  const { principalId, scope } = event.requestContext.authorizer;
  return { statusCode: 200, body: JSON.stringify({ user: principalId, scope }) };
};
