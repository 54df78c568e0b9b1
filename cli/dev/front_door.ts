import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { isDeveloper } from "../lambda/isolation/peer.ts";
import { errorReply, type Reply, reply } from "../lambda/http.ts";

/** What the front door knows of the platform. */
export interface House {
  /** The name of the application. */
  readonly name: string;
  /** The URL of the start page, with its secret. */
  readonly startPage: string;
  /** Whether the system tells functions from other programs. */
  readonly isConfined: boolean;
}

/** Pages of functions have the same origin as `localhost`. None of them may show or read what the front door answers. */
const SECURITY = [
  ["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Referrer-Policy", "no-referrer"],
  ["Cache-Control", "no-store"],
  ["Vary", "Accept, Sec-Fetch-Mode, Sec-Fetch-Dest"],
] as const;

const REMEDY = "The start page is at the address that the platform prints at its start";

/**
 * Answers a request to `/`, an address without the secret. A browser of the developer is led to the start page, if the system
 * tells that no function has sent the request. All others learn where the start page is.
 *
 * It is a redirect, and never a page with the address: the page of a function has the origin of `localhost`, and could read it.
 */
export function answerFrontDoor(request: IncomingMessage, house: House): Reply {
  const { headers, method } = request;
  if (!/\btext\/html\b/i.test(headers.accept ?? "")) return errorReply(404, REMEDY, SECURITY);
  const { "sec-fetch-mode": mode = "navigate", "sec-fetch-dest": dest = "document" } = headers;
  const isNavigation = method === "GET" && mode === "navigate" && dest === "document";
  if (isNavigation && house.isConfined && isDeveloper(request.socket)) {
    return reply(307, [["Location", house.startPage], ...SECURITY]);
  }
  const type = ["Content-Type", "text/html; charset=utf-8"] as const;
  return { status: 404, headers: [type, ...SECURITY], body: Buffer.from(pageOf(house)) };
}

/** The name of an application has only letters, digits and dashes. */
function pageOf({ name, isConfined }: House): string {
  const reason = isConfined
    ? "This program may pass on requests of functions, so it does not get the address of the start page."
    : "Here, the system does not tell functions from your browser, so the address of the start page is a secret.";
  return `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<h1>${name} is running</h1>
<p>${reason}</p>
<ul>
<li>Open the address that <code>mate dev --verbose</code> prints after “Start page”.
<li>Or start with <code>mate dev --open</code>, which opens it in your browser.
</ul>
<p>The routes of the application begin with the address that is printed after “Base URL”.</p>
</html>
`;
}
