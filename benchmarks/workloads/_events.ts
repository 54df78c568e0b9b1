/** What the gateway sends for a request to a REST API. */
export interface RestEvent {
  readonly [key: string]: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly queryStringParameters: Readonly<Record<string, string>> | null;
  readonly path: string;
  readonly body: string | null;
}

/** What the requests of the workloads differ in. */
export interface Request {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const HOST = "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com";

/** What the gateway adds to the headers of every request. */
const GATEWAY_HEADERS = {
  Host: HOST,
  "X-Amzn-Trace-Id": "Root=1-69201a3c-0f3c5a7d2b9e48610c4d7a21",
  "X-Forwarded-For": "198.51.100.17",
  "X-Forwarded-Port": "443",
  "X-Forwarded-Proto": "https",
};

/** The headers of a program, such as another service. */
export const PROGRAM = {
  Accept: "application/json",
  "User-Agent": "orders/2.4 (+https://orders.example.com)",
};

/** The headers of a browser that goes to a page. */
export const BROWSER = {
  Accept:
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8",
  "Accept-Encoding": "gzip, deflate, br, zstd",
  "Accept-Language": "de-CH,de;q=0.9,fr;q=0.8,en-US;q=0.7,en;q=0.6",
  "sec-ch-ua-mobile": "?0",
  "sec-ch-ua-platform": '"Linux"',
  "sec-fetch-dest": "document",
  "sec-fetch-mode": "navigate",
  "sec-fetch-site": "none",
  "upgrade-insecure-requests": "1",
  "User-Agent":
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
};

/** The headers of a page's script. */
export const SCRIPT = {
  Accept: "application/json, text/plain, */*",
  "Accept-Encoding": "gzip, deflate, br, zstd",
  "Accept-Language": "de-CH,de;q=0.9,en;q=0.8",
  "Content-Type": "application/json",
  Origin: "https://shop.example.com",
  Referer: "https://shop.example.com/",
  "sec-fetch-dest": "empty",
  "sec-fetch-mode": "cors",
  "sec-fetch-site": "cross-site",
  "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
};

/** The event of a request, with all that the gateway sends, as the platform hands it over: parsed. */
export function restEvent(request: Request): RestEvent {
  // Texts of the source would be faster than those of an event: the engine keeps how it split them.
  return JSON.parse(JSON.stringify(eventOf(request)));
}

function eventOf({ method = "GET", path, headers, query, body }: Request): RestEvent {
  const all = { ...headers, ...GATEWAY_HEADERS };
  return {
    resource: "/{proxy+}",
    path,
    httpMethod: method,
    headers: all,
    multiValueHeaders: multiValue(all),
    queryStringParameters: query ?? null,
    multiValueQueryStringParameters: query ? multiValue(query) : null,
    pathParameters: { proxy: path.slice(1) },
    stageVariables: null,
    requestContext: {
      accountId: "123456789012",
      apiId: "a1b2c3d4e5",
      deploymentId: "k9m2pq",
      domainName: HOST,
      domainPrefix: "a1b2c3d4e5",
      extendedRequestId: "UKx3aFQ5liAFUyA=",
      httpMethod: method,
      identity: {
        accessKey: null,
        accountId: null,
        caller: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: "198.51.100.17",
        user: null,
        userAgent: headers["User-Agent"] ?? null,
        userArn: null,
      },
      path: `/v0${path}`,
      protocol: "HTTP/1.1",
      requestId: "5f0b6c1e-2a77-4a0c-9d52-61f3f0f7b6a4",
      requestTime: "21/Nov/2026:08:15:42 +0000",
      requestTimeEpoch: 1795248942117,
      resourceId: "x7y8z9",
      resourcePath: "/{proxy+}",
      stage: "v0",
    },
    body: body ?? null,
    isBase64Encoded: false,
  };
}

function multiValue(values: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));
}

/** What the platform says about an invocation. */
export const CONTEXT = {
  awsRequestId: "8f507cfc-5e3a-4a0b-9e6a-6e0d0d7a6f11",
  callbackWaitsForEmptyEventLoop: true,
  functionName: "menu",
  functionVersion: "$LATEST",
  invokedFunctionArn: "arn:aws:lambda:eu-central-1:123456789012:function:menu",
  memoryLimitInMB: "1769",
  logGroupName: "/aws/lambda/menu",
  logStreamName: "2026/11/21/[$LATEST]0f3c5a7d2b9e48610c4d7a21",
  getRemainingTimeInMillis: () => 3000,
};
