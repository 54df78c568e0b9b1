/**
 * HTTP events as the services send them, one of each kind.
 *
 * @module
 */

const TRACE_ID = "Root=1-69201a3c-0f3c5a7d2b9e48610c4d7a21";
const API = "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com";
const FUNCTION_URL = "abcdefghijklmnopqrstuvwxyz012345.lambda-url.eu-central-1.on.aws";
const TIME = "21/Nov/2026:08:15:42 +0000";
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

const multiValue = (map: Record<string, string>) =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, [value]]));

const NOBODY = {
  accessKey: null,
  accountId: null,
  caller: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  user: null,
  userArn: null,
};

const REST_HEADERS = {
  Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "Accept-Encoding": "gzip, deflate, br, zstd",
  "Accept-Language": "de-CH,de;q=0.8,en;q=0.5",
  Host: API,
  "sec-fetch-mode": "navigate",
  "User-Agent": BROWSER,
  "X-Amzn-Trace-Id": TRACE_ID,
  "X-Forwarded-For": "198.51.100.17, 203.0.113.9",
  "X-Forwarded-Port": "443",
  "X-Forwarded-Proto": "https",
};

/** A REST API of Amazon API Gateway. The path is percent-encoded, and the query values are decoded. */
export const rest = {
  resource: "/okay/{proxy+}",
  path: "/okay/caf%C3%A9/menu",
  httpMethod: "GET",
  headers: REST_HEADERS,
  multiValueHeaders: multiValue(REST_HEADERS),
  queryStringParameters: { day: "friday & saturday", dish: "soup" },
  multiValueQueryStringParameters: { day: ["friday & saturday"], dish: ["röschti", "soup"] },
  pathParameters: { proxy: "caf%C3%A9/menu" },
  stageVariables: { mode: "live" },
  requestContext: {
    accountId: "123456789012",
    apiId: "a1b2c3d4e5",
    deploymentId: "k9m2pq",
    domainName: API,
    domainPrefix: "a1b2c3d4e5",
    extendedRequestId: "UKx3aFQ5liAFUyA=",
    httpMethod: "GET",
    identity: { ...NOBODY, principalOrgId: null, sourceIp: "198.51.100.17", userAgent: BROWSER },
    path: "/v0/okay/caf%C3%A9/menu",
    protocol: "HTTP/1.1",
    requestId: "5f0b6c1e-2a77-4a0c-9d52-61f3f0f7b6a4",
    requestTime: TIME,
    requestTimeEpoch: 1795248942117,
    resourceId: "x7y8z9",
    resourcePath: "/okay/{proxy+}",
    stage: "v0",
  },
  body: null,
  isBase64Encoded: false,
};

// A REST API with the binary media type */* sends every body in base64.
export const restBase64Body = {
  ...rest,
  httpMethod: "POST",
  headers: { ...rest.headers, "content-type": "application/json" },
  multiValueHeaders: { ...rest.multiValueHeaders, "content-type": ["application/json"] },
  requestContext: { ...rest.requestContext, httpMethod: "POST" },
  body: "eyJkaXNoIjogInLDtnNjaHRpIiwgInByaWNlIjogMTguNSwgImV4dHJhcyI6IFsi8J+ngCIsICJlZ2ciXX0=",
  isBase64Encoded: true,
};

/** The test of a REST API in the console of Amazon API Gateway: all maps are null. */
export const restConsoleTest = {
  ...rest,
  resource: "/okay",
  path: "/okay",
  httpMethod: "POST",
  headers: null,
  multiValueHeaders: null,
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  pathParameters: null,
  stageVariables: null,
  requestContext: {
    ...rest.requestContext,
    domainName: "testPrefix.testDomainName",
    domainPrefix: "testPrefix",
    httpMethod: "POST",
    identity: {
      ...NOBODY,
      accessKey: "ASIAEXAMPLEKEY123456",
      accountId: "123456789012",
      caller: "AROAEXAMPLE:operator",
      sourceIp: "test-invoke-source-ip",
      user: "AROAEXAMPLE:operator",
      userAgent: "aws-internal/3 exec-env/AWS_Lambda_java17",
      userArn: "arn:aws:sts::123456789012:assumed-role/Operator/operator",
      apiKey: "test-invoke-api-key",
      apiKeyId: "test-invoke-api-key-id",
    },
    path: "/okay",
    resourcePath: "/okay",
    stage: "test-invoke-stage",
  },
  body: '{"order": 7}',
};

