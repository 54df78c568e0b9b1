import { rest } from "../testdata/http_events.ts";

/** The event of a REST API of Amazon API Gateway, as far as the services read it. */
export interface RestEvent {
  readonly [key: string]: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly queryStringParameters: Readonly<Record<string, string>> | null;
  readonly path: string;
  readonly body: string | null;
}

/** A request that a workload sends. */
export interface Request {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The headers of another service. */
export const PROGRAM = { Accept: "application/json", "User-Agent": "orders/2.4" };

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

const gatewayHeaders = Object.entries(rest.headers).filter(([name]) => /^(Host|X-)/.test(name));

/** The event of a request. */
export function restEvent({ method = "GET", path, headers, query, body }: Request): RestEvent {
  const all = { ...headers, ...Object.fromEntries(gatewayHeaders) };
  const event = {
    ...rest,
    path,
    httpMethod: method,
    headers: all,
    multiValueHeaders: multiValue(all),
    queryStringParameters: query ?? null,
    multiValueQueryStringParameters: query ? multiValue(query) : null,
    requestContext: { ...rest.requestContext, httpMethod: method, path: `/v0${path}` },
    body: body ?? null,
  };
  // V8 keeps the parts of a literal that was split before. Texts that JSON.parse() made are as in Lambda.
  return JSON.parse(JSON.stringify(event));
}

function multiValue(values: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));
}

/** The second argument of every handler. */
export const CONTEXT = {
  awsRequestId: "8f507cfc-5e3a-4a0b-9e6a-6e0d0d7a6f11",
  functionName: "menu",
  getRemainingTimeInMillis: () => 3000,
};
