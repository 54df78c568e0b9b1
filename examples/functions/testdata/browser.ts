/** Functions served over HTTP to a browser, for the tests of the pages. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { FnContext, JsonObject } from "@mate/core/function";
import { browserTest } from "../../../testdata/browser.ts";
import { CONTEXT, recordLog, restEvent } from "./fixture.ts";

/** A handler as the gateway calls it. */
export type Handler = (event: JsonObject, context: FnContext) => Promise<Reply>;

/** A proxy result. */
export interface Reply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** Registers a test of pages in a browser; ignored, and said so, where there is none. */
export function pageTest(
  name: string,
  handlers: Readonly<Record<string, Handler>>,
  run: (visit: Visit) => Promise<void>,
): void {
  browserTest(name, async (browser) => {
    await using server = serve(handlers);
    const { thrown } = await recordLog(() =>
      run((path, options) => visit(browser, server.origin, path, options))
    );
    if (thrown !== undefined) throw thrown;
  });
}

/** Opens a page and gives it with what happened on it. */
export type Visit = (path: string, options?: VisitOptions) => Promise<Visited>;

/** How a page is opened. */
export interface VisitOptions {
  readonly headers?: Record<string, string>;
  /** A body; the request is then a POST. */
  readonly body?: string;
  readonly scheme?: "light" | "dark";
  readonly width?: number;
}

/** A page, and what no page of ours may do. */
export interface Visited {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly origin: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Dialogs, requests beyond the page itself, violations of its policy, errors of scripts. */
  readonly incidents: string[];
}

async function visit(
  browser: Browser,
  origin: string,
  path: string,
  { headers = {}, body, scheme = "light", width = 1200 }: VisitOptions = {},
): Promise<Visited> {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height: 800 },
    extraHTTPHeaders: headers,
  });
  const page = await context.newPage();
  const incidents: string[] = [];
  page.on("dialog", (dialog) => {
    incidents.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("pageerror", (error) => incidents.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // What the browser says of every answer with a status of 400 or more is no incident.
    if (!/^Failed to load resource: the server responded with a status/.test(message.text())) {
      incidents.push(`console: ${message.text()}`);
    }
  });
  page.on("request", (request) => {
    if (request.url() !== origin + path && !request.url().startsWith("data:")) {
      incidents.push(`request: ${request.url()}`);
    }
  });
  if (body !== undefined) {
    await page.route("**", (route) => route.continue({ method: "POST", postData: body }));
  }
  const response = await page.goto(origin + path, { waitUntil: "load" });
  if (response === null) throw new Error(`Cannot open the page "${path}": no response`);
  // Whatever the page has scheduled comes before this.
  await page.evaluate("new Promise((done) => setTimeout(done, 50))");
  return {
    page,
    context,
    origin,
    status: response.status(),
    headers: response.headers(),
    incidents,
  };
}

/** Serves functions as the REST API does, bodies base64-encoded. */
function serve(handlers: Readonly<Record<string, Handler>>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const url = new URL(request.url);
    const path = url.pathname.replace(/^\/v0/, "");
    const handler = handlers[path.split("/")[1]!];
    if (handler === undefined) return new Response(null, { status: 404 });
    const bytes = new Uint8Array(await request.arrayBuffer());
    const event = restEvent({
      method: request.method,
      path,
      headers: Object.fromEntries(request.headers),
      query: Object.fromEntries(url.searchParams),
      body: bytes.length === 0 ? null : btoa(String.fromCharCode(...bytes)),
      isBase64Encoded: bytes.length > 0,
    });
    const { statusCode, headers, body, isBase64Encoded } = await handler(event, CONTEXT);
    const content = isBase64Encoded
      ? Uint8Array.from(atob(body), (character) => character.charCodeAt(0))
      : body;
    return new Response(statusCode === 204 ? null : content, { status: statusCode, headers });
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