const DOMAIN = "api.example.com";

const MAPPED = {
  ...rest,
  resource: "/orders/{id}",
  path: "/shop/orders/7",
  headers: { ...rest.headers, Host: DOMAIN },
  multiValueHeaders: { ...rest.multiValueHeaders, Host: [DOMAIN] },
  pathParameters: { id: "7" },
  requestContext: {
    ...rest.requestContext,
    domainName: DOMAIN,
    domainPrefix: "api",
    path: "/shop/orders/7",
    resourcePath: "/orders/{id}",
  },
};

/**
 * A REST API behind a custom domain that maps `/shop` to it: both paths have the base path.
 *
 * @see https://github.com/aws/serverless-java-container/issues/34
 */
export const restBasePath = MAPPED;

/**
 * A REST API whose mapping has no stage: base path and stage stand in both paths.
 *
 * @see https://github.com/aws/serverless-java-container/issues/112
 */
export const restBasePathAndStage = {
  ...MAPPED,
  resource: "/{proxy+}",
  path: "/shop/v0/orders/7",
  pathParameters: { proxy: "orders/7" },
  requestContext: {
    ...MAPPED.requestContext,
    path: "/shop/v0/orders/7",
    resourcePath: "/{proxy+}",
  },
};

/**
 * A REST API whose event has a `rawPath` too, which has the base path. It is not payload 2.0.
 *
 * @see https://github.com/honojs/hono/issues/5015
 */
export const restRawPath = { ...MAPPED, path: "/orders/7", rawPath: "/shop/orders/7" };

/** An HTTP API with payload 1.0 behind a custom domain that maps `/shop` to it. */
export const payload1BasePath = { ...MAPPED, version: "1.0" };

/** The route `$default` with payload 1.0: no key tells the base path. */
export const payload1Default = {
  ...MAPPED,
  version: "1.0",
  resource: "$default",
  pathParameters: null,
  requestContext: { ...MAPPED.requestContext, resourcePath: "$default", stage: "$default" },
};

/** AWS SAM on the developer's machine: the domain has a port, and there is a version. */
export const samLocal = {
  ...rest,
  version: "1.0",
  queryStringParameters: { n: "1" },
  multiValueQueryStringParameters: { n: ["1"] },
  pathParameters: null,
  stageVariables: null,
  requestContext: {
    ...rest.requestContext,
    domainName: "127.0.0.1:3000",
    extendedRequestId: null,
    identity: { ...NOBODY, sourceIp: "127.0.0.1", userAgent: "Custom User Agent String" },
    path: "/okay",
    stage: "Prod",
  },
};

const V2_HEADERS = {
  accept: "application/json",
  "accept-encoding": "gzip",
  "user-agent": "curl/8.14.1",
  "x-amzn-trace-id": TRACE_ID,
  "x-forwarded-for": "198.51.100.17",
  "x-forwarded-port": "443",
  "x-forwarded-proto": "https",
};

const HTTP = { protocol: "HTTP/1.1", sourceIp: "198.51.100.17", userAgent: "curl/8.14.1" };

/** An HTTP API of Amazon API Gateway: the raw path has the stage, and the cookies are a list. */
export const apiV2 = {
  version: "2.0",
  routeKey: "POST /okay",
  rawPath: "/v0/okay",
  rawQueryString: "day=friday%20%26%20saturday&dish=a&dish=b",
  cookies: ["session=abc", "theme=dark"],
  headers: { ...V2_HEADERS, "content-length": "12", "content-type": "application/json", host: API },
  queryStringParameters: { day: "friday & saturday", dish: "a,b" },
  requestContext: {
    accountId: "123456789012",
    apiId: "a1b2c3d4e5",
    authorizer: { jwt: { claims: { sub: "mira", scope: "orders" }, scopes: ["orders"] } },
    domainName: API,
    domainPrefix: "a1b2c3d4e5",
    http: { ...HTTP, method: "POST", path: "/v0/okay" },
    requestId: "UKx5cHVxliAEPfg=",
    routeKey: "POST /okay",
    stage: "v0",
    time: TIME,
    timeEpoch: 1795248942117,
  },
  stageVariables: { mode: "live" },
  body: '{"order": 7}',
  isBase64Encoded: false,
};

