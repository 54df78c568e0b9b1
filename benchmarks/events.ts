import { type Gateway, proxyEvent } from "../testing/mod.ts";

/** The parts of an event that the services read. */
export interface HttpEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  readonly body: string | null;
  readonly queryStringParameters: Readonly<Record<string, string>> | null;
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

/** The event of a request behind a gateway. */
export async function eventOf(
  request: Parameters<typeof proxyEvent>[0],
  gateway: Gateway = "rest",
): Promise<HttpEvent> {
  // V8 caches the parts of a literal that is split often. It does not cache the texts of JSON.parse(), which Lambda uses.
  return JSON.parse(JSON.stringify(await proxyEvent(request, { gateway })));
}

/** The second argument of every handler. */
export const CONTEXT = {
  awsRequestId: "8f507cfc-5e3a-4a0b-9e6a-6e0d0d7a6f11",
  functionName: "menu",
  getRemainingTimeInMillis: () => 3000,
};
