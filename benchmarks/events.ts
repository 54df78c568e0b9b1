import { type Gateway, proxyEvent } from "../testing/mod.ts";

/** The parts of an event that the services read. */
export interface HttpEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  readonly body: string | null;
  readonly queryStringParameters: Readonly<Record<string, string>> | null;
  readonly requestContext: {
    readonly authorizer?: { readonly claims?: { readonly sub: string } } | null;
    readonly domainName: string;
    readonly httpMethod: string;
    readonly identity: { readonly sourceIp: string; readonly userAgent: string | null };
    readonly protocol: string;
  };
}

/** The headers of another service. */
export const PROGRAM = {
  Accept: "application/json",
  Origin: "https://shop.example.com",
  "User-Agent": "orders/2.4",
};

/** The headers of a browser that loads a page. */
export const BROWSER = {
  Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  "Accept-Encoding": "gzip, deflate, br, zstd",
  "Accept-Language": "de-CH,de;q=0.9,fr;q=0.8,en-US;q=0.7,en;q=0.6",
  "sec-fetch-mode": "navigate",
  "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
};

/** The headers of a script in a page. */
export const SCRIPT = {
  ...BROWSER,
  Accept: "application/json, text/plain, */*",
  "Content-Type": "application/json",
  Origin: "https://shop.example.com",
  "sec-fetch-mode": "cors",
};

/** The headers that Amazon CloudFront adds in front of a REST API. With those of API Gateway, an event has about 25. */
const EDGE: Readonly<Record<string, string>> = {
  "CloudFront-Forwarded-Proto": "https",
  "CloudFront-Is-Desktop-Viewer": "true",
  "CloudFront-Is-Mobile-Viewer": "false",
  "CloudFront-Is-SmartTV-Viewer": "false",
  "CloudFront-Is-Tablet-Viewer": "false",
  "CloudFront-Viewer-ASN": "3303",
  "CloudFront-Viewer-Country": "CH",
  Referer: "https://shop.example.com/menu",
  "sec-ch-ua": '"Chromium";v="142", "Not=A?Brand";v="24"',
  "sec-ch-ua-mobile": "?0",
  "sec-ch-ua-platform": '"Linux"',
  "sec-fetch-dest": "empty",
  "sec-fetch-site": "same-site",
  Via: "2.0 0f1e2d3c4b5a69788796a5b4c3d2e1f0.cloudfront.net (CloudFront)",
  "X-Amz-Cf-Id": "nBsWBOrSHMgnaROZJK1wGCZ9PcRcSpq_oSXZNQwQ10OTZL4cimZo3g==",
};

/** The claims of the caller. */
const CLAIMS = { sub: "5d1f7f4c", email: "ada@example.com", iss: "https://id.example.com" };

/** The event of a request behind a gateway, as the gateway sends it: a REST API sends all headers in both of its maps. */
export async function eventOf(
  { headers, ...request }: { headers?: Record<string, string> } & Record<string, unknown>,
  gateway: Gateway = "rest",
): Promise<HttpEvent> {
  const all = gateway === "rest" ? { ...EDGE, ...headers } : headers;
  const claims = gateway === "rest" || gateway === "http" ? { claims: CLAIMS } : {};
  // V8 caches the parts of a literal that is split often. It does not cache the texts of JSON.parse(), which Lambda uses.
  return JSON.parse(
    JSON.stringify(await proxyEvent({ ...request, headers: all } as never, { gateway, ...claims })),
  );
}

/** The second argument of every handler. */
export const CONTEXT = {
  awsRequestId: "8f507cfc-5e3a-4a0b-9e6a-6e0d0d7a6f11",
  functionName: "menu",
  getRemainingTimeInMillis: () => 3000,
};