/**
 * An HTTP API behind a custom domain that maps `/shop` to it: the raw path has the stage, and not the base path.
 *
 * @see https://github.com/CodeGenieApp/serverless-express/issues/465
 */
export const apiV2BasePath = {
  ...apiV2,
  routeKey: "GET /orders/{id}",
  rawPath: "/v0/orders/7",
  headers: { ...V2_HEADERS, host: DOMAIN },
  pathParameters: { id: "7" },
  requestContext: {
    ...apiV2.requestContext,
    domainName: DOMAIN,
    domainPrefix: "api",
    http: { ...HTTP, method: "GET", path: "/v0/orders/7" },
    routeKey: "GET /orders/{id}",
  },
};

/**
 * The base path itself without a slash at its end, with the route `$default`: the raw path is empty.
 *
 * @see https://github.com/CodeGenieApp/serverless-express/issues/612
 */
export const apiV2EmptyPath = {
  ...apiV2BasePath,
  routeKey: "$default",
  rawPath: "",
  pathParameters: null,
  requestContext: {
    ...apiV2BasePath.requestContext,
    http: { ...HTTP, method: "GET", path: "" },
    routeKey: "$default",
    stage: "$default",
  },
};

/** A function URL of AWS Lambda: an anonymous account, and no body, cookies or query parameters. */
export const functionUrl = {
  version: "2.0",
  routeKey: "$default",
  rawPath: "/",
  rawQueryString: "",
  headers: { ...V2_HEADERS, host: FUNCTION_URL, cookie: "session=abc" },
  requestContext: {
    accountId: "anonymous",
    apiId: "abcdefghijklmnopqrstuvwxyz012345",
    domainName: FUNCTION_URL,
    domainPrefix: "abcdefghijklmnopqrstuvwxyz012345",
    http: { ...HTTP, method: "GET", path: "/" },
    requestId: "6c7d8e9f-0a1b-4c2d-8e3f-405162738495",
    routeKey: "$default",
    stage: "$default",
    time: TIME,
    timeEpoch: 1795248942117,
  },
  isBase64Encoded: false,
};

const BALANCER = {
  requestContext: {
    elb: {
      targetGroupArn:
        "arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/okay/0123456789abcdef",
    },
  },
  httpMethod: "GET",
  path: "/okay",
  body: "",
  isBase64Encoded: false,
};
const BALANCER_HEADERS = {
  accept: "application/json",
  host: "okay.example.com",
  "user-agent": "curl/8.14.1",
  "x-amzn-trace-id": TRACE_ID,
  "x-forwarded-for": "198.51.100.17",
  "x-forwarded-port": "80",
  "x-forwarded-proto": "http",
};

/** An Application Load Balancer: the query values stay encoded, and the body of a GET is empty. */
export const alb = {
  ...BALANCER,
  queryStringParameters: { dish: "r%C3%B6schti" },
  headers: BALANCER_HEADERS,
};

/** An Application Load Balancer whose target group has multi-value headers. */
export const albMultiValue = {
  ...BALANCER,
  multiValueQueryStringParameters: { dish: ["r%C3%B6schti"] },
  multiValueHeaders: multiValue(BALANCER_HEADERS),
};

/** Amazon VPC Lattice, version 2: the values are lists. */
export const latticeV2 = {
  version: "2.0",
  path: "/okay",
  method: "GET",
  headers: multiValue({
    accept: "application/json",
    host: "okay.example.com",
    "user-agent": "curl/8.14.1",
    "x-forwarded-for": "10.0.3.7",
  }),
  queryStringParameters: { dish: ["soup"] },
  isBase64Encoded: false,
  requestContext: {
    serviceNetworkArn:
      "arn:aws:vpc-lattice:eu-central-1:123456789012:servicenetwork/sn-0123456789abcdef0",
    serviceArn: "arn:aws:vpc-lattice:eu-central-1:123456789012:service/svc-0123456789abcdef0",
    targetGroupArn:
      "arn:aws:vpc-lattice:eu-central-1:123456789012:targetgroup/tg-0123456789abcdef0",
    identity: { sourceVpcArn: "arn:aws:ec2:eu-central-1:123456789012:vpc/vpc-0123456789abcdef0" },
    region: "eu-central-1",
    timeEpoch: "1795248942117094",
  },
};
